from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.contest.formats import Gauntlet, RoundRobin
from referee.contest.pairing import Pairing
from referee.contest.round_robin import berger, rounds_of_a_cycle
from referee.contest.schedule import Scheduled, pairings_in_all, pairings_of_round, rounds_in_all


def schedule(form: Scheduled, names: Sequence[str]) -> list[Pairing]:
    rounds = [pairings_of_round(form, names, number) for number in range(1, rounds_in_all(form, len(names)) + 1)]
    assert all(rounds)
    assert sum(map(len, rounds)) == pairings_in_all(form, len(names))
    return [pairing for pairings in rounds for pairing in pairings]


def test_the_table_for_six_is_the_one_that_fide_prints() -> None:
    assert [berger(6, number) for number in range(1, 6)] == [
        [(1, 6), (2, 5), (3, 4)],
        [(6, 4), (5, 3), (1, 2)],
        [(2, 6), (3, 1), (4, 5)],
        [(6, 5), (1, 4), (2, 3)],
        [(3, 6), (4, 2), (5, 1)],
    ]


@pytest.mark.parametrize("many", [2, 3, 8, 15, 16])
def test_everybody_meets_everybody_once_a_cycle(many: int) -> None:
    names = [f"P{number}" for number in range(many)]
    met = Counter(frozenset(it.entrants) for it in schedule(RoundRobin(2), names))
    assert met == {frozenset(pair): 2 for pair in combinations(names, 2)}


@given(st.integers(2, 30))
def test_a_cycle_gives_everybody_both_seats_as_evenly_as_can_be(many: int) -> None:
    surplus = Counter(dict.fromkeys(range(1, many + 1), 0))
    for number in range(1, rounds_of_a_cycle(many) + 1):
        for first, second in berger(many, number):
            surplus[first] += 1
            surplus[second] -= 1
    assert max(map(abs, surplus.values())) <= 1


@given(st.integers(2, 20))
def test_after_two_cycles_everybody_has_had_both_seats_against_everybody(many: int) -> None:
    names = [f"P{number}" for number in range(many)]
    assert len({it.entrants for it in schedule(RoundRobin(2), names)}) == many * (many - 1)


def test_nobody_has_two_matches_in_a_round() -> None:
    pairings = schedule(RoundRobin(2), "abcdefg")
    assert len({(it.round, name) for it in pairings for name in it.entrants}) == 2 * len(pairings)


@given(st.integers(1, 5), st.integers(1, 9), st.integers(1, 4))
def test_in_a_gauntlet_each_challenger_meets_all_the_others_and_nobody_else(
    running: int, others: int, cycles: int
) -> None:
    challengers = [f"C{number}" for number in range(running)]
    field = [*challengers, *(f"O{number}" for number in range(others))]
    met = Counter(frozenset(it.entrants) for it in schedule(Gauntlet(tuple(challengers), cycles), field))
    assert met == {frozenset((one, other)): cycles for one in challengers for other in field[running:]}


@given(st.integers(1, 5), st.integers(1, 9))
def test_in_two_cycles_of_a_gauntlet_everybody_sits_on_both_sides_alike(running: int, others: int) -> None:
    challengers = [f"C{number}" for number in range(running)]
    field = [*challengers, *(f"O{number}" for number in range(others))]
    first = Counter(it.entrants[0] for it in schedule(Gauntlet(tuple(challengers), 2), field))
    assert first == Counter({**dict.fromkeys(challengers, others), **dict.fromkeys(field[running:], running)})
