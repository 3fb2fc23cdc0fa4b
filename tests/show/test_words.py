"""Results, clocks, formats and numbers in words."""

import pytest
from referee_api.conversion import to_message
from referee_api.v1 import clock_pb2, match_pb2, result_pb2, sprt_pb2, tournament_pb2
from referee_client.organiser.clock_text import clock

from referee.show.formatting import counted, end_text, points_text, signed, time_text
from referee.show.report import End
from referee.show.words import (
    FORFEIT_CAUSES,
    VOID_CAUSES,
    clock_text,
    format_text,
    result_text,
    time_control_text,
    winner_names,
)
from tests.site.samples import match, won


def played(ending: result_pb2.Ending.ValueType, reason: str = "") -> result_pb2.PlayedResult:
    return result_pb2.PlayedResult(ending=ending, reason=reason)


FOUR = match("anna", "bert", "cleo", "dora", game="toc")
PLAYED = [
    ("the winner and the reason", match(), (1, 2), played(result_pb2.ENDING_RULES, "no_men"), "anna wins, no men"),
    ("a resignation", match(), (2, 1), played(result_pb2.ENDING_RESIGNATION), "bert wins, by resignation"),
    ("an agreed draw", match(), (1, 1), played(result_pb2.ENDING_DRAW_AGREED), "draw, draw by agreement"),
    ("a claimed draw", match(), (1, 1), played(result_pb2.ENDING_DRAW_CLAIMED), "draw, draw claimed"),
    (
        "an adjudication",
        match(),
        (1, 2),
        played(result_pb2.ENDING_ADJUDICATION),
        "anna wins, decided by an administrator",
    ),
    ("a draw only once", match(), (1, 1), played(result_pb2.ENDING_RULES, "draw"), "draw"),
    ("no reason if there is none", match(), (1, 2), played(result_pb2.ENDING_RULES), "anna wins"),
    ("both partners", FOUR, (1, 2), played(result_pb2.ENDING_RULES, "home"), "anna and cleo win, home"),
]
WINNERS = [
    ("with its seat if a bot plays against itself", match("anna", "anna"), (2, 1), "black (anna)"),
    ("once if it has two seats of a side", match("anna", "bert", "anna", "bert", game="toc"), (1, 2), "anna"),
    ("by its seat if that is open", match("", "bert"), (1, 2), "white"),
]


@pytest.mark.parametrize(
    ("it", "ranks", "ending", "words"), [row[1:] for row in PLAYED], ids=[row[0] for row in PLAYED]
)
def test_the_words_for_a_played_match_name(
    it: match_pb2.Match, ranks: tuple[int, int], ending: result_pb2.PlayedResult, words: str
) -> None:
    assert result_text(it, won(ranks, played=ending)) == words


@pytest.mark.parametrize(("it", "ranks", "name"), [row[1:] for row in WINNERS], ids=[row[0] for row in WINNERS])
def test_a_winner_is_named(it: match_pb2.Match, ranks: tuple[int, int], name: str) -> None:
    assert winner_names(it, won(ranks)) == (name,)


def test_a_match_without_a_result_has_no_words_for_it() -> None:
    assert result_text(match(), result_pb2.Result()) == ""


@pytest.mark.parametrize("cause", result_pb2.ForfeitCause.values()[1:])
def test_a_forfeit_names_the_seat_and_its_fault(cause: result_pb2.ForfeitCause.ValueType) -> None:
    fault = result_pb2.ForfeitedResult(forfeits=[result_pb2.Forfeit(seat=1, cause=cause)])
    assert result_text(match(), won(forfeited=fault)) == f"anna wins, black (bert) {FORFEIT_CAUSES[cause]}"


@pytest.mark.parametrize("cause", result_pb2.VoidCause.values()[1:])
def test_a_void_match_has_no_winner(cause: result_pb2.VoidCause.ValueType) -> None:
    void = result_pb2.VoidResult(cause=cause, message="the mains failed")
    assert result_text(match(), won((), voided=void)) == f"void: {VOID_CAUSES[cause]} (the mains failed)"


CLOCKS = {
    "none": "untimed",
    "60": "1 min for all moves",
    "180+2": "3 min + 2 s per move",
    "5m+0.5s": "5 min + 500 ms per move",
    "90 bronstein 2": "90 s, delay 2 s (Bronstein)",
    "60 delay 1.5": "1 min, delay 1.5 s",
    "60 byoyomi 3x10": "1 min + 3 × 10 s byo-yomi",
    "60 byoyomi 5/10": "1 min, then 5 moves in 10 s",
    "40/300, 60+5": "5 min for 40 moves, 1 min for the rest (+ 5 s per move)",
    "40/300, 60": "5 min for 40 moves, 1 min for the rest",
    "5/move": "5 s per move",
    "2 bank 30": "2 s per move, bank of 30 s",
    "hourglass 60": "hourglass of 1 min",
}


