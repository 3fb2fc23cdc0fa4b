"""The turns of a record, asked again of a bot of today."""

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from referee.cli import main
from tests.cli.test_explain import MATCH, alquerque
from tests.records.forgery import record_of

LINES = (sys.executable, "-c")
FIRST = """
import json, sys
for line in sys.stdin:
    told = json.loads(line)
    if told["type"] == "turn":
        print({choice}, flush=True)
"""
BY_HEART = "{0: 'a1-a2' if not told['refused'] else 'c2-c3', 2: 'b1xd3'}[told['ply']]"
"""As it was answered in the record."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "match.jsonl"
    path.write_bytes(record_of(alquerque(*MATCH)))
    return path


def rerun(path: Path, choice: str, *words: str) -> Result:
    program = (*LINES, FIRST.format(choice=choice))
    return CliRunner().invoke(main, ["rerun", str(path), "--seat", "ada", "--lines", *words, "--", *program])


@pytest.mark.slow
def test_a_bot_that_answers_as_it_did_is_the_same(path: Path) -> None:
    result = rerun(path, BY_HEART)

    assert result.stdout == "3 of 3 turns answered as in the record\n"
    assert result.exit_code == 0


@pytest.mark.slow
def test_where_it_answers_differently_is_told_and_whether_that_could_be_played(path: Path) -> None:
    result = rerun(path, "'b2-c3' if told['attempts_left'] == 2 else 'a1-a1'")

    assert result.exit_code == 1
    first, second, *_, last = result.stdout.splitlines()
    assert first.startswith("ply 0: then a1-a2, now a1-a1, which is illegal: ")
    assert second == "ply 0: then c2-c3, now b2-c3"
    # The last turn was never answered then, so nothing can be said of it.
    assert last == "1 of 3 turns answered as in the record"


def test_what_is_no_record_is_not_taken_for_another_answer(tmp_path: Path) -> None:
    path = tmp_path / "no.jsonl"
    path.write_text("nothing\n")

    assert rerun(path, "None").exit_code == 2


@pytest.mark.slow
def test_it_can_begin_later_and_stop_at_the_first_difference(path: Path) -> None:
    assert rerun(path, "told['legal_moves'][0]", "--from", "2").exit_code == 0

    result = rerun(path, "'a1-a1'", "--stop-at-first")
    assert result.stdout.splitlines()[1:] == ["0 of 1 turns answered as in the record"]


@pytest.mark.slow
def test_a_bot_that_does_not_answer_is_no_difference(path: Path) -> None:
    dies = (sys.executable, "-c", "import sys; sys.exit('not today')")

    result = CliRunner().invoke(main, ["rerun", str(path), "--seat", "0", "--", *dies])

    assert result.exit_code == 2
    assert "not today" in result.stderr


def test_there_must_be_something_to_ask(path: Path) -> None:
    result = rerun(path, "''", "--from", "3")

    assert result.exit_code == 2
    assert "no turn from ply 3 on" in result.stderr
