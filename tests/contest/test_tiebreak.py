"""Tie-breaks against published tables.

* FIDE's "Exercises in Tie-Breaking" (M. Held, for the C.07 of 2023): a Swiss of sixteen with byes, forfeits and
  withdrawals, and a round robin of six with a forfeit. Where the edition of 2026 changed the rules on rounds not
  played, the numbers are those of FIDE's tie-break server for it.
* A Swiss of fifteen with many rounds not played, and what FIDE's tie-break server makes of it by the edition of 2026.
* The Candidates Tournament of Moscow 2016, a double round robin.
"""

from pathlib import Path

import pytest

from referee.contest.encounters import one_match
from referee.contest.standings import standings
from referee.contest.tiebreak import Field, TieBreak, part, value
from referee.contest.trf import read_trf

PUBLISHED = Path(__file__).parent / "published"


def field(name: str, *, predetermined: bool = False) -> Field:
    return Field(read_trf((PUBLISHED / f"{name}.trf").read_text()).table, predetermined)


def column(tie_break: TieBreak, told: Field) -> list[float]:
    return [value(tie_break, told, name, list(told.table)) for name in told.table]


HELD_SWISS = {
    TieBreak.BUCHHOLZ: [12.5, 13, 15.5, 14, 8.5, 11.5, 14.5, 13.5, 9, 13, 12.5, 11.5, 14, 11, 12, 12.5],
    TieBreak.SONNEBORN_BERGER: [8, 9.5, 10.5, 9.25, 4.25, 6, 3.25, 5.25, 2.25, 1.5, 4.75, 4, 4.25, 4.5, 3.5, 7.25],
    TieBreak.WINS: [2, 3, 2, 2, 2, 2, 1, 2, 0, 1, 1, 0, 1, 2, 2, 3],
    TieBreak.PROGRESSIVE: [11, 13, 11, 11.5, 5, 6, 6, 8.5, 2.5, 4, 5.5, 7, 7, 6, 7, 10.5],
}

FIFTEEN = {
    TieBreak.BUCHHOLZ: [26, 27.5, 25.5, 16, 25.5, 23.5, 25, 17.5, 27, 20.5, 22.5, 24.5, 20.5, 21, 21.5],
    TieBreak.MEDIAN_BUCHHOLZ: [19, 18.5, 17.5, 12, 19.5, 16.5, 17.5, 11.5, 18.5, 13.5, 15, 17.5, 14, 13, 15.5],
    TieBreak.SONNEBORN_BERGER: [14, 14, 14.25, 6, 17.5, 7, 9.25, 4.75, 16.75, 9.25, 13.5, 14, 3.25, 8.25, 5.25],
    TieBreak.WINS: [1, 4, 1, 0, 2, 0, 1, 1, 2, 3, 3, 1, 0, 2, 1],
    TieBreak.PROGRESSIVE: [18, 16, 19.5, 7, 20, 11, 12.5, 7, 19, 11.5, 14, 18.5, 5.5, 12.5, 8],
}


@pytest.mark.parametrize("tie_break", HELD_SWISS)
def test_fides_exercises_come_out_to_the_digit(tie_break: TieBreak) -> None:
    assert column(tie_break, field("held_swiss")) == HELD_SWISS[tie_break]


@pytest.mark.parametrize("tie_break", FIFTEEN)
def test_rounds_not_played_count_as_fides_own_server_counts_them(tie_break: TieBreak) -> None:
    assert column(tie_break, field("fifteen")) == FIFTEEN[tie_break]


def test_in_a_round_robin_a_forfeit_counts_as_played() -> None:
    told = field("held_round_robin", predetermined=True)
    assert column(TieBreak.SONNEBORN_BERGER, told) == [9.25, 6.25, 6.25, 4.25, 3.25, 2.25]


def test_direct_encounter_parts_a_round_robin_as_fides_exercise_does() -> None:
    told = field("held_round_robin", predetermined=True)
    ranks = {row.entrant: row.rank for row in standings(told, [TieBreak.DIRECT_ENCOUNTER])}
    assert ranks == {"Alyx": 1, "Bruno": 2, "Charline": 2, "Helene": 4, "Franck": 5, "David": 6}


def test_direct_encounter_parts_a_swiss_only_as_far_as_games_not_played_allow() -> None:
    told = field("held_swiss_nine")
    ranks = {row.entrant: row.rank for row in standings(told, [TieBreak.DIRECT_ENCOUNTER])}
    assert [ranks[name] for name in told.table] == [3, 5, 1, 3, 9, 2, 6, 6, 14, 9, 13, 14, 16, 9, 9, 6]


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


def candidates(last: str = "½1") -> Field:
    """`last`: Karjakin against Caruana, who met in the last round."""
    rows = [line.split() for line in CANDIDATES.strip().replace("½1 10", f"{last} 10").splitlines()]
    names = [row[0] for row in rows]
    theirs = last.translate(str.maketrans("10", "01"))
    rows[1][1] = theirs
    return Field(
        {
            name: [
                one_match(POINTS[sign], other)
                for other, cell in zip(names, cells, strict=True)
                if other != name
                for sign in cell
            ]
            for name, *cells in rows
        },
        predetermined=True,
    )


def test_the_candidates_of_2016_come_out_as_published() -> None:
    rows = standings(candidates(), [TieBreak.DIRECT_ENCOUNTER, TieBreak.WINS, TieBreak.SONNEBORN_BERGER])
    assert [(row.entrant, row.points) for row in rows[:3]] == [("Karjakin", 8.5), ("Caruana", 7.5), ("Anand", 7.5)]
    assert {row.entrant for row in rows if row.points == 7} == {"Giri", "Svidler", "Aronian", "Nakamura"}
    assert (rows[-1].entrant, rows[-1].points) == ("Topalov", 4.5)


def test_had_the_last_game_been_drawn_the_better_of_three_would_have_been_caruana() -> None:
    """As was published before the last round, for the case that Anand won his."""
    told = candidates("½½")
    assert part(TieBreak.DIRECT_ENCOUNTER, told, ["Karjakin", "Caruana", "Anand"])[0] == ["Caruana"]


def test_who_would_be_alone_on_top_whatever_games_not_played_had_brought_is() -> None:
    """C.07, 6.3: b and c have not met, and stay level behind a."""
    told = Field(
        {
            "a": [one_match(1, "b"), one_match(1, "c")],
            "b": [one_match(0, "a"), one_match(1, "d")],
            "c": [one_match(1, "d"), one_match(0, "a")],
            "d": [one_match(0, "c"), one_match(0, "b")],
        }
    )
    assert part(TieBreak.DIRECT_ENCOUNTER, told, ["b", "a", "c"]) == [["a"], ["b", "c"]]
