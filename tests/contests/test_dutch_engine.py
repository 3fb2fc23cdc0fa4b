"""The Dutch engine finds the same pairs as before (`dutch/rounds.txt`), and is fast enough for large fields.

The rounds contain absences, walkovers, byes, forbidden pairs and acceleration. Other weights of the same criteria gave
the same pairs, so a different pair is a changed rule.
"""

import time
from itertools import groupby
from pathlib import Path
from random import Random

import pytest

from referee.contests.pairing import MatchScore, Pairing
from referee.contests.pairing_progress import PairingProgress
from referee.contests.systems.criteria import Criteria, DutchPlayer, RoundRules
from referee.contests.systems.dutch import Unpairable, pair_players
from referee.contests.systems.swiss import NO_ACCELERATION, Acceleration, pair_swiss_round, upper_half
from referee.contests.tables.round_result import MISSED, RoundResult, RoundResults
from referee.contests.tournament.trf_reader import played_result
from tests.contests.swiss_rounds import random_rounds

Seats = tuple[str, ...]
ROUNDS = (Path(__file__).parent / "dutch" / "rounds.txt").read_text().splitlines()
TOURNAMENTS = [list(lines) for is_tournament, lines in groupby(ROUNDS, bool) if is_tournament]
SCORES = {"1": (1, 2), "=": (1, 1), "0": (2, 1)}


def result_of(pairing: Pairing, result: str) -> PairingProgress:
    """Return a pairing with the result 1, = or 0 of its first entrant, or - if that one has left, or none for a bye."""
    progress = PairingProgress(pairing)
    if result == "-":
        return progress.with_departure(pairing.entrants[0])
    return progress.with_score(1, MatchScore(SCORES[result])) if result else progress


@pytest.mark.parametrize("lines", TOURNAMENTS, ids=[lines[0] for lines in TOURNAMENTS])
def test_every_round_is_paired_as_before(lines: list[str]) -> None:
    """The first line: entrants, rounds, the first colour, acceleration, forbidden pairs. Then a line for each round."""
    count, rounds, first, speed, forbidden = lines[0].split()
    rows: dict[str, list[RoundResult]] = {str(number + 1): [] for number in range(int(count))}
    upper = frozenset([*rows][: upper_half(len(rows))])
    for number, line in enumerate(lines[1:], start=1):
        boards = [
            (tuple(seats.split("-")), result) for seats, _, result in (board.partition(":") for board in line.split())
        ]
        found = pair_swiss_round(
            rows,
            {name for seats, _ in boards for name in seats},
            int(rounds),
            first_has_first_move=first == "white",
            acceleration=Acceleration(upper, int(rounds)) if speed == "accelerated" else NO_ACCELERATION,
            forbidden=[frozenset(pair.split("-")) for pair in forbidden.split(",") if pair != "none"],
        )
        assert [pairing.entrants for pairing in found] == [seats for seats, _ in boards]
        for pairing, (seats, result) in zip(found, boards, strict=True):
            for name in seats:
                rows[name].append(result_of(pairing, result).round_result(name))
        for encounters in rows.values():
            encounters.extend([MISSED] * (number - len(encounters)))


@pytest.mark.slow
@pytest.mark.parametrize(("entrants", "number", "most_s"), [(150, 3, 3), (400, 2, 60)])
def test_a_round_of_a_large_tournament_takes_limited_cpu_time(entrants: int, number: int, most_s: float) -> None:
    rounds = random_rounds(entrants, 9, b"size")
    for _ in range(number - 1):
        next(rounds)
    before = time.process_time()
    next(rounds)
    assert time.process_time() - before < most_s


@pytest.mark.parametrize("upper", [0, 2, 3, 4])
@pytest.mark.parametrize("count", [4, 5, 8, 9])
def test_a_first_round_is_paired_as_the_search_does(count: int, upper: int) -> None:
    players = [DutchPlayer(float(number <= upper), number) for number in range(1, count + 1)]
    searched = pair_players(players, RoundRules(1, is_last=False))
    assert pair_players(players, RoundRules(0, is_last=False)) == searched


def test_the_first_round_of_400_takes_less_than_that_of_40_with_a_forbidden_pair() -> None:
    times_s = []
    for count, forbidden in ((400, ()), (40, [(1, 21)])):
        before = time.thread_time()
        pair_players([DutchPlayer(0.0, number) for number in range(count)], RoundRules(0, False, forbidden))
        times_s.append(time.thread_time() - before)
    assert times_s[0] < times_s[1]


