"""Mutation testing of `referee/match`: mutants drawn at random must make a test fail (see `tests/mutants.py`)."""

import os
from pathlib import Path
from random import Random

import pytest

from tests.mutants import Workshop

DRAWN = 10
ORDER = "only the order of what stands decides who has won"
EQUIVALENT: dict[str, str] = {
    "return ((0.0, 1.0) if loser == 0 else (2.0, 0.0)), LOST": ORDER,
    "return ((0.0, 2.0) if loser == 0 else (1.0, 0.0)), LOST": ORDER,
    "keys = [(side not in last, score if side not in last else 1.0) for side, score in enumerate(standing)]": (
        "the sides in `last` are tied by any constant, and behind all others by the first item"
    ),
}
"""Lines of mutants that behave like the original, without indentation, and the reason for each."""


@pytest.mark.skipif("CI" in os.environ, reason="which mutants are drawn is chance, and many have no verdict yet")
@pytest.mark.soak
def test_sampled_mutants_of_the_match_package_are_killed(tmp_path: Path, rng: Random) -> None:
    workshop = Workshop(tmp_path)
    workshop.run(["referee.match.result.x_void_result__mutmut_1"])
    drawn = rng.sample(sorted(workshop.names()), DRAWN)
    workshop.run(drawn)
    survivors = [workshop.difference(mutant) for mutant in drawn if mutant in workshop.survivors()]
    unexpected = [difference for difference in survivors if not any(f" {line}\n" in difference for line in EQUIVALENT)]
    assert not unexpected, "\n".join(unexpected)
