"""`referee rerun`: the turns of a record are sent to a bot again."""

import sys
from pathlib import Path

import pytest
from click.testing import Result

from tests.cli.runner import refusal_of, run
from tests.cli.test_explain import MATCH, alquerque_match
from tests.records.forgery import record_of

LINES = (sys.executable, "-c")
BOT_PROGRAM = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        print({choice}, flush=True)
"""
SAME_ANSWERS = "{0: 'a1-a2' if not message['refused'] else 'c2-c3', 2: 'b1xd3'}[message['ply']]"
"""The answers of the record."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "match.jsonl"
    path.write_bytes(record_of(alquerque_match(*MATCH)))
    return path


def rerun(path: Path, choice: str, *arguments: str) -> Result:
    program = (*LINES, BOT_PROGRAM.format(choice=choice))
    return run("rerun", path, "--seat", "ada", "--lines", *arguments, "--", *program)


@pytest.mark.slow
def test_a_bot_with_the_same_answers_shows_no_difference(path: Path) -> None:
    result = rerun(path, SAME_ANSWERS)

    assert result.stdout == "3 of 3 turns answered as in the record\n"
    assert result.exit_code == 0


@pytest.mark.slow
def test_different_answers_are_reported_with_their_legality(path: Path) -> None:
    result = rerun(path, "'b2-c3' if message['attempts_left'] == 2 else 'a1-a1'")

    assert result.exit_code == 1
    first, second, *_, last = result.stdout.splitlines()
    assert first.startswith("ply 0: then a1-a2, now a1-a1, which is illegal: ")
    assert second == "ply 0: then c2-c3, now b2-c3"
    # The record has no answer to the last turn, so there is nothing to compare.
    assert last == "1 of 3 turns answered as in the record"


def test_rerun_of_a_file_that_is_no_record_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "no.jsonl"
    path.write_text("nothing\n")

    assert rerun(path, "None").exit_code == 2


@pytest.mark.slow
def test_rerun_can_start_at_a_ply_and_stop_at_the_first_difference(path: Path) -> None:
    assert rerun(path, "message['legal_moves'][0]", "--from", "2").exit_code == 0

    result = rerun(path, "'a1-a1'", "--stop-at-first")
    assert result.stdout.splitlines()[1:] == ["0 of 1 turns answered as in the record"]


@pytest.mark.slow
def test_a_bot_that_does_not_answer_is_an_error(path: Path) -> None:
    assert "not today" in refusal_of("rerun", path, "--seat", 0, "--", *LINES, "import sys; sys.exit('not today')")


def test_rerun_without_any_turn_is_an_error(path: Path) -> None:
    result = rerun(path, "''", "--from", "3")

    assert result.exit_code == 2
    assert "no turn from ply 3 on" in result.stderr