def halves_that_met(count: int) -> RoundResults:
    """Return results in which each of the upper half has drawn with each of the lower half."""
    half = count // 2
    rows: dict[str, list[RoundResult]] = {f"P{number}": [] for number in range(1, count + 1)}
    for number in range(half):
        for place in range(half):
            pair = [f"P{place + 1}", f"P{half + 1 + (place + number) % half}"]
            first, second = reversed(pair) if number % 2 else pair
            rows[first].append(played_result(0.5, second, 0))
            rows[second].append(played_result(0.5, first, 1))
    return rows


def seats_of(rows: RoundResults, rounds: int) -> list[Seats]:
    return [pairing.entrants for pairing in pair_swiss_round(rows, list(rows), rounds)]


@pytest.mark.parametrize("count", [8, 12])
def test_halves_that_have_met_are_paired_within(count: int) -> None:
    found = seats_of(halves_that_met(count), count)
    upper = {f"P{number + 1}" for number in range(count // 2)}
    assert all(len(upper & {*seats}) != 1 for seats in found)


def mostly_between_halves(seed: int) -> RoundResults:
    """Return rounds in which the upper half met the lower one where possible, mostly drawn."""
    rng = Random(seed)
    count = rng.choice([6, 7, 8, 9, 10, 12])
    rows: dict[str, list[RoundResult]] = {f"P{number}": [] for number in range(1, count + 1)}
    names = list(rows)
    for number in range(rng.randint(2, count - 2)):
        rng.shuffle(names)
        upper = [name for name in names if int(name[1:]) <= count // 2]
        free = [name for name in names if name not in upper]
        for name in upper:
            met = {opponent for encounter in rows[name] for opponent in encounter.opponents}
            other = next((candidate for candidate in free if candidate not in met), None)
            if other:
                free.remove(other)
                first, second = (name, other) if number % 2 else (other, name)
                points = rng.choice([0.5, 0.5, 0.5, 1])
                rows[first].append(played_result(points, second, 0))
                rows[second].append(played_result(1 - points, first, 1))
        for encounters in rows.values():
            encounters.extend([MISSED] * (number + 1 - len(encounters)))
    return rows


@pytest.mark.parametrize(
    ("seed", "pairs"),
    [
        (2399, "8-9 2-4 5-3 11-7 10-12 1-6"),
        (3397, "8-10 6-1 2-3 11-7 9-12 5-4"),
    ],
)
def test_the_highest_of_the_lower_half_moves_up(seed: int, pairs: str) -> None:
    found = seats_of(mostly_between_halves(seed), 14)
    assert [f"{first[1:]}-{other[1:]}" for first, other in found] == pairs.split()


def test_a_bye_for_a_player_that_must_not_have_another_is_an_error() -> None:
    with pytest.raises(Unpairable):
        pair_players([DutchPlayer(0.0, 1, may_have_bye=False)], RoundRules(1, is_last=False))


def last_round_weight(first: list[int], other: list[int]) -> int:
    """Return the weight of a pair of topscorers in the last round, by their former seats."""
    players = [DutchPlayer(5.0, number, seats) for number, seats in enumerate((first, other), start=1)]
    return Criteria(RoundRules(5, is_last=True), [players]).weight(*players, in_bracket=True, in_next=False)


def test_colours_of_topscorers_by_importance() -> None:
    """C.10 to C.13: a surplus of three, a third seat in succession, a lost preference, a strong one."""
    twice, surplus = [1, 0, 0], [0, 0, 1, 0]
    satisfied, mild, strong = (last_round_weight(*pair) for pair in (([0], [1]), ([0, 1], [0, 1]), ([0], [0])))
    third = last_round_weight(twice, twice)
    unbalanced = last_round_weight(surplus, surplus)
    assert satisfied > mild > strong > third > unbalanced
    assert last_round_weight(surplus, twice) == third
    assert last_round_weight(surplus, [0, 0]) == last_round_weight([0, *surplus, 0], surplus) == unbalanced


def test_a_round_without_players_has_no_pairs() -> None:
    assert pair_players([], RoundRules(1, is_last=False)) == []
