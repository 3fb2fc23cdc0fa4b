"""A report as text: rounds with results, scores with bounds, and a legend."""

import re
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import click._termui_impl
import pytest
from msgspec import structs
from referee_values import EloEstimate, SprtState

from referee.cli._shared.lab_summary import LENGTH_GROUPS, length_groups, loss_groups, summarise
from referee.cli._shared.output import progress
from referee.cli._shared.report_text import report_text
from referee.cli._shared.standings_text import as_typed
from referee.lab.lab_match import LabResult
from referee.match.result import EndCause, EndKind, Result, void_result
from referee.show.formatting import estimate_text, percent, score_text, sprt_text
from referee.show.lab_page import LossGroup, lab_page
from referee.show.page import page
from referee.show.report import IllegalMove
from tests.show.season import report

TEST = SprtState(
    verdict="open",
    counts=(0, 1, 2),
    estimate=EloEstimate(elo=10, low_elo=-50, high_elo=70, superiority=0.6),
    llr=0.5,
    llr_lower=-2.9,
    llr_upper=2.9,
    matches=3,
    expected_matches_left=40,
)


def test_the_report_lists_the_rounds_of_a_tournament_with_results() -> None:
    lines = report_text(report(3)).splitlines()
    first_line = next(
        number for number, line in enumerate(lines) if line.startswith("\x1b[1mround") or line.startswith("round")
    )
    assert lines[first_line + 2].split() == ["1.2", *lines[first_line + 2].split()[1:]]
    assert lines[first_line + 2].endswith(("1 : 0", "0 : 1"))
    assert any(line.split() == ["4.2", "bot-02", "bye"] for line in lines)
    assert any(line.startswith("4.1") and line.endswith("playing") for line in lines)


def test_the_standings_show_the_chance_to_be_best_and_the_advantage_of_the_first_seat() -> None:
    season = report(3, cycles=8)
    first, *_ = season.chances_to_be_best().values()
    text = report_text(season)

    assert f" {percent(first)} " in text
    assert "\nfirst seat: " in text
    assert ", draws: none" in text
    assert ">Best</th>" in page(season)
    assert "First seat: " in page(season)


def test_repeated_matches_are_shown_and_count_once() -> None:
    season = report(2, cycles=9)
    again = replace(season, repeated=frozenset(game.id for game in season.games[1:]))

    assert f", {len(season.games) - 1} repeated matches of {len(season.games)}" in report_text(again)
    assert "repeated: all moves" in report_text(again)
    assert again.estimates()["bot-02"].high > season.estimates()["bot-02"].high
    assert "repeated" not in report_text(season)
    seated = structs.replace(TEST, verdict="passed", first_seat_elo=120.0)
    assert ", by a clear lead, " in sprt_text(seated)
    assert ", first seat +120 Elo" in sprt_text(seated)
    assert "clear lead" in page(replace(season, sprt=seated))
    assert "The first seat is worth +120 Elo." in page(replace(season, sprt=seated))
    assert "1 repeated match not counted" in sprt_text(structs.replace(TEST, repeated_matches=1))
    assert "3 repeated matches not counted." in page(replace(season, sprt=structs.replace(TEST, repeated_matches=3)))


def test_without_results_of_two_sides_no_advantage_of_the_first_seat_is_shown() -> None:
    assert estimate_text(replace(report(3), games=())) == ""


def test_a_score_is_printed_with_its_bounds() -> None:
    assert score_text(1.0, 0.676, 1.0) == "100 % (68–100)"


def test_an_illegal_move_that_lost_a_match_is_reported_in_text_and_html() -> None:
    with_illegal_move = replace(
        report(3), illegal_moves=(IllegalMove("m-1", "bot-02", "'e9': there is no such point"),)
    )
    assert "\nbot-02 in m-1: illegal move: 'e9': there is no such point" in report_text(with_illegal_move)
    assert "there is no such point" in page(with_illegal_move)
    assert "illegal move" not in page(report(3))


def result(number: int, ranks: tuple[int, int], moves: int = 10, bots: tuple[str, str] = ("new", "old")) -> LabResult:
    played = Result(EndKind.PLAYED, EndCause.RULES, "no_men", (), ranks, (), ranks)
    return LabResult(number, f"{number}.1", "alquerque", bots, played, moves, f"moves {number}")


def void(number: int) -> LabResult:
    return LabResult(number, f"{number}.1", "alquerque", ("new", "old"), void_result(EndCause.ENGINE_FAULT), 3, "")


def test_losses_are_counted_by_bot_seat_and_reason_with_the_first_matches() -> None:
    lost = [result(number, (2, 1)) for number in range(1, 6)]
    others = [result(6, (1, 1)), void(7), result(8, (1, 2), bots=("old", "new"))]
    assert loss_groups([*lost, *others]) == [
        LossGroup("new", 0, "no_men", 5, ("1.1", "2.1", "3.1")),
        LossGroup("new", 1, "no_men", 1, ("8.1",)),
    ]


def test_matches_of_equal_length_are_in_one_group() -> None:
    short = [result(number, (1, 2), moves=10) for number in range(20)]
    longer = [result(20 + number, (2, 1), moves=20 + number) for number in range(LENGTH_GROUPS)]
    groups = length_groups([*longer, result(40, (1, 1), moves=90), void(50), *short], "new")
    assert [(group.fewest, group.most) for group in groups] == [(10, 10), (20, 23), (24, 27), (90, 90)]
    assert [(group.won, group.drawn, group.lost) for group in groups] == [(20, 0, 0), (0, 0, 4), (0, 0, 4), (0, 1, 0)]


def test_the_page_shows_losses_and_results_by_length_with_names_escaped() -> None:
    results = [result(1, (2, 1), bots=("<b>", "old")), result(2, (1, 2), moves=30, bots=("<b>", "old"))]
    page = lab_page(summarise("a plan", ["<b>", "old"], results, None, ()))
    assert "<b></b>" not in page
    assert "&lt;b&gt;, seat 0" in page
    assert re.findall(r"<h2>(.*?)</h2>", page) == ["Standings", "Where bots lost", "Results by length"]


def test_with_three_bots_there_are_no_results_by_length() -> None:
    summary = summarise("a plan", ["new", "old", "idle"], [result(1, (1, 2)), void(2)], None, ())
    assert not summary.lengths
    assert dict(summary.facts) == {"Games": "alquerque", "Matches": "2", "Moves": "13", "Void": "1"}
    assert "idle" in lab_page(summary)


def test_the_program_is_printed_so_that_it_can_be_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "referee"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(program), "match"])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert as_typed() == "referee"
    monkeypatch.setenv("PATH", "/nowhere")
    assert as_typed() == str(program)
    monkeypatch.setattr(sys, "argv", ["/somewhere/referee/__main__.py", "match"])
    assert as_typed() == f"{sys.executable} -m referee"


def test_a_terminal_shows_a_progress_bar_and_the_remaining_time(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now_s = 1_000.0
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr(click._termui_impl, "time", SimpleNamespace(time=lambda: now_s))
    with progress(12) as show:
        for _ in range(4):
            now_s += 30
            show("anna won")
        shown = capsys.readouterr().out
    assert "━━━━━━━━────────────────  4/12  00:04:00  anna won" in shown
