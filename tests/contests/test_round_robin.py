import re
from collections import Counter
from collections.abc import Sequence
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from referee_values import Gauntlet, RoundRobin

from referee.contests.pairing import Pairing
from referee.contests.systems.schedule import berger_pairs, round_robin_cycle_length
from referee.contests.tournament.tournament_pairing import count_pairings, count_rounds, schedule_round
from referee.contests.tournament.tournament_terms import ScheduledFormat


def schedule(form: ScheduledFormat, names: Sequence[str]) -> list[Pairing]:
    rounds = [schedule_round(form, names, number) for number in range(1, count_rounds(form, len(names)) + 1)]
    assert all(rounds)
    assert sum(map(len, rounds)) == count_pairings(form, len(names))
    return [pairing for pairings in rounds for pairing in pairings]


def test_the_table_for_six_is_the_one_that_fide_prints() -> None:
    assert [berger_pairs(6, number) for number in range(1, 6)] == [
        [(1, 6), (2, 5), (3, 4)],
        [(6, 4), (5, 3), (1, 2)],
        [(2, 6), (3, 1), (4, 5)],
        [(6, 5), (1, 4), (2, 3)],
        [(3, 6), (4, 2), (5, 1)],
    ]


@given(st.integers(2, 30))
def test_a_cycle_balances_seats(many: int) -> None:
    surplus = Counter(dict.fromkeys(range(1, many + 1), 0))
    for number in range(1, round_robin_cycle_length(many) + 1):
        for first, second in berger_pairs(many, number):
            surplus[first] += 1
            surplus[second] -= 1
    assert max(map(abs, surplus.values())) <= 1


@given(st.integers(2, 20))
def test_two_cycles_give_each_seat_once_against_each_opponent(many: int) -> None:
    names = [f"P{number}" for number in range(many)]
    met = Counter(pairing.entrants for pairing in schedule(RoundRobin(cycles=2), names))
    assert met == dict.fromkeys(permutations(names, 2), 1)


def test_no_entrant_has_two_matches_in_a_round() -> None:
    pairings = schedule(RoundRobin(cycles=2), "abcdefg")
    assert len({(pairing.round, name) for pairing in pairings for name in pairing.entrants}) == 2 * len(pairings)


@given(st.integers(1, 5), st.integers(1, 9), st.integers(1, 4))
def test_challengers_of_a_gauntlet_meet_all_others_and_no_challengers(running: int, others: int, cycles: int) -> None:
    challengers = [f"C{number}" for number in range(running)]
    field = [*challengers, *(f"O{number}" for number in range(others))]
    met = Counter(
        frozenset(pair.entrants) for pair in schedule(Gauntlet(challengers=tuple(challengers), cycles=cycles), field)
    )
    assert met == {frozenset((challenger, other)): cycles for challenger in challengers for other in field[running:]}


@given(st.integers(1, 5), st.integers(1, 9))
def test_two_cycles_of_a_gauntlet_balance_seats(running: int, others: int) -> None:
    challengers = [f"C{number}" for number in range(running)]
    field = [*challengers, *(f"O{number}" for number in range(others))]
    first = Counter(pair.entrants[0] for pair in schedule(Gauntlet(challengers=tuple(challengers), cycles=2), field))
    assert first == Counter({**dict.fromkeys(challengers, others), **dict.fromkeys(field[running:], running)})


def longest_run_of_a_seat(pairings: Sequence[Pairing]) -> int:
    """Return how many times in succession an entrant has the same seat at most."""
    seats: dict[str, str] = {}
    for pairing in pairings:
        for name, seat in zip(pairing.entrants, "ab", strict=True):
            seats[name] = seats.get(name, "") + seat
    return max(len(run.group()) for taken in seats.values() for run in re.finditer("a+|b+", taken))


@pytest.mark.parametrize("many", [4, 6, 8, 10, 20])
def test_nobody_has_a_seat_three_times_in_succession(many: int) -> None:
    names = [f"P{number}" for number in range(many)]
    cycles = [2] if many == 4 else [2, 3, 4]
    assert all(longest_run_of_a_seat(schedule(RoundRobin(cycles=number), names)) == 2 for number in cycles)


def test_the_last_two_rounds_of_every_cycle_but_the_last_one_change_places() -> None:
    def numbered(cycles: int, number: int) -> list[tuple[str, ...]]:
        return [pairing.entrants for pairing in schedule_round(RoundRobin(cycles=cycles), "abcdef", number)]

    order = [1, 2, 3, 5, 4]
    assert [numbered(2, number) for number in range(1, 6)] == [numbered(1, number) for number in order]
    first_again = [[pair[::-1] for pair in numbered(1, number)] for number in range(1, 6)]
    assert [numbered(2, number) for number in range(6, 11)] == first_again


def test_odd_numbers_and_pairs_have_no_rounds_to_exchange() -> None:
    assert schedule_round(RoundRobin(cycles=2), "abcde", 5) == schedule_round(RoundRobin(cycles=1), "abcde", 5)
    assert [pairing.entrants for pairing in schedule(RoundRobin(cycles=2), "ab")] == [("a", "b"), ("b", "a")]
