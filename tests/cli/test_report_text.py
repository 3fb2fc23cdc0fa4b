"""A report as text: rounds with results, scores with bounds, and a legend."""

from dataclasses import replace

from msgspec import structs
from referee_values import EloEstimate, SprtState

from referee.cli._shared.report_text import report_text
from referee.show.formatting import estimate_text, percent, score_text, sprt_text
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


def test_a_legend_explains_the_scales() -> None:
    text = report_text(report(3, kind="ladder"))
    for term in ("rating: ", "?: ", "elo: ", "± n: "):
        assert f"\n{term}" in text
    assert "\npoints: " in report_text(report(3))


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
