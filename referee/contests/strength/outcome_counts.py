"""Counted outcomes of sets, and what they say about the expected score.

Three outcomes are those of single matches: lost, drawn, won. Five are those of two matches with the seats exchanged: 0,
0.5, 1, 1.5 and 2 points. In general, outcomes are evenly spaced.

Nothing is assumed about the rate of each outcome, such as how drawish the game is. Among all rates with a given
expected score, some explain the counts best. The log-likelihood that they lose against the observed rates is the loss
of that score, and the difference of two losses is the generalised log-likelihood ratio of two scores.

The best rates follow from Lagrange's multiplier: if `w` of `n` sets scored `a`, its rate is
w / n / (1 + x * (a - score)), where x makes the rates sum up to 1. See Michel Van den Bergh, "Comments on
normalized Elo" and "The generalized maximum likelihood ratio for the expectation value of a distribution".
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import fsum, log

UNSEEN_WEIGHT = 0.001
"""Weight of an outcome that never occurred, so that no outcome is considered impossible."""


@dataclass(frozen=True)
class OutcomeCounts:
    """Frequencies of outcomes, from the worst for the first player to the best. Scores are from 0 to 1."""

    counts: tuple[int, ...]

    @property
    def matches(self) -> int:
        return sum(self.counts) * self.matches_per_set

    @property
    def matches_per_set(self) -> int:
        return (len(self.counts) - 1) // 2

    @cached_property
    def scores(self) -> tuple[float, ...]:
        """The score of each outcome."""
        last = len(self.counts) - 1
        return tuple(place / last for place in range(last + 1))

    @cached_property
    def weights(self) -> tuple[float, ...]:
        """The counts, with UNSEEN_WEIGHT in place of 0."""
        return tuple(count or UNSEEN_WEIGHT for count in self.counts)

    @cached_property
    def sets(self) -> float:
        """The sum of the weights."""
        return fsum(self.weights)

    @cached_property
    def score(self) -> float:
        """The average score."""
        return self.weighted_sum(self.scores) / self.sets

    def weighted_sum(self, values: Iterable[float]) -> float:
        """Return the sum of a value of each outcome, times its weight."""
        return fsum(weight * value for weight, value in zip(self.weights, values, strict=True))

    def with_outcome(self, outcome: int) -> "OutcomeCounts":
        """Return the counts with one more set. Outcomes are numbered from 0, the worst."""
        return OutcomeCounts(tuple(count + (place == outcome) for place, count in enumerate(self.counts)))


def no_outcomes(outcomes: int) -> OutcomeCounts:
    return OutcomeCounts((0,) * outcomes)


PRECISION = 1e-13


def log_likelihood_loss(counts: OutcomeCounts, score: float) -> float:
    """Return the log-likelihood lost by assuming that expected score, between 0 and 1. Never negative."""
    return max(0.0, counts.weighted_sum(outcome_losses(counts, score)))


def outcome_losses(counts: OutcomeCounts, score: float) -> tuple[float, ...]:
    """Return, for each outcome, the loss that one set with this outcome contributes."""
    distances = [outcome_score - score for outcome_score in counts.scores]
    x = _multiplier(distances, counts.weights)
    return tuple(log(1 + x * a) for a in distances)


def _multiplier(distances: list[float], weights: Iterable[float]) -> float:
    """Return the x for which the sum of w * a / (1 + x * a) is 0.

    The sum falls from plus to minus infinity between its two poles. The root is found by Newton's steps. A step that
    would leave the interval known to contain it is replaced by bisection.
    """
    low, high = -1 / max(distances), -1 / min(distances)
    precision = PRECISION * (high - low)
    x, step = 0.0, high - low
    while abs(step) > precision:
        terms = [a / (1 + x * a) for a in distances]
        value = sum(w * term for w, term in zip(weights, terms, strict=True))
        slope = sum(w * term * term for w, term in zip(weights, terms, strict=True))
        low, high = (x, high) if value > 0 else (low, x)
        step = value / slope
        if not low < x + step < high:
            step = (low + high) / 2 - x
        x += step
    return x
