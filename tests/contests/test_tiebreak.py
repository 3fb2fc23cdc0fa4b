"""Tie-breaks against published tables.

* FIDE's "Exercises in Tie-Breaking" (M. Held, for the C.07 of 2023): a Swiss of sixteen with byes, forfeits and
  withdrawals, and a round robin of six with a forfeit. Where the edition of 2026 changed the rules on rounds not
  played, the numbers are those of FIDE's tie-break server for it.
* A Swiss of fifteen with many rounds not played, and the result of FIDE's tie-break server by the edition of 2026.
* The Candidates Tournament of Moscow 2016, a double round robin.
* The championship of the Hamilton Chess Club (New Zealand) of 2018, a Swiss of twenty-seven: the club published the
  whole table, and the tie-breaks of the two leaders, who differed only in the third one.
"""

from pathlib import Path

import pytest
from referee_values import RoundRobin, TieBreak

from referee.contests.tables.round_result import MISSED, ResultKind, RoundResult, total_points
from referee.contests.tables.standings import ResultTable, compute_standings, split_tied, tie_break_value
from referee.contests.tournament.trf_reader import played_result, read_trf
from tests.contests.tournament_harness import started

PUBLISHED = Path(__file__).parent / "published"


def field(name: str, *, predetermined: bool = False) -> ResultTable:
    return ResultTable(read_trf((PUBLISHED / f"{name}.trf").read_text()).table, predetermined)


def column(tie_break: TieBreak, table: ResultTable) -> list[float]:
    return [tie_break_value(tie_break, table, name, list(table.results)) for name in table.results]


HELD_SWISS = {
    "buchholz": [12.5, 13, 15.5, 14, 8.5, 11.5, 14.5, 13.5, 9, 13, 12.5, 11.5, 14, 11, 12, 12.5],
    "sonneborn_berger": [8, 9.5, 10.5, 9.25, 4.25, 6, 3.25, 5.25, 2.25, 1.5, 4.75, 4, 4.25, 4.5, 3.5, 7.25],
    "wins": [2, 3, 2, 2, 2, 2, 1, 2, 0, 1, 1, 0, 1, 2, 2, 3],
    "progressive": [11, 13, 11, 11.5, 5, 6, 6, 8.5, 2.5, 4, 5.5, 7, 7, 6, 7, 10.5],
}

FIFTEEN = {
    "buchholz": [26, 27.5, 25.5, 16, 25.5, 23.5, 25, 17.5, 27, 20.5, 22.5, 24.5, 20.5, 21, 21.5],
    "median_buchholz": [19, 18.5, 17.5, 12, 19.5, 16.5, 17.5, 11.5, 18.5, 13.5, 15, 17.5, 14, 13, 15.5],
    "sonneborn_berger": [14, 14, 14.25, 6, 17.5, 7, 9.25, 4.75, 16.75, 9.25, 13.5, 14, 3.25, 8.25, 5.25],
    "wins": [1, 4, 1, 0, 2, 0, 1, 1, 2, 3, 3, 1, 0, 2, 1],
    "progressive": [18, 16, 19.5, 7, 20, 11, 12.5, 7, 19, 11.5, 14, 18.5, 5.5, 12.5, 8],
}


@pytest.mark.parametrize("tie_break", HELD_SWISS)
def test_fides_exercises_are_reproduced_exactly(tie_break: TieBreak) -> None:
    assert column(tie_break, field("held_swiss")) == HELD_SWISS[tie_break]


@pytest.mark.parametrize("tie_break", FIFTEEN)
def test_rounds_not_played_count_as_fides_own_server_counts_them(tie_break: TieBreak) -> None:
    assert column(tie_break, field("fifteen")) == FIFTEEN[tie_break]


def test_in_a_round_robin_a_forfeit_counts_as_played() -> None:
    results = field("held_round_robin", predetermined=True)
    assert column("sonneborn_berger", results) == [9.25, 6.25, 6.25, 4.25, 3.25, 2.25]


def test_direct_encounter_splits_a_round_robin_as_in_fides_exercise() -> None:
    results = field("held_round_robin", predetermined=True)
    ranks = {row.entrant: row.rank for row in compute_standings(results, ["direct_encounter"])}
    assert ranks == {"Alyx": 1, "Bruno": 2, "Charline": 2, "Helene": 4, "Franck": 5, "David": 6}


