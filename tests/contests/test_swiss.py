"""The Dutch system. The cases in `dutch/` were paired by bbpPairings, whose answers FIDE accepts."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.contests.pairing import MatchScore
from referee.contests.pairing_progress import PairingProgress
from referee.contests.systems.dutch import Unpairable
from referee.contests.systems.swiss import pair_swiss_round
from referee.contests.tables.round_result import ResultKind, RoundResult, RoundResults, total_points
from referee.contests.tournament.trf import TrfReport
from referee.contests.tournament.trf_reader import read_trf
from tests.contests.swiss_rounds import random_rounds, table

DUTCH = Path(__file__).parent / "dutch"


def read_report(name: str) -> TrfReport:
    return read_trf((DUTCH / f"{name}.trf").read_text())


def played(results: RoundResults, number: int) -> set[tuple[str, ...]]:
    """Return the pairings of a finished round, in the order of seats."""
    found: set[tuple[str, ...]] = set()
    for name, encounters in results.items():
        encounter = encounters[number - 1]
        if encounter.kind is ResultKind.BYE:
            found.add((name,))
        elif encounter.seat == 0:
            found.add((name, encounter.opponents[0]))
    return found


def unplayed(results: RoundResults, number: int) -> set[frozenset[str]]:
    """Return the pairs of a round that did not play. Their colours are not in the file."""
    return {
        frozenset((name, *encounters[number - 1].opponents))
        for name, encounters in results.items()
        if encounters[number - 1].kind in {ResultKind.UNOPPOSED, ResultKind.ABSENT}
    }


@pytest.mark.parametrize("name", ["ten", "eleven", "twenty", pytest.param("forty", marks=pytest.mark.slow)])
def test_every_round_is_paired_as_by_an_external_checker(name: str) -> None:
    report = read_report(name)
    for number in range(1, report.rounds + 1):
        before = {entrant: encounters[: number - 1] for entrant, encounters in report.table.items()}
        present = [
            entrant for entrant, them in report.table.items() if them[number - 1].kind not in {ResultKind.MISSED}
        ]
        first = report.table["P1"][0].seat == 0
        found = {pair.entrants for pair in pair_swiss_round(before, present, report.rounds, first_has_first_move=first)}
        pairs = {seats for seats in found if frozenset(seats) not in unplayed(report.table, number)}
        assert pairs == played(report.table, number)
        assert {frozenset(seats) for seats in found - pairs} == unplayed(report.table, number)


@pytest.mark.slow
def test_a_late_round_of_a_long_tournament_is_paired_as_by_an_external_checker() -> None:
    report = read_report("sixty")
    found = [
        tuple(int(name[1:]) for name in row.entrants) for row in pair_swiss_round(report.table, list(report.table), 15)
    ]
    assert found == [
        (1, 15), (3, 2), (11, 17), (7, 10), (8, 14), (4, 6), (5, 12), (9, 16), (13, 25), (24, 22),
        (18, 29), (20, 23), (19, 33), (21, 38), (39, 26), (28, 36), (31, 40), (37, 35), (44, 46), (30, 32),
        (27, 48), (47, 42), (51, 55), (34, 50), (49, 45), (53, 58), (41, 59), (56, 43), (60, 52), (54, 57),
    ]  # fmt: skip


def test_the_bye_follows_the_rules_of_2026() -> None:
    """bbpPairings' case for criterion C.5: by the older rules, 5 would have received it."""
    before = table("123456", ["1-4 1", "5-2 0", "3-6 1"], ["2-1 0", "4-3 0", "6-5 0"])
    assert [pairing.entrants for pairing in pair_swiss_round(before, "12356", 3)] == [("1", "5"), ("3", "2"), ("6",)]


def test_the_bye_goes_to_the_entrant_that_has_played_most() -> None:
    """bbpPairings' case for criterion C.9."""
    before = table("12345", ["1-3 1", "4-2 0"])
    assert [pairing.entrants for pairing in pair_swiss_round(before, "12345", 3)] == [("2", "1"), ("3", "5"), ("4",)]


def test_a_round_that_needs_a_rematch_is_an_error() -> None:
    before = table("1234", ["1-2 1", "3-4 1"], ["3-1 1", "4-2 1"], ["1-4 1", "2-3 1"])
    with pytest.raises(Unpairable):
        pair_swiss_round(before, "1234", 4)


def test_the_higher_score_gets_its_colour_preference() -> None:
    """C.04.3, E.4: 1 and 2 both had the second seat; 2 has the points."""
    before = table("1234", ["3-1 1", "4-2 0.5"])
    seats = {pairing.entrants for pairing in pair_swiss_round(before, "12", 3)}
    assert seats == {("2", "1")}


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.integers(6, 17), st.integers(1, 6), st.binary(min_size=1, max_size=4))
def test_there_are_no_rematches_and_no_second_byes_and_colours_are_balanced(
    many: int, rounds: int, seed: bytes
) -> None:
    """C.04.3, C.1 to C.3: no difference above two, and no colour three times in succession, but in the last round."""
    paired = [[pairing.entrants for pairing in pairings] for _, pairings in random_rounds(many, rounds, seed)]
    met = [frozenset(entrants) for pairings in paired for entrants in pairings]
    assert len(set(met)) == len(met)
    names = sorted(f"P{number}" for number in range(1, many + 1))
    assert all(sorted(name for entrants in pairings for name in entrants) == names for pairings in paired)
    sat: dict[str, list[int]] = {name: [] for name in names}
    for entrants in (entrants for pairings in paired[: rounds - 1] for entrants in pairings if len(entrants) > 1):
        for seat, name in enumerate(entrants):
            sat[name].append(seat)
            assert abs(len(sat[name]) - 2 * sum(sat[name])) <= 2
            assert len(sat[name]) < 3 or len(set(sat[name][-3:])) == 2


def test_opponents_have_similar_scores() -> None:
    """With sixteen entrants and the better seed winning, score groups are even, so all pairings are within a group."""
    rows: dict[str, list[RoundResult]] = {f"P{number:02}": [] for number in range(1, 17)}
    for _ in range(4):
        for pairing in pair_swiss_round(rows, list(rows), 4):
            first, other = pairing.entrants
            assert total_points(rows[first]) == total_points(rows[other])
            progress = PairingProgress(pairing).with_score(1, MatchScore((1, 2) if first < other else (2, 1)))
            for name in pairing.entrants:
                rows[name] = [*rows[name], progress.round_result(name)]
    assert total_points(rows["P01"]) == 4


def test_an_entrant_without_former_seats_has_no_colour_preference() -> None:
    """C.04.3, E: 5 enters late, so 1 gets its preference."""
    before = table("12345", ["1-3 1", "2-4 1"])
    seats = {pairing.entrants for pairing in pair_swiss_round(before, "15", 3)}
    assert seats == {("5", "1")}


def test_of_two_floaters_the_one_without_a_colour_clash_is_paired() -> None:
    """6 and 7 float, and one of them must float on to 4. 6 and 5 both prefer the first move, 7 does not."""
    before = table(
        "12345678",
        ["1-5 1", "6-2 1", "3-7 0", "8-4 1"],
        ["7-1 0", "2-4 1", "5-3 0", "8-6 0"],
        ["1-6 1", "7-2 1", "3-8 1", "4-5 0"],
    )
    found = frozenset(frozenset(pairing.entrants) for pairing in pair_swiss_round(before, "12345678", 4))
    assert found == {frozenset(pair) for pair in ("13", "75", "64", "28")}
