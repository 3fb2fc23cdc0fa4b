from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.contests.pairing import Pairing
from referee.contests.systems.schedule import berger_pairs, round_robin_cycle_length
from referee.contests.tournament.tournament_pairing import count_pairings, count_rounds, schedule_round
from referee.contests.tournament.tournament_terms import (
    Gauntlet,
    RoundRobin,
    ScheduledFormat,
)


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


@pytest.mark.parametrize("many", [2, 3, 8, 15, 16])
def test_all_meet_once_in_a_cycle(many: int) -> None:
    names = [f"P{number}" for number in range(many)]
    met = Counter(frozenset(it.entrants) for it in schedule(RoundRobin(2), names))
    assert met == {frozenset(pair): 2 for pair in combinations(names, 2)}


@given(st.integers(2, 30))
def test_a_cycle_balances_seats(many: int) -> None:
    surplus = Counter(dict.fromkeys(range(1, many + 1), 0))
    for number in range(1, round_robin_cycle_length(many) + 1):
        for first, second in berger_pairs(many, number):
            surplus[first] += 1
            surplus[second] -= 1
    assert max(map(abs, surplus.values())) <= 1


@given(st.integers(2, 20))
def test_two_cycles_give_both_seats_against_each_opponent(many: int) -> None:
    names = [f"P{number}" for number in range(many)]
    assert len({it.entrants for it in schedule(RoundRobin(2), names)}) == many * (many - 1)


def test_no_entrant_has_two_matches_in_a_round() -> None:
    pairings = schedule(RoundRobin(2), "abcdefg")
    assert len({(it.round, name) for it in pairings for name in it.entrants}) == 2 * len(pairings)


@given(st.integers(1, 5), st.integers(1, 9), st.integers(1, 4))
def test_challengers_of_a_gauntlet_meet_all_others_and_no_challengers(running: int, others: int, cycles: int) -> None:
    challengers = [f"C{number}" for number in range(running)]
    field = [*challengers, *(f"O{number}" for number in range(others))]
    met = Counter(frozenset(it.entrants) for it in schedule(Gauntlet(tuple(challengers), cycles), field))
    assert met == {frozenset((one, other)): cycles for one in challengers for other in field[running:]}


@given(st.integers(1, 5), st.integers(1, 9))
def test_two_cycles_of_a_gauntlet_balance_seats(running: int, others: int) -> None:
    challengers = [f"C{number}" for number in range(running)]
    field = [*challengers, *(f"O{number}" for number in range(others))]
    first = Counter(it.entrants[0] for it in schedule(Gauntlet(tuple(challengers), 2), field))
    assert first == Counter({**dict.fromkeys(challengers, others), **dict.fromkeys(field[running:], running)})
