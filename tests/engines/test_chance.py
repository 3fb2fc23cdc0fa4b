"""Random draws are values, fair, and the same in any language: the test vectors of docs/chance.md."""

import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.chance import Chance

PAGE = Path(__file__).parents[2] / "docs" / "chance.md"
VECTOR = re.compile(r"^\| `([0-9a-f]*)` \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)


def vectors() -> list[tuple[bytes, str, str]]:
    return [
        (bytes.fromhex(seed), what.strip(), gives.strip()) for seed, what, gives in VECTOR.findall(PAGE.read_text())
    ]


def done(chance: Chance, what: str) -> str:
    """Return the result of an operation that the page describes."""
    if found := re.fullmatch(r"fork `(\w+)`", what):
        return f"`{chance.fork(found[1]).seed.hex()}`"
    if found := re.fullmatch(r"shuffle 0 to (\d+)", what):
        order, _ = chance.shuffled(range(int(found[1]) + 1))
        return " ".join(map(str, order))
    found = re.fullmatch(r"(\d+) numbers below (\d+)", what)
    assert found, what
    numbers = []
    for _ in range(int(found[1])):
        number, chance = chance.below(int(found[2]))
        numbers.append(number)
    return " ".join(map(str, numbers))


@pytest.mark.parametrize(("seed", "what", "gives"), vectors())
def test_the_test_vectors_on_the_page_are_correct(seed: bytes, what: str, gives: str) -> None:
    assert done(Chance(seed), what) == gives


def test_the_page_has_vectors_of_every_kind() -> None:
    assert {what.split()[0] for _, what, _ in vectors()} >= {"fork", "shuffle", "8"}


@given(st.binary(max_size=40), st.integers(1, 2**32))
def test_a_drawn_number_is_below_the_bound_and_the_generator_is_immutable(seed: bytes, n: int) -> None:
    chance = Chance(seed)
    number, left = chance.below(n)
    assert 0 <= number < n
    assert left.drawn > 0
    assert chance == Chance(seed)
    assert chance.below(n) == (number, left)


def test_draws_in_the_incomplete_last_run_are_discarded() -> None:
    """For numbers below 2**31 + 1, a plain remainder would make half of them twice as likely."""
    taken = 0
    chance = Chance(b"rejection")
    for _ in range(200):
        _, chance = chance.below(2**31 + 1)
        taken += 1
    assert chance.drawn > taken + 50


@given(st.binary(max_size=8), st.lists(st.integers(), max_size=60))
def test_a_shuffle_is_a_permutation(seed: bytes, things: list[int]) -> None:
    assert Counter(Chance(seed).shuffled(things)[0]) == Counter(things)


def test_all_orders_of_three_are_equally_frequent() -> None:
    orders: Counter[tuple[int, ...]] = Counter()
    chance = Chance(b"fair")
    for _ in range(6000):
        order, chance = chance.shuffled(range(3))
        orders[order] += 1
    assert len(orders) == 6
    assert all(900 < often < 1100 for often in orders.values())


def test_forks_for_different_purposes_differ() -> None:
    assert len({Chance(b"seed").fork(purpose) for purpose in ("deal", "moves", "seats", "")}) == 4
    assert Chance(b"seed", 9).fork("deal") == Chance(b"seed").fork("deal")
