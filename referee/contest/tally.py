"""How often each outcome was counted, from the worst for the first player to the best.

Three outcomes are those of single matches: lost, drawn, won. Five are those of two matches with the seats
exchanged: 0, half, 1, one and a half, 2 points. In general the outcomes are evenly spaced.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import fsum

UNSEEN = 0.001
"""What an outcome counts that never came, so that no outcome is ever held to be impossible."""


@dataclass(frozen=True)
class Tally:
    """Scores are from 0 to 1, whatever the number of outcomes."""

    counts: tuple[int, ...]

    @property
    def matches(self) -> int:
        return sum(self.counts) * self.matches_a_set

    @property
    def matches_a_set(self) -> int:
        return (len(self.counts) - 1) // 2

    @cached_property
    def scores(self) -> tuple[float, ...]:
        """The score of each outcome."""
        last = len(self.counts) - 1
        return tuple(place / last for place in range(last + 1))

    @cached_property
    def weights(self) -> tuple[float, ...]:
        """The counts, none of them 0."""
        return tuple(count or UNSEEN for count in self.counts)

    @cached_property
    def sets(self) -> float:
        """How many they are, those that are counted without having come included."""
        return fsum(self.weights)

    @cached_property
    def score(self) -> float:
        """The average."""
        return self.weigh(self.scores) / self.sets

    def weigh(self, of_outcomes: Iterable[float]) -> float:
        """The sum of what each outcome is worth, times how often it came."""
        return fsum(weight * worth for weight, worth in zip(self.weights, of_outcomes, strict=True))

    def and_then(self, outcome: int) -> "Tally":
        """With one more set counted; outcomes are numbered from 0, the worst."""
        return Tally(tuple(count + (place == outcome) for place, count in enumerate(self.counts)))


def none_yet(outcomes: int) -> Tally:
    return Tally((0,) * outcomes)
