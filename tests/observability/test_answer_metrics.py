"""Metrics of answers and watches: repeated answers, and gaps in the entries that are sent."""

from collections.abc import Callable
from typing import Any

import pytest
from prometheus_client import CollectorRegistry
from referee_api.v1 import entry_pb2, match_service_pb2, play_pb2, play_service_pb2

from referee.observability.rpc_metrics import ResponseMetrics

Heard = Callable[[Any], None]


class Scene:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.metrics = ResponseMetrics(self.registry)

    def watching(self, after: int | None = None) -> Heard:
        return self.metrics.recorder("MatchService/WatchMatch", match_service_pb2.WatchMatchRequest(after_number=after))

    @property
    def gaps(self) -> float | None:
        return self.registry.get_sample_value("referee_resume_gaps_total")

    def duplicates(self, method: str) -> float | None:
        return self.registry.get_sample_value("referee_duplicates_absorbed_total", {"method": method})


@pytest.fixture
def scene() -> Scene:
    return Scene()


def entries(*numbers: int) -> match_service_pb2.WatchMatchResponse:
    items = [match_service_pb2.WatchMatchItem(entry=entry_pb2.Entry(number=number)) for number in numbers]
    return match_service_pb2.WatchMatchResponse(items=items)


def whole() -> match_service_pb2.WatchMatchResponse:
    return match_service_pb2.WatchMatchResponse(
        items=[match_service_pb2.WatchMatchItem(snapshot=match_service_pb2.MatchSnapshot())]
    )


def test_a_watcher_who_is_told_every_entry_misses_none(scene: Scene) -> None:
    from_now_on, resumed = scene.watching(), scene.watching(after=3)
    for message in (whole(), entries(7, 8), entries(9)):
        from_now_on(message)
    for message in (whole(), entries(4), entries(5, 6)):
        resumed(message)
    assert scene.gaps == 0


@pytest.mark.parametrize("told", [(5,), (3,), (4, 6), (4, 4)], ids=str)
def test_an_entry_that_is_not_the_next_is_a_gap(scene: Scene, told: tuple[int, ...]) -> None:
    resumed = scene.watching(after=3)
    resumed(whole())
    resumed(entries(*told))
    assert scene.gaps == 1
    resumed(entries(told[-1] + 1))
    assert scene.gaps == 1


def test_an_answer_that_is_given_again_is_a_duplicate_absorbed(scene: Scene) -> None:
    for again in (False, True, True):
        scene.metrics.record("MatchService/SubmitMove", match_service_pb2.SubmitMoveResponse(repeated=again))
    assert scene.duplicates("MatchService/SubmitMove") == 2


def test_a_verdict_that_is_given_again_is_a_duplicate_and_a_turn_that_is_asked_again_is_none(scene: Scene) -> None:
    heard = scene.metrics.recorder("PlayService/Play", iter(()))
    items = [
        play_pb2.RefereeItem(turn=play_pb2.Turn(repeated=True)),
        play_pb2.RefereeItem(verdict=play_pb2.Verdict(repeated=True)),
        play_pb2.RefereeItem(verdict=play_pb2.Verdict()),
    ]
    heard(play_service_pb2.PlayResponse(items=items))
    assert scene.duplicates("PlayService/Play") == 1
    assert scene.gaps == 0
