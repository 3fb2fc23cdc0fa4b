"""Random numbers for simulations, from a seed."""

import random
from collections.abc import Iterator, Sequence


def random_numbers(seed: str) -> Iterator[float]:
    """Yield numbers from 0 to 1. Python's generator is used for speed: a simulation takes millions."""
    draw = random.Random(seed).random
    while True:
        yield draw()


def outcome(rates: Sequence[float], drawn: float) -> int:
    """Return the index of the outcome, given the rates of all outcomes, that a number from 0 to 1 selects."""
    for place, rate in enumerate(rates):
        drawn -= rate
        if drawn < 0:
            return place
    return len(rates) - 1
