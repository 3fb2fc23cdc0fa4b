"""docs/chess-tools.md: its commands are understood, its plan is read, and its tables name what exists."""

import re
import shlex
from pathlib import Path

import click
import pytest

from referee.cli import main
from referee.local import opening_book as book
from referee.local.contest_file import read_tournament
from referee.local.short_forms import read_clock
from referee.local.terms_reader import LOCAL_POLICIES
from referee.match.adjudication import LIMITS
from tests.docs.test_links import ROOT

PAGE = (ROOT / "docs" / "chess-tools.md").read_text(encoding="utf-8")
ROWS = [(there, here) for there, here in re.findall(r"^\| (.*?) \| (.*?) \|$", PAGE, re.MULTILINE) if there[0] == "`"]


def commands() -> list[str]:
    (block,) = re.findall(r"^```console\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    in_tables = [span for _, here in ROWS for span in re.findall(r"`(referee [^`]*)`", here)]
    return [line.removeprefix("$ ") for line in block.replace("\\\n", "").splitlines()] + in_tables


def options_of(name: str) -> set[str]:
    command = main.get_command(click.Context(main), name)
    assert command
    return {option for parameter in command.params for option in parameter.opts}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with all files that the page names."""
    (tmp_path / "book.pgn").write_text("1. e4 e5 *\n\n1. d4 d5 *\n", encoding="utf-8")
    (tmp_path / "results").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", commands())
@pytest.mark.usefixtures("folder")
def test_every_command_is_understood(command: str) -> None:
    program, name, *arguments = shlex.split(command)
    assert program == "referee"
    found = main.get_command(click.Context(main), name)
    assert found
    with found.make_context(name, arguments):
        """It was parsed, and is not run."""


def test_every_option_of_the_table_belongs_to_a_command_that_plays() -> None:
    plain = [here for _, here in ROWS if "`referee" not in here]
    named = {option for here in plain for option in re.findall(r"--[a-z-]+", here)}
    assert len(named) > 8
    assert named <= options_of("match")
    assert named - {"--games"} <= options_of("sprt")


def test_the_clocks_of_the_table_are_clocks() -> None:
    clocks = re.findall(r"`--clock ([^`]+)`", PAGE)
    assert len(clocks) == 3
    for clock in clocks:
        read_clock(clock)


def test_the_plan_of_the_page_is_a_plan(folder: Path) -> None:
    (text,) = re.findall(r"^```toml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    (folder / "plan.toml").write_text(text, encoding="utf-8")
    plan = read_tournament(folder / "plan.toml", LOCAL_POLICIES)
    play, adjudication = plan.terms.duplicate_play, plan.terms.match_terms.adjudication
    assert play
    assert adjudication
    assert (len(play.openings), adjudication.draw_after_ply) == (2, 68)


def test_the_tables_name_every_word_of_books_and_adjudication() -> None:
    listed = re.findall(r"^\| `(\w+)` \| `(--[a-z-]+)` \|", PAGE, re.MULTILINE)
    assert tuple(key for key, _ in listed) == book.OpeningBook.__struct_fields__
    assert {option for _, option in listed} <= options_of("match") & options_of("sprt")
    names = {name for row, _ in ROWS for name in re.findall(r"`(\w+)`", row)}
    assert set(LIMITS) <= names


def test_the_limits_of_the_page_are_those_of_the_code() -> None:
    assert f"at most {book.MAX_OPENINGS} openings of together {spaced(book.MAX_OPENINGS_BYTES)} bytes" in PAGE
    assert f"up to {book.MAX_BOOK_BYTES >> 20} MiB" in PAGE
    assert f"a line up to {spaced(book.MAX_LINE_CHARS)} characters, an opening up to {book.MAX_PLIES} moves" in PAGE


def spaced(number: int) -> str:
    return f"{number:_}".replace("_", " ")
