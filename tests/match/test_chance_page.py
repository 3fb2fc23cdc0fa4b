"""docs/chance.md describes the randomness of a match correctly and completely."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engines.chance import Chance
from referee.match import setup

PAGE = (Path(__file__).parents[2] / "docs" / "chance.md").read_text(encoding="utf-8")
VECTOR = re.compile(
    r"^\| `([0-9a-f]{64})` \| ([0-9a-f -]+) \| `([0-9a-f]{64})` \| `([0-9a-f]{64})` \| ([A-Z ]+) \| (\d) \|$",
    re.MULTILINE,
)
VECTORS = VECTOR.findall(PAGE)
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def nonces_of(words: str) -> list[bytes]:
    return [b"" if word == "-" else bytes.fromhex(word) for word in words.split()]


def page_function(name: str) -> Callable[..., Any]:
    """Return a function that the page defines."""
    names: dict[str, Any] = {}
    for block in BLOCKS:
        exec(compile(block, "docs/chance.md", "exec"), names)  # The test is that a third party can run it.
    function: Callable[..., Any] = names[name]
    return function


def test_the_page_has_vectors_with_and_without_nonces_for_two_and_for_four() -> None:
    assert len(VECTORS) == 6
    assert {len(nonces_of(vector[1])) for vector in VECTORS} == {2, 4}


@pytest.mark.parametrize(("seed", "nonces", "of_match", "of_game", "lot", "policy"), VECTORS)
def test_the_referee_draws_the_test_vectors_of_the_page(
    seed: str, nonces: str, of_match: str, of_game: str, lot: str, policy: str
) -> None:
    given = nonces_of(nonces)
    chance = setup.match_chance(bytes.fromhex(seed), given)
    assert chance.seed.hex() == of_match
    assert setup.game_seed(chance).hex() == of_game
    assert " ".join(setup.draw_seats(chance, sorted(lot.split()))) == lot
    assert chance.fork("policy 12 1").below(10)[0] == int(policy)


@pytest.mark.parametrize(("seed", "nonces", "of_match", "of_game", "lot", "policy"), VECTORS)
def test_the_code_on_the_page_computes_the_test_vectors(
    seed: str, nonces: str, of_match: str, of_game: str, lot: str, policy: str
) -> None:
    mixed = page_function("seed_of_match")(bytes.fromhex(seed), nonces_of(nonces))
    fork = page_function("fork")
    assert mixed.hex() == of_match
    assert fork(mixed, "game").hex() == of_game
    assert page_function("shuffle")(fork(mixed, "seats"), sorted(lot.split())) == lot.split()
    assert Chance(fork(mixed, "policy 12 1")).below(10)[0] == int(policy)


def test_the_limit_of_nonces_is_the_one_on_the_page() -> None:
    assert f"of up to {setup.MAX_NONCE_BYTES} bytes" in PAGE
