"""The Dutch system. The cases in `dutch/` were paired by bbpPairings, whose answers FIDE accepts."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.contest.encounters import Encounter, How, Table, score
from referee.contest.pairing import Course, Pairing, Score
from referee.contest.swiss import Unpairable, swiss_round
from referee.contest.trf import Report, read_trf
from tests.contest.swisses import rounds_by_lot, table

DUTCH = Path(__file__).parent / "dutch"


def report(name: str) -> Report:
    return read_trf((DUTCH / f"{name}.trf").read_text())


def played(told: Table, number: int) -> set[tuple[str, ...]]:
    """What a finished round's pairings were, in the order of seats."""
    found: set[tuple[str, ...]] = set()
    for name, encounters in told.items():
        encounter = encounters[number - 1]
        if encounter.how is How.BYE:
            found.add((name,))
        elif encounter.seat == 0:
            found.add((name, encounter.opponents[0]))
    return found


def unplayed(told: Table, number: int) -> set[frozenset[str]]:
    """Pairs of a round who then did not play: their colours are not in the file."""
    return {
        frozenset((name, *encounters[number - 1].opponents))
        for name, encounters in told.items()
        if encounters[number - 1].how in {How.UNOPPOSED, How.ABSENT}
    }


@pytest.mark.parametrize("name", ["ten", "eleven", "twenty", pytest.param("forty", marks=pytest.mark.slow)])
def test_every_round_comes_out_as_an_outside_checker_paired_it(name: str) -> None:
    told = report(name)
    for number in range(1, told.rounds + 1):
        before = {entrant: encounters[: number - 1] for entrant, encounters in told.table.items()}
        there = [entrant for entrant, them in told.table.items() if them[number - 1].how not in {How.MISSED}]
        first = told.table["P1"][0].seat == 0
        found = {it.entrants for it in swiss_round(before, there, told.rounds, first_has_first_move=first)}
        pairs = {seats for seats in found if frozenset(seats) not in unplayed(told.table, number)}
        assert pairs == played(told.table, number)
        assert {frozenset(seats) for seats in found - pairs} == unplayed(told.table, number)


@pytest.mark.slow
def test_a_late_round_of_a_long_tournament_comes_out_as_an_outside_checker_paired_it() -> None:
    told = report("sixty")
    found = [tuple(int(name[1:]) for name in it.entrants) for it in swiss_round(told.table, list(told.table), 15)]
    assert found == [
        (1, 15), (3, 2), (11, 17), (7, 10), (8, 14), (4, 6), (5, 12), (9, 16), (13, 25), (24, 22),
        (18, 29), (20, 23), (19, 33), (21, 38), (39, 26), (28, 36), (31, 40), (37, 35), (44, 46), (30, 32),
        (27, 48), (47, 42), (51, 55), (34, 50), (49, 45), (53, 58), (41, 59), (56, 43), (60, 52), (54, 57),
    ]  # fmt: skip


def test_the_bye_goes_where_it_has_gone_for_the_rules_of_2026() -> None:
    """bbpPairings' case for criterion C.5: after the older rules, 5 would have had it."""
    before = table("123456", ["1-4 1", "5-2 0", "3-6 1"], ["2-1 0", "4-3 0", "6-5 0"])
    assert [it.entrants for it in swiss_round(before, "12356", 3)] == [("1", "5"), ("3", "2"), ("6",)]


def test_the_bye_goes_to_who_has_played_most() -> None:
    """bbpPairings' case for criterion C.9."""
    before = table("12345", ["1-3 1", "4-2 0"])
    assert [it.entrants for it in swiss_round(before, "12345", 3)] == [("2", "1"), ("3", "5"), ("4",)]


def test_a_round_in_which_somebody_would_have_to_meet_somebody_again_is_refused() -> None:
    before = table("1234", ["1-2 1", "3-4 1"], ["3-1 1", "4-2 1"], ["1-4 1", "2-3 1"])
    with pytest.raises(Unpairable):
        swiss_round(before, "1234", 4)


def test_who_has_more_points_has_the_colour_it_wishes_for() -> None:
    """C.04.3, E.4: 1 and 2 both had the second seat; 2 has the points."""
    before = table("1234", ["3-1 1", "4-2 0.5"])
    seats = {it.entrants for it in swiss_round(before, "12", 3)}
    assert seats == {("2", "1")}


def simulated(many: int, rounds: int, seed: bytes) -> list[list[Pairing]]:
    """A whole tournament with results by lot."""
    return [pairings for _, pairings in rounds_by_lot(many, rounds, seed)]


TOURNAMENTS = st.tuples(st.integers(6, 17), st.integers(1, 6), st.binary(min_size=1, max_size=4))


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(TOURNAMENTS)
def test_nobody_meets_anybody_twice_and_nobody_has_two_byes(case: tuple[int, int, bytes]) -> None:
    rounds = simulated(*case)
    met = [frozenset(it.entrants) for pairings in rounds for it in pairings]
    assert len(set(met)) == len(met)
    assert all(
        sorted(name for it in one for name in it.entrants) == sorted(f"P{n + 1}" for n in range(case[0]))
        for one in rounds
    )


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(TOURNAMENTS)
def test_colours_are_balanced_but_for_the_last_round_of_those_on_top(case: tuple[int, int, bytes]) -> None:
    """C.04.3, C.3: never two more of one colour, never the same three times running, but between topscorers."""
    many, rounds, seed = case
    done = simulated(many, rounds, seed)
    sat: dict[str, list[int]] = {f"P{number}": [] for number in range(1, many + 1)}
    for pairings in done[: rounds - 1]:
        for pairing in pairings:
            for seat, name in enumerate(pairing.entrants if not pairing.bye else ()):
                sat[name].append(seat)
                assert abs(len(sat[name]) - 2 * sum(sat[name])) <= 2
                assert len(sat[name]) < 3 or len(set(sat[name][-3:])) == 2


def test_equals_meet_equals() -> None:
    """Sixteen, the better seed always wins: every score group is even, so nobody meets outside it."""
    rows: dict[str, list[Encounter]] = {f"P{number:02}": [] for number in range(1, 17)}
    for _ in range(4):
        for pairing in swiss_round(rows, list(rows), 4):
            one, other = pairing.entrants
            assert score(rows[one]) == score(rows[other])
            course = Course(pairing).scored(1, Score((1, 2) if one < other else (2, 1)))
            for name in pairing.entrants:
                rows[name] = [*rows[name], course.encounter(name)]
    assert score(rows["P01"]) == 4


def test_who_has_not_played_yet_wishes_for_no_colour() -> None:
    """C.04.3, E: 5 comes late, and 1 has its wish."""
    before = table("12345", ["1-3 1", "2-4 1"])
    seats = {it.entrants for it in swiss_round(before, "15", 3)}
    assert seats == {("5", "1")}
