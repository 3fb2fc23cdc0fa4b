"""Metrics of answers and watches: repeated answers, and gaps in the entries that are sent."""

from collections.abc import Callable
from typing import Any

import pytest
from prometheus_client import CollectorRegistry
from referee_api.v1 import entry_pb2, match_service_pb2

from referee.observability.metrics import Metrics
from referee.observability.rpc_metrics import ResponseMetrics
from tests.observability.exposition import Page

RecordMessage = Callable[[Any], None]


class WatchHarness:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.metrics = ResponseMetrics(self.registry)

    def watch_recorder(self, after: int | None = None) -> RecordMessage:
        return self.metrics.recorder(match_service_pb2.WatchMatchRequest(after_number=after))

    @property
    def gaps(self) -> float | None:
        return self.registry.get_sample_value("referee_resume_gaps_total")

    def duplicates(self, method: str) -> float | None:
        return self.registry.get_sample_value("referee_duplicates_absorbed_total", {"method": method})


@pytest.fixture
def harness() -> WatchHarness:
    return WatchHarness()


def entries(*numbers: int) -> match_service_pb2.WatchMatchResponse:
    items = [match_service_pb2.WatchMatchItem(entry=entry_pb2.Entry(number=number)) for number in numbers]
    return match_service_pb2.WatchMatchResponse(items=items)


def snapshot() -> match_service_pb2.WatchMatchResponse:
    return match_service_pb2.WatchMatchResponse(
        items=[match_service_pb2.WatchMatchItem(snapshot=match_service_pb2.MatchSnapshot())]
    )


def test_a_watch_with_every_entry_has_no_gap(harness: WatchHarness) -> None:
    current, resumed = harness.watch_recorder(), harness.watch_recorder(after=3)
    for message in (snapshot(), entries(7, 8), entries(9)):
        current(message)
    for message in (snapshot(), entries(4), entries(5, 6)):
        resumed(message)
    assert harness.gaps == 0


@pytest.mark.parametrize("numbers", [(5,), (3,), (4, 6), (4, 4)], ids=str)
def test_an_entry_that_is_not_the_next_is_a_gap(harness: WatchHarness, numbers: tuple[int, ...]) -> None:
    resumed = harness.watch_recorder(after=3)
    resumed(snapshot())
    resumed(entries(*numbers))
    assert harness.gaps == 1
    resumed(entries(numbers[-1] + 1))
    assert harness.gaps == 1


def test_a_repeated_answer_counts_as_an_absorbed_duplicate(harness: WatchHarness) -> None:
    for repeated in (False, True, True):
        harness.metrics.record("MatchService/SubmitMove", match_service_pb2.SubmitMoveResponse(repeated=repeated))
    assert harness.duplicates("MatchService/SubmitMove") == 2


def test_a_repeated_item_of_a_play_stream_counts_as_a_duplicate() -> None:
    metrics = Metrics("1.2.3")
    metrics.repeated()
    assert Page(metrics).value("referee_duplicates_absorbed_total", method="PlayService/Play") == 1
