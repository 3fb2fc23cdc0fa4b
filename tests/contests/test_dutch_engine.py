"""The search of a bracket finds the same pairs as the library, and is fast enough for large fields."""

import time
from random import Random

import pytest
from caissify_pairings.engines.dutch import DutchEngine as LibraryEngine

from referee.contests.pairing import MatchScore, Pairing
from referee.contests.pairing_progress import PairingProgress
from referee.contests.systems import dutch, swiss
from referee.contests.systems.swiss import Unpairable, pair_swiss_round
from referee.contests.tables.round_result import MISSED, RoundResult, RoundResults
from referee.contests.tournament.trf_reader import played_result
from tests.contests.swiss_rounds import random_rounds

Seats = tuple[str, ...]


def library_pairing(table: RoundResults, present: list[str], rounds: int) -> list[Seats] | None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(swiss, "DutchEngine", LibraryEngine)
        return paired(table, present, rounds)


def paired(table: RoundResults, present: list[str], rounds: int) -> list[Seats] | None:
    """Return the pairs by the order of criteria of the library, in which C.7 precedes C.6."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dutch, "put_pairs_before_points", lambda weight, *_: weight)
        try:
            return [it.entrants for it in pair_swiss_round(table, present, rounds)]
        except Unpairable:
            return None


def compare(seed: int, least: int, most: int) -> int:
    """Play a random tournament with draws, absences and walkovers. Return the number of rounds."""
    rng = Random(seed)
    count = rng.randint(least, most)
    rounds = rng.randint(3, min(count, 11))
    rows: dict[str, list[RoundResult]] = {f"P{number}": [] for number in range(1, count + 1)}
    missing = rng.choice([0.0, 0.0, 0.1, 0.3])
    for number in range(rounds):
        present = [name for name in rows if rng.random() >= missing]
        found = paired(rows, present, rounds) if present else []
        assert found == (library_pairing(rows, present, rounds) if present else []), f"seed {seed}, round {number + 1}"
        if found is None:
            return number
        for board, seats in enumerate(found, start=1):
            progress = PairingProgress(Pairing(f"{number}.{board}", number + 1, board, seats))
            if len(seats) == 2 and rng.random() < 0.05:
                progress = progress.with_departure(seats[0])
            elif len(seats) == 2:
                progress = progress.with_score(1, MatchScore(rng.choice([(1, 2), (1, 1), (2, 1)])))
            for name in seats:
                rows[name].append(progress.round_result(name))
        for encounters in rows.values():
            encounters.extend([MISSED] * (number + 1 - len(encounters)))
    return rounds


def test_small_tournaments_are_paired_as_by_the_library() -> None:
    assert sum(compare(seed, 4, 14) for seed in range(16)) > 50


@pytest.mark.slow
def test_larger_tournaments_are_paired_as_by_the_library() -> None:
    assert sum(compare(seed, 20, 30) for seed in range(2)) > 5


def cpu_s_of_round(entrants: int, number: int) -> float:
    """CPU seconds for a round of a tournament of nine rounds."""
    rounds = random_rounds(entrants, 9, b"size")
    for _ in range(number - 1):
        next(rounds)
    before = time.process_time()
    next(rounds)
    return time.process_time() - before


@pytest.mark.slow
def test_a_round_of_150_takes_less_than_3_cpu_seconds() -> None:
    assert cpu_s_of_round(150, 3) < 3


@pytest.mark.slow
def test_a_round_of_400_takes_less_than_a_minute_of_cpu() -> None:
    assert cpu_s_of_round(400, 2) < 60


def halves_that_met(count: int) -> RoundResults:
    """Return results in which each of the upper half has drawn with each of the lower half."""
    half = count // 2
    rows: dict[str, list[RoundResult]] = {f"P{number}": [] for number in range(1, count + 1)}
    for number in range(half):
        for one in range(half):
            pair = [f"P{one + 1}", f"P{half + 1 + (one + number) % half}"]
            first, second = reversed(pair) if number % 2 else pair
            rows[first].append(played_result(0.5, second, 0))
            rows[second].append(played_result(0.5, first, 1))
    return rows


@pytest.mark.parametrize("count", [8, 12])
def test_exchanges_between_halves_equal_those_of_the_library(count: int) -> None:
    rows = halves_that_met(count)
    found = paired(rows, list(rows), count)
    assert found == library_pairing(rows, list(rows), count)
    assert found is not None
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
            met = {it for encounter in rows[name] for it in encounter.opponents}
            other = next((it for it in free if it not in met), None)
            if other:
                free.remove(other)
                first, second = (name, other) if number % 2 else (other, name)
                points = rng.choice([0.5, 0.5, 0.5, 1])
                rows[first].append(played_result(points, second, 0))
                rows[second].append(played_result(1 - points, first, 1))
        for encounters in rows.values():
            encounters.extend([MISSED] * (number + 1 - len(encounters)))
    return rows


@pytest.mark.parametrize("seed", [2399, 3397])
def test_the_same_player_of_the_lower_half_moves_up_as_in_the_library(seed: int) -> None:
    rows = mostly_between_halves(seed)
    assert paired(rows, list(rows), 14) == library_pairing(rows, list(rows), 14)


def crowded_round() -> RoundResults:
    """Return a table before a late round in which FIDE's order of C.6 and C.7 matters."""
    for seed in range(200):
        *_, (rows, _) = random_rounds(10, 7, f"crowded {seed}".encode(), planned=9)
        if seats_of(rows) != (paired(rows, list(rows), 9) or []):
            return rows
    raise AssertionError("there is no such round")


def seats_of(table: RoundResults) -> list[Seats]:
    try:
        return [it.entrants for it in pair_swiss_round(table, list(table), 9)]
    except Unpairable:
        return []


def downfloaters(table: RoundResults, pairs: list[Seats]) -> int:
    """Return how many players meet one with fewer points."""
    points = {name: sum(it.points for it in results) for name, results in table.items()}
    return sum(points[one] != points[other] for one, other in pairs)


def test_fewer_players_are_moved_down_than_by_the_library() -> None:
    rows = crowded_round()
    by_fide, by_library = seats_of(rows), paired(rows, list(rows), 9) or []
    assert downfloaters(rows, by_fide) < downfloaters(rows, by_library)
