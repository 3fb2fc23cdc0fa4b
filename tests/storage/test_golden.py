"""The written form of events must never change by accident."""

from pathlib import Path
from typing import Any, get_args

import pytest

from referee.contests.tournament.tournament_terms import TournamentFormat
from referee.hosting.contest_log import ContestEvent
from referee.match.clock import TimeControl
from referee.match.events import Event
from referee.storage.codec import CONTEST_CODEC, MATCH_CODEC, EventCodec
from tests.storage import contest_examples, examples

GOLDEN = Path(__file__).parent / "golden"


def test_the_examples_contain_every_kind() -> None:
    assert {type(event) for event in examples.EXAMPLES} == set(get_args(Event))
    assert {type(control) for control in examples.EVERY_CONTROL} == set(get_args(TimeControl))
    assert {type(event) for event in contest_examples.EXAMPLES} == set(get_args(ContestEvent))
    assert {type(form) for form in contest_examples.EVERY_FORMAT} == set(get_args(TournamentFormat))


@pytest.mark.parametrize(
    ("name", "codec", "events"),
    [("matches", MATCH_CODEC, examples.EXAMPLES), ("contests", CONTEST_CODEC, contest_examples.EXAMPLES)],
)
def test_the_written_form_of_events_does_not_change(
    name: str, codec: EventCodec[Any], events: tuple[Any, ...], renewing: bool
) -> None:
    path = GOLDEN / f"{name}.jsonl"
    if renewing:
        path.write_text("".join(f"{codec.encode(event)}\n" for event in events), encoding="ascii")
    lines = path.read_text(encoding="ascii").splitlines()
    assert [codec.encode(event) for event in events] == lines
    assert [codec.decode(line) for line in lines] == list(events)
