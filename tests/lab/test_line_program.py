"""Programs on pipes: their lines, their clocks, and what follows if they end, hang or write too much."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee import lab
from referee.lab.lab_match import LabResult
from referee.match.result import EndCause, Fault
from tests.lab import bots

pytestmark = pytest.mark.slow


def program(behaviour: str) -> str:
    return f"{behaviour}={sys.executable} {bots.__file__} {behaviour}"


def play(behaviour: str, clock: str = "none", matches: int = 2) -> list[LabResult]:
    return list(lab.play([program(behaviour), bots.last], lab.terms("alquerque", clock=clock), matches, 0))


def children() -> set[str]:
    """Return the processes that this one has started."""
    return {file.parent.name for file in _stats() if file.read_text().rpartition(")")[2].split()[1] == str(os.getpid())}


def _stats() -> Iterator[Path]:
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            file.read_text()
        except OSError:
            continue
        yield file


def test_a_program_plays_the_same_matches_as_the_function_and_is_ended_with_the_run() -> None:
    before = children()
    by_program = [result.digest for result in play("plays")]
    by_function = [result.digest for result in lab.play([bots.last, bots.last], lab.terms("alquerque"), 2, 0)]
    assert by_program == by_function
    assert children() <= before


def test_a_program_may_resign() -> None:
    assert [result.result.cause for result in play("resigns")] == [EndCause.RESIGNATION] * 2


def test_a_program_that_ends_in_each_of_three_starts_resigns() -> None:
    first, second = play("dies")
    assert first.result.cause is second.result.cause is EndCause.RESIGNATION
    assert "it has ended 3 times during the same turn" in first.failures[0][1]


def test_a_program_that_writes_an_endless_line_resigns() -> None:
    (result,) = play("deaf", matches=1)
    assert "a line of more than 65536 bytes" in result.failures[0][1]


def test_a_program_that_does_not_answer_loses_on_time() -> None:
    (result,) = play("silent", clock="0.2", matches=1)
    assert [(one.seat, one.fault) for one in result.result.forfeits] == [(0, Fault.TIME)]


def test_the_answer_to_a_turn_whose_time_was_over_is_no_answer_to_the_next_one(tmp_path: Path) -> None:
    source = tmp_path / "late.py"
    source.write_text(
        "import json, sys, time\n"
        "for line in sys.stdin:\n"
        "    turn = json.loads(line)\n"
        "    if turn['type'] == 'turn':\n"
        "        time.sleep(1.5 * (turn['ply'] == 0))\n"
        "        print(turn['legal_moves'][-1] if turn['ply'] else 'late', flush=True)\n"
    )
    policies = {"timeout": "TIMEOUT_ACTION_DEFAULT_MOVE"}
    terms: Any = lab.terms("alquerque", clock="1/move", policies=policies)
    (result,) = lab.play([f"{sys.executable} {source}", bots.last], terms, 1, 0)
    assert [seat for seat, _, _ in result.faults] == [0]
    assert all(fault is Fault.TIME for _, fault, _ in result.faults)
