"""The page of a match: every board once, also of games with coloured pictures and of long matches."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from engines.registry import find
from referee.cli import main
from referee.records.record_reader import RecordHistory, read_record_history
from referee.reporting import match_page as module
from referee.reporting.match_page import match_page
from tests.reporting.test_page import ParsedPage


def played(folder: Path, game: str, *options: str) -> RecordHistory:
    file = folder / "record.jsonl"
    result = CliRunner().invoke(main, ["play", game, "--seed", "1", "--record", str(file), *options])
    assert result.exit_code == 0, result.output
    return read_record_history(file, find)


def boards_of(history: RecordHistory) -> list[str]:
    parsed = ParsedPage(match_page(history, "anna – <b>bert", "1 : 0", "record.jsonl", "index.html"))
    assert parsed.open == []
    assert "anna – <b>bert" in parsed.texts
    return [attributes["id"] or "" for tag, attributes in parsed.tags if tag == "figure"]


def test_every_position_has_a_board(tmp_path: Path) -> None:
    history = played(tmp_path, "alquerque")
    assert boards_of(history) == [f"ply-{ply}" for ply in range(history.last.ply + 1)]


def test_the_colours_of_a_terminal_are_left_out(tmp_path: Path) -> None:
    html = match_page(played(tmp_path, "toc", "-o", "max_turns=8"), "a toc match", "", "record.jsonl", "index.html")
    assert "x1b" not in html


def test_a_long_match_shows_fewer_boards_and_always_the_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history = played(tmp_path, "alquerque")
    monkeypatch.setattr(module, "MAX_BOARDS", 10)
    boards = boards_of(history)
    assert len(boards) <= 11
    assert boards[-1] == f"ply-{history.last.ply}"


@pytest.mark.parametrize(("game", "shown"), [("toc", True), ("alquerque", False)])
def test_the_page_says_who_chose_the_seed_if_it_matters(tmp_path: Path, game: str, shown: bool) -> None:
    options = ("-o", "max_turns=8") if game == "toc" else ()
    html = match_page(played(tmp_path, game, *options), "a match", "", "record.jsonl", "index.html")
    assert ("the creator of the match alone chose its seed" in html) is shown