def rule_of(text: str) -> clock_pb2.ClockRule:
    return to_message(clock(text), clock_pb2.ClockRule)


@pytest.mark.parametrize("text", CLOCKS)
def test_a_clock_is_described(text: str) -> None:
    assert time_control_text(clock_pb2.TimeControl(rule=rule_of(text))) == CLOCKS[text]


def test_days_odds_and_no_clock_have_words_too() -> None:
    days = clock_pb2.ClockRule(correspondence=clock_pb2.Correspondence(move_ms=86_400_000, max_ms=14 * 86_400_000))
    assert time_control_text(clock_pb2.TimeControl(rule=days)) == "1 d per move, up to 14 d"
    odds = clock_pb2.TimeControl(rule=rule_of("60"), odds=[clock_pb2.SeatOdds(seat=1, rule=rule_of("30"))])
    assert time_control_text(odds) == "1 min for all moves, with odds"
    assert time_control_text(clock_pb2.TimeControl()) == "untimed"


def test_every_clock_of_the_contract_has_words() -> None:
    kinds = clock_pb2.ClockRule.DESCRIPTOR.oneofs_by_name["kind"].fields
    for kind in kinds:
        rule = clock_pb2.ClockRule()
        getattr(rule, kind.name).SetInParent()
        text = time_control_text(clock_pb2.TimeControl(rule=rule))
        assert kind.name == "untimed" or text != kind.name.replace("_", " "), kind.name


FORMATS: list[tuple[dict[str, object], str]] = [
    ({"round_robin": tournament_pb2.RoundRobin(cycles=1)}, "round robin"),
    ({"round_robin": tournament_pb2.RoundRobin(cycles=2)}, "round robin, 2 cycles"),
    ({"swiss": tournament_pb2.Swiss(rounds=7)}, "Swiss system, 7 rounds"),
    ({"swiss": tournament_pb2.Swiss()}, "Swiss system"),
    ({"elimination": tournament_pb2.Elimination()}, "single elimination"),
    ({"elimination": tournament_pb2.Elimination(double_elimination=True)}, "double elimination"),
    ({"gauntlet": tournament_pb2.Gauntlet(challengers=["anna", "bert"])}, "gauntlet of anna, bert"),
    ({"pools": tournament_pb2.Pools()}, "pools"),
    ({"sprt": sprt_pb2.Sprt(elo1=10)}, "sequential test (SPRT) of 0 to 10 Elo"),
    ({"swiss": tournament_pb2.Swiss(rounds=3), "boards": 4}, "Swiss system, 3 rounds, teams of 4"),
]


@pytest.mark.parametrize(("terms", "words"), FORMATS)
def test_a_format_is_described(terms: dict[str, object], words: str) -> None:
    assert format_text(tournament_pb2.TournamentTerms(**terms)) == words  # type: ignore[arg-type]


def test_every_format_of_the_contract_is_covered_here() -> None:
    known = {field.name for field in tournament_pb2.TournamentTerms.DESCRIPTOR.oneofs_by_name["format"].fields}
    assert known <= {name for terms, _ in FORMATS for name in terms}


NUMBERS = {
    "the time left is rounded down": [
        (clock_text(3_723_999_999), "1:02:03"),
        (clock_text(123_999_999), "2:03"),
        (clock_text(10_000_000), "0:10"),
        (clock_text(9_999_999), "9.9"),
        (clock_text(-5), "0.0"),
        (clock_text(2_000_000, moves=2), "2.0 for 2 moves"),
        (clock_text(0, periods=1), "0.0 and 1 period"),
    ],
    "points have fractions": [
        (points_text(points), text)
        for points, text in ((0, "0"), (0.5, "½"), (2.5, "2½"), (3, "3"), (1 / 3, "0.33"), (100.0, "100"))
    ],
    "nonzero differences have a sign": [
        (signed(value), text) for value, text in ((12.4, "+12"), (-12.6, "−13"), (0.4, "0"), (-0.4, "0"))
    ],
    "times have a suitable unit": [
        (time_text(0), "0 ms"),
        (time_text(1_234), "1.2 ms"),
        (time_text(56_789), "57 ms"),
        (time_text(2_530_000), "2.53 s"),
        (time_text(90_000_000), "1.5 min"),
        (time_text(5e8), "8.33 min"),
    ],
    "ends are words": [
        (end_text(End("played", "no_men")), "no men"),
        (end_text(End("forfeited", "time")), "lost on time"),
    ],
    "nouns are singular for one": [
        (counted(1, "match", "matches"), "1 match"),
        (counted(2, "match", "matches"), "2 matches"),
        (counted(2, "move"), "2 moves"),
    ],
}


@pytest.mark.parametrize("written", NUMBERS.values(), ids=NUMBERS)
def test_what_is_formatted_reads_well(written: list[tuple[str, str]]) -> None:
    assert [text for text, _ in written] == [expected for _, expected in written]
