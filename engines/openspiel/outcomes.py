"""Draws of chance with exact weights, from probabilities that are floating-point numbers.

The generator is read as the binary digits of a number below 1, 32 at a time. The outcomes, in the order of their
actions, divide the numbers below 1 among them by their probabilities, as exact fractions divided by their sum. Digits
are read until all numbers that begin with them belong to one outcome; one draw is nearly always enough.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from engines.chance import RANGE, Chance

BITS = 32


def draw_outcome(outcomes: Iterable[tuple[int, float]], chance: Chance) -> tuple[int, Chance]:
    """Return an action by its probability, and the generator after the draw."""
    possible = sorted([outcome for outcome in outcomes if outcome[1] > 0])
    ends = _ends([probability for _, probability in possible])
    number, bits = 0, 0
    while True:
        digits, chance = chance.below(RANGE)
        number, bits = number << BITS | digits, bits + BITS
        index = bisect_right(ends, number * ends[-1] >> bits)
        if (number + 1) * ends[-1] <= ends[index] << bits:
            return possible[index][0], chance


def _ends(probabilities: Sequence[float]) -> Sequence[int]:
    """Return the sums of the weights up to each outcome."""
    if min(probabilities) == max(probabilities):
        return range(1, len(probabilities) + 1)  # Thousands of throws of dice.
    return list(accumulate(exact_weights(probabilities)))


def exact_weights(probabilities: Iterable[float]) -> list[int]:
    """Return whole numbers that have exactly the same ratios."""
    ratios = [probability.as_integer_ratio() for probability in probabilities]
    # The denominator of a floating-point number is a power of two.
    whole = max(denominator for _, denominator in ratios)
    return [numerator * (whole // denominator) for numerator, denominator in ratios]
