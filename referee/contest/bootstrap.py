"""How sure is a difference between two of several? The paired bootstrap over sets of duplicate play.

With more than two sides there is no ratio to test, but the sets can be drawn again: as many as there were,
each time any of them. What the differences of the drawn sets do is what the difference would have done, had
other sets been played. All matches of a set stay together, because they have their start in common.
"""

from collections.abc import Sequence
from math import fsum

from engines.chance import Chance
from referee.contest.elo import difference
from referee.contest.estimate import SURE, Estimate

DRAWINGS = 1000


def bootstrapped(sets: Sequence[float], chance: Chance) -> Estimate:
    """How far the first is ahead, from its score against the second in each set, from 0 to 1. At least one set.

    For the interval and the superiority, a set won and a set lost are added to those that were played: otherwise
    three sets that ended alike would seem to leave no doubt.
    """
    averages = sorted(_drawn((*sets, 0.0, 1.0), chance))
    tail = round(DRAWINGS * (1 - SURE) / 2)
    above = sum((average > 0.5) + (average >= 0.5) for average in averages) / 2
    return Estimate(
        difference(fsum(sets) / len(sets)),
        difference(averages[tail]),
        difference(averages[-1 - tail]),
        above / DRAWINGS,
    )


def _drawn(sets: Sequence[float], chance: Chance) -> list[float]:
    """The average of as many sets, drawn with replacement, time and again."""
    averages = []
    for _ in range(DRAWINGS):
        total = 0.0
        for _ in sets:
            place, chance = chance.below(len(sets))
            total += sets[place]
        averages.append(total / len(sets))
    return averages
