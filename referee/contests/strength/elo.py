"""The Elo scale, and estimates of a difference in strength with confidence intervals.

A player who is 400 Elo ahead is expected to score ten points for each point of the opponent. Differences are estimated
from counted outcomes of two sides, or by a paired bootstrap over sets of duplicate play.

Three outcomes are those of single matches: lost, drawn, won. Five are those of two matches with the seats exchanged: 0,
0.5, 1, 1.5 and 2 points. In general, outcomes are evenly spaced.

Nothing is assumed about the rate of each outcome, such as how drawish the game is. Among all rates with a given
expected score, some explain the counts best. The log-likelihood that they lose against the observed rates is the loss
of that score, and the difference of two losses is the generalised log-likelihood ratio of two scores.

The best rates follow from Lagrange's multiplier: if `w` of `n` sets scored `a`, its rate is
w / n / (1 + x * (a - score)), where x makes the rates sum up to 1. See Michel Van den Bergh, "Comments on
normalized Elo" and "The generalized maximum likelihood ratio for the expectation value of a distribution".
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import copysign, exp, fsum, log, log10, sqrt
from statistics import NormalDist

from engines.chance import Chance

ELO_SCALE = 400 / log(10)
"""Elo for one unit of the logistic curve."""

MIN_SCORE = 0.001
"""Scores are clamped to this distance from 0 and 1, so differences stop at about 1200 Elo."""


def expected_score(elo: float) -> float:
    """Return the expected score, from 0 to 1, of a player that is ahead by this difference."""
    return 1 / (1 + exp(-elo / ELO_SCALE))


def elo_difference(score: float) -> float:
    """Return the difference at which this score is expected, from about -1200 to 1200."""
    score = min(max(score, MIN_SCORE), 1 - MIN_SCORE)
    return 400 * log10(score / (1 - score))


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


NORMAL = NormalDist()
CONFIDENCE = 0.95
"""Confidence level of intervals."""

HALF_WIDTH = NORMAL.inv_cdf((1 + CONFIDENCE) / 2)
"""Half the width of an interval, in standard deviations."""

BISECTION_STEPS = 40


@dataclass(frozen=True, slots=True)
class EloEstimate:
    """A difference in Elo, with its 95 % interval and the probability that it is above 0."""

    elo: float
    low: float
    high: float
    superiority: float

    @property
    def mirrored(self) -> "EloEstimate":
        """The same estimate for the opponent."""
        return EloEstimate(-self.elo, -self.high, -self.low, 1 - self.superiority)


def normal_estimate(elo: float, deviation: float) -> EloEstimate:
    """Return the estimate of a difference with a normal error of that standard deviation."""
    if deviation == 0:
        return EloEstimate(elo, elo, elo, 0.5 if elo == 0 else float(elo > 0))
    return EloEstimate(elo, elo - HALF_WIDTH * deviation, elo + HALF_WIDTH * deviation, NORMAL.cdf(elo / deviation))


def estimate_from_counts(tally: OutcomeCounts) -> EloEstimate:
    """Return the most likely difference, and the interval of differences that the counts do not reject.

    The interval is that of the likelihood ratio. With many sets it equals the average score and 1.96 standard errors to
    both sides; with few sets, unlike that, three wins in a row are not certainty.
    """
    signed_root = copysign(sqrt(2 * log_likelihood_loss(tally, 0.5)), tally.score - 0.5)
    return EloEstimate(
        elo_difference(tally.score),
        elo_difference(_interval_end(tally, MIN_SCORE)),
        elo_difference(_interval_end(tally, 1 - MIN_SCORE)),
        NORMAL.cdf(signed_root),
    )


def _interval_end(tally: OutcomeCounts, edge: float) -> float:
    """Return the score furthest from the average, towards the edge, that the counts do not reject."""
    if _is_plausible(tally, edge):
        return edge
    inside, outside = tally.score, edge
    for _ in range(BISECTION_STEPS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if _is_plausible(tally, middle) else (inside, middle)
    return inside


def _is_plausible(tally: OutcomeCounts, score: float) -> bool:
    return 2 * log_likelihood_loss(tally, score) <= HALF_WIDTH**2


RESAMPLES = 1000


def bootstrap_estimate(sets: Sequence[float], chance: Chance) -> EloEstimate:
    """Return how far the first player is ahead, from its score in each set, from 0 to 1; there is at least one set.

    This is for matches of more than two sides, which have no likelihood ratio. Sets are resampled as a whole, because
    their matches have their start in common. For the interval and the superiority, one won and one lost set are added;
    otherwise three equal sets would seem to leave no doubt.
    """
    averages = sorted(_resampled_averages((*sets, 0.0, 1.0), chance))
    tail = round(RESAMPLES * (1 - CONFIDENCE) / 2)
    above = sum((average > 0.5) + (average >= 0.5) for average in averages) / 2
    return EloEstimate(
        elo_difference(fsum(sets) / len(sets)),
        elo_difference(averages[tail]),
        elo_difference(averages[-1 - tail]),
        above / RESAMPLES,
    )


def _resampled_averages(sets: Sequence[float], chance: Chance) -> list[float]:
    """Return the averages of sets drawn with replacement."""
    averages = []
    for _ in range(RESAMPLES):
        total = 0.0
        for _ in sets:
            place, chance = chance.below(len(sets))
            total += sets[place]
        averages.append(total / len(sets))
    return averages
