"""The lab plays the matches of a server: from the same setup and the same bots follow the same events but for times."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from engines.registry import find
from referee.lab.lab_bots import PythonBot
from referee.lab.match_player import play_match
from referee.match.events import Event, FlagFell, MatchCreated, MovePlayed, PlayStarted, SeatTaken
from referee.records.record_reader import read_record
from tests.lab import bots

PLAN = f"""
clock = "none"
without_nonces = true
rounds = 2

[bots]
fixed = "python:{bots.__file__}:fixed"
remembering = "python:{bots.__file__}:Remembering"
illegal = "python:{bots.__file__}:illegal"
failing = "python:{bots.__file__}:failing"

[[games]]
game = "alquerque"

[[games]]
game = "trox"

[[games]]
game = "troke"
options = {{ max_plies = 40 }}
"""
BOTS = {
    "fixed": bots.fixed,
    "remembering": bots.Remembering,
    "illegal": bots.illegal,
    "failing": bots.failing,
}


def timeless(event: Event) -> Event:
    """Return the event without times."""
    if isinstance(event, MovePlayed | FlagFell):
        event = structs.replace(event, row=None)
    return structs.replace(event, at_us=0)


def events_of_server(record: Path) -> list[Any]:
    """Return the events of a match whose seats had been taken when it was created, as they are in the lab."""
    with record.open("rb") as file:
        created, *others = [entry.event for entry in read_record(file).entries]
    assert isinstance(created, MatchCreated)
    (started,) = [event for event in others if isinstance(event, PlayStarted)]
    created = structs.replace(created, setup=structs.replace(created.setup, players=started.seated))
    return [created, *(event for event in others if not isinstance(event, SeatTaken))]


@pytest.mark.slow
def test_the_log_of_a_match_in_the_lab_is_that_of_the_server(tmp_path: Path) -> None:
    plan, out = tmp_path / "plan.toml", tmp_path / "out"
    plan.write_text(PLAN)
    command = [sys.executable, "-m", "referee", "arena", str(plan), "--out", str(out)]
    subprocess.run(command, timeout=300, check=False, capture_output=True)
    records = sorted(out.glob("*/records/*.jsonl"))
    assert len(records) == 36
    for record in records:
        stored = events_of_server(record)
        setup = stored[0].setup
        seats = [PythonBot(BOTS[player.bot]).seat(setup, seat) for seat, player in enumerate(setup.players)]
        played = play_match(setup, find(setup.terms.game), seats).events
        assert list(map(timeless, played)) == list(map(timeless, stored)), str(record)