def test_direct_encounter_splits_a_swiss_only_as_far_as_unplayed_games_allow() -> None:
    results = field("held_swiss_nine")
    ranks = {row.entrant: row.rank for row in compute_standings(results, ["direct_encounter"])}
    assert [ranks[name] for name in results.results] == [3, 5, 1, 3, 9, 2, 6, 6, 14, 9, 13, 14, 16, 9, 9, 6]


CANDIDATES = """
Karjakin  ** ½1 10 ½½ ½½ ½½ 1½ ½1
Caruana   ½0 ** ½1 ½½ ½½ ½½ ½1 ½½
Anand     01 ½0 ** ½½ 1½ ½1 ½0 1½
Giri      ½½ ½½ ½½ ** ½½ ½½ ½½ ½½
Svidler   ½½ ½½ 0½ ½½ ** ½1 ½½ ½½
Aronian   ½½ ½½ ½0 ½½ ½0 ** 1½ 1½
Nakamura  0½ ½0 ½1 ½½ ½½ 0½ ** 11
Topalov   ½0 ½½ 0½ ½½ ½½ 0½ 00 **
"""
POINTS = {"1": 1.0, "½": 0.5, "0": 0.0}


def candidates(last: str = "½1") -> ResultTable:
    """Return the table, given the result of Karjakin against Caruana in the last round."""
    rows = [line.split() for line in CANDIDATES.strip().replace("½1 10", f"{last} 10").splitlines()]
    names = [row[0] for row in rows]
    theirs = last.translate(str.maketrans("10", "01"))
    rows[1][1] = theirs
    return ResultTable(
        {
            name: [
                played_result(POINTS[sign], other)
                for other, cell in zip(names, cells, strict=True)
                if other != name
                for sign in cell
            ]
            for name, *cells in rows
        },
        predetermined=True,
    )


def test_with_a_draw_in_the_last_game_caruana_leads_the_three_way_tie() -> None:
    """As published before the last round, for the case that Anand won his game."""
    results = candidates("½½")
    assert split_tied("direct_encounter", results, ["Karjakin", "Caruana", "Anand"])[0] == ["Caruana"]


HAMILTON = """
1  5.5 +W10 +B17 +W12 =W2  +B4  +B3
2  5.5 +B27 +W16 +W9  =B1  +W8  +B10
3  4.0 =BYE +W11 +B6  =W4  +B5  -W1
4  4.0 +W22 +B15 =W8  =B3  -W1  +B13
5  4.0 -W16 +B14 +W22 +B15 -W3  +B8
6  4.0 -W21 +B27 -W3  +B23 +W16 +B14
7  4.0 -W9  -B23 +W27 +B19 +W15 +B12
8  3.5 +B25 +W21 =B4  +W13 -B2  -W5
9  3.5 +B7  +W13 -B2  =BYE .    +W18
10 3.5 -B1  +W25 +W26 =B12 +B17 -W2
11 3.5 =BYE -B3  -W14 +B25 +W20 +W17
12 3.0 +B20 +W18 -B1  =W10 =B14 -W7
13 3.0 +W23 -B9  +W19 -B8  +W21 -W4
14 3.0 =BYE -W5  +B11 +B22 =W12 -W6
15 3.0 +B26 -W4  +B21 -W5  -B7  +W24
16 3.0 +B5  -B2  -W17 +W24 -B6  +B22
17 2.5 +B24 -W1  +B16 =BYE -W10 -B11
18 2.5 +W19 -B12 +W23 =BYE .    -B9
19 2.5 -B18 +W20 -B13 -W7  =B25 +W21
20 2.5 -W12 -B19 =W25 +B27 -B11 +W26
21 2.0 +B6  -B8  -W15 +W26 -B13 -B19
22 2.0 -B4  +W24 -B5  -W14 +B26 -W16
23 2.0 -B13 +W7  -B18 -W6  -B24 +W27
24 2.0 -W17 -B22 +BYE -B16 +W23 -B15
25 2.0 -W8  -B10 =B20 -W11 =W19 +BYE
26 1.0 -W15 +BYE -B10 -B21 -W22 -B20
27 1.0 -W2  -W6  -B7  -W20 +BYE -B23
"""
"""Place, points, and each round: result, colour and opponent. The page does not show which of the last two rounds was
the one that 9 and 18 both missed; the published numbers follow from this one.
"""
SIGNS = {"+": 1.0, "=": 0.5, "-": 0.0}


