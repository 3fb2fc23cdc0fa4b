"""Luck for simulations: drawn from a seed, so that every run is the same."""

import random
from collections.abc import Iterator, Sequence


def luck(seed: str) -> Iterator[float]:
    """Numbers from 0 to 1, without end. A simulation takes millions: Python's own generator is the faster one."""
    draw = random.Random(seed).random
    while True:
        yield draw()


def outcome(rates: Sequence[float], drawn: float) -> int:
    """Which of the outcomes, each with its rate, a number from 0 to 1 falls on."""
    for place, rate in enumerate(rates):
        drawn -= rate
        if drawn < 0:
            return place
    return len(rates) - 1