def cell(text: str) -> RoundResult:
    if text == ".":
        return MISSED
    points = SIGNS[text[0]]
    if text.endswith("BYE"):
        return RoundResult(ResultKind.BYE if points == 1 else ResultKind.MISSED, points)
    return played_result(points, text[2:], "WB".index(text[1]))


def hamilton() -> dict[str, list[RoundResult]]:
    rows = [line.split() for line in HAMILTON.strip().splitlines()]
    results = {name: list(map(cell, cells)) for name, _, *cells in rows}
    assert [total_points(results[name]) for name in results] == [float(points) for _, points, *_ in rows]
    return results


PUBLISHED_OF_BOTH = {
    "direct_encounter": (0.5, 0.5),
    "progressive": (19.5, 19.5),
    "buchholz": (22.5, 20.0),
    "sonneborn_berger": (19.75, 17.25),
}


@pytest.mark.parametrize("tie_break", PUBLISHED_OF_BOTH)
def test_a_club_championship_is_reproduced(tie_break: TieBreak) -> None:
    results = ResultTable(hamilton())
    assert tuple(tie_break_value(tie_break, results, name, ["1", "2"]) for name in "12") == PUBLISHED_OF_BOTH[tie_break]


def test_buchholz_cut_1_leaves_out_the_lowest_opponent() -> None:
    """Computed by hand: the lowest opponent of 1 is 27, with one point, and that of 2 is 17, with two and a half."""
    results = ResultTable(hamilton())
    assert [tie_break_value("buchholz_cut_1", results, name, ["1", "2"]) for name in "12"] == [20.0, 19.0]


def test_buchholz_cut_1_leaves_out_a_round_that_was_missed_by_choice_first() -> None:
    """Player 9 missed a round, which counts as a game against a dummy with 3.5 points. It is cut before 18 with 2.5."""
    results = ResultTable(hamilton())
    dummy = next(opponent.score for opponent in results.opponents_of("9") if opponent.voluntary)
    whole = tie_break_value("buchholz", results, "9", [])
    assert dummy > min(opponent.score for opponent in results.opponents_of("9"))
    assert tie_break_value("buchholz_cut_1", results, "9", []) == whole - dummy


def test_koya_counts_points_against_the_upper_half() -> None:
    """By hand: all but Topalov have at least 7 of 14, so everybody's points against him do not count."""
    assert column("koya", candidates()) == [7, 6.5, 6, 6, 6, 5.5, 5, 4.5]
    assert column("koya", field("held_round_robin", predetermined=True)) == [2, 0.5, 0.5, 1, 0.5, 0]


def test_a_bye_does_not_count_among_the_points_that_koya_halves() -> None:
    play = started(RoundRobin(), "abc", tie_breaks=("koya",)).play_out()
    assert [(row.entrant, row.tie_breaks) for row in play.tournament.standings()] == [
        ("a", (1.0,)),  # b has one of two, which is half, and c has nothing.
        ("b", (0.0,)),
        ("c", (0.0,)),
    ]


def test_the_third_tie_break_separates_the_two_leaders() -> None:
    three: list[TieBreak] = ["direct_encounter", "progressive", "buchholz"]
    for so_many, ranks in ((2, [1, 1]), (3, [1, 2])):
        rows = {row.entrant: row.rank for row in compute_standings(ResultTable(hamilton()), three[:so_many])}
        assert [rows["1"], rows["2"]] == ranks


def test_an_entrant_that_certainly_leads_alone_is_ranked_first() -> None:
    """C.07, 6.3: b and c have not met, and stay tied behind a."""
    results = ResultTable(
        {
            "a": [played_result(1, "b"), played_result(1, "c")],
            "b": [played_result(0, "a"), played_result(1, "d")],
            "c": [played_result(1, "d"), played_result(0, "a")],
            "d": [played_result(0, "c"), played_result(0, "b")],
        }
    )
    assert split_tied("direct_encounter", results, ["b", "a", "c"]) == [["a"], ["b", "c"]]
