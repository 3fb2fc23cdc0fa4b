"""The Elo scale, and estimates of a difference in strength with confidence intervals.

A player who is 400 Elo ahead is expected to score ten points for each point of the opponent. Differences are estimated
from counted outcomes of two sides, or from the scores in sets of duplicate play.

Three outcomes are those of single matches: lost, drawn, won. Five are those of two matches with the seats exchanged: 0,
0.5, 1, 1.5 and 2 points. In general, outcomes are evenly spaced.

Nothing is assumed about the rate of each outcome, such as how drawish the game is. For an interval, every outcome
counts a fraction of a set more than it occurred (a Dirichlet prior on the rates), and what is then known of the
expected score is described by the beta distribution with the same mean and variance.

For the sequential test, some rates with a given expected score explain the counts best. The log-likelihood that they
lose against the observed rates is the loss of that score, and the difference of two losses is the generalised
log-likelihood ratio of two scores. The best rates follow from Lagrange's multiplier: if `w` of `n` sets scored `a`, its
rate is w / n / (1 + x * (a - score)), where x makes the rates sum up to 1. See Michel Van den Bergh, "Comments on
normalized Elo" and "The generalized maximum likelihood ratio for the expectation value of a distribution".
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from math import exp, fsum, lgamma, log, log10, sqrt
from operator import mul
from statistics import NormalDist

from msgspec import Struct

ELO_SCALE = 400 / log(10)
"""Elo for one unit of the logistic curve."""

MIN_SCORE = 0.001
"""Scores are clamped to this distance from 0 and 1, so differences stop at about 1200 Elo."""


def expected_score(elo: float) -> float:
    """Return the expected score, from 0 to 1, of a player that is ahead by this difference."""
    return 1 / (1 + exp(-elo / ELO_SCALE))


def seated_score(elo: float, first_seat: float) -> float:
    """Return the expected score, averaged over both seats, if the first seat is worth that many Elo."""
    return (expected_score(elo + first_seat) + expected_score(elo - first_seat)) / 2


def elo_difference(score: float, first_seat: float = 0.0) -> float:
    """Return the difference at which this score is expected, from about -1200 to 1200.

    `first_seat` is what the first seat is worth, if the score is an average over both seats: the larger it is, the
    less a difference in strength changes the average. The odds of the difference solve a quadratic equation.
    """
    score = min(max(score, MIN_SCORE), 1 - MIN_SCORE)
    if not first_seat:
        return 400 * log10(score / (1 - score))
    seat_odds = 10 ** (abs(first_seat) / 400)
    linear = (1 + seat_odds**2) * (1 - 2 * score)
    root = sqrt(linear**2 + 16 * seat_odds**2 * score * (1 - score))
    # Of two forms of the solution, the one that does not subtract equal numbers.
    odds = 4 * seat_odds * score / (linear + root) if linear > 0 else (root - linear) / (4 * seat_odds * (1 - score))
    return 400 * log10(odds)


UNSEEN_WEIGHT = 0.001
"""Weight of an outcome that never occurred, so that no outcome is considered impossible."""


class OutcomeCounts(Struct, frozen=True, dict=True):
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


FRACTION_PRECISION = 1e-12
QUANTILE_STEPS = 50


class BetaDistribution(Struct, frozen=True, gc=False):
    """What is known of a score between 0 and 1; both parameters are positive."""

    a: float
    b: float

    @classmethod
    def of_moments(cls, mean: float, variance: float) -> "BetaDistribution":
        """Return the one with that mean and that variance, which is less than that of a coin."""
        weight = mean * (1 - mean) / variance - 1
        return cls(mean * weight, (1 - mean) * weight)

    def cdf(self, x: float) -> float:
        """Return the probability of a value of at most x, which is between 0 and 1, both excluded."""
        a, b = self.a, self.b
        factor = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x))
        if x < (a + 1) / (a + b + 2):  # The fraction converges quickly on this side.
            return factor * _continued_fraction(a, b, x) / a
        return 1 - factor * _continued_fraction(b, a, 1 - x) / b

    def quantile(self, share: float) -> float:
        """Return the value that is exceeded with a probability of 1 - share."""
        low, high = 0.0, 1.0
        for _ in range(QUANTILE_STEPS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.cdf(middle) < share else (low, middle)
        return (low + high) / 2


def _continued_fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method.

    Numerators and denominators are positive where it is used, so none of them needs a guard against zero.
    """
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value, change, m = d, 0.0, 0
    while abs(change - 1) > FRACTION_PRECISION:
        m += 1
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        c, d = 1 + even / c, 1 / (1 + even * d)
        value *= c * d
        c, d = 1 + odd / c, 1 / (1 + odd * d)
        change = c * d
        value *= change
    return value


NORMAL = NormalDist()
CONFIDENCE = 0.95
"""Confidence level of intervals."""

HALF_WIDTH = NORMAL.inv_cdf((1 + CONFIDENCE) / 2)
"""Half the width of an interval, in standard deviations."""

PRIOR_SETS = 1.8
"""Sets that are added for an interval, spread evenly over the outcomes: 0.6 for each of three outcomes.

Without them, intervals of few sets would contain the true score too rarely; see `docs/ratings.md`.
"""

PRIOR_SCORES = 0.6
"""Sets that are added to scores of sets, spread evenly over 0, ½ and 1. Scores vary less than outcomes of matches."""


class EloEstimate(Struct, frozen=True, gc=False):
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


def estimate_from_counts(tally: OutcomeCounts, first_seat: float = 0.0) -> EloEstimate:
    """Return the difference that the average score corresponds to, with the interval of the expected score.

    `first_seat` is what the first seat is worth; both players have had it equally often.
    """
    prior = PRIOR_SETS / len(tally.counts)
    return _score_estimate(tally.score, tally.scores, [count + prior for count in tally.counts], first_seat)


def score_interval(scores: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of the expected score, from scores in single matches, from 0 to 1; at least one."""
    known = _known_score((*scores, 0.0, 0.5, 1.0), [1.0] * len(scores) + [PRIOR_SETS / 3] * 3)
    return _interval(known, fsum(scores) / len(scores))


def estimate_from_scores(sets: Sequence[float]) -> EloEstimate:
    """Return how far the first player is ahead, from its score in each set, from 0 to 1; there is at least one set.

    This is for matches of more than two sides. Sets count as a whole, because their matches have their start in common.
    """
    weights = [1.0] * len(sets) + [PRIOR_SCORES / 3] * 3
    return _score_estimate(fsum(sets) / len(sets), (*sets, 0.0, 0.5, 1.0), weights)


def _score_estimate(
    average: float, scores: Sequence[float], weights: Sequence[float], first_seat: float = 0.0
) -> EloEstimate:
    """Return the estimate of an average score, from weighted scores that include the prior.

    The interval always includes the average: that of a player who won everything ends at the highest score.
    """
    known = _known_score(scores, weights)
    low, high = _interval(known, average)
    return EloEstimate(
        elo_difference(average, first_seat),
        elo_difference(low, first_seat),
        elo_difference(high, first_seat),
        1 - known.cdf(0.5),
    )


def _known_score(scores: Sequence[float], weights: Sequence[float]) -> BetaDistribution:
    """Return what is known of an expected score, with the mean and variance of a Dirichlet distribution."""
    total = fsum(weights)
    mean = fsum(map(mul, weights, scores)) / total
    square = fsum(weight * score * score for weight, score in zip(weights, scores, strict=True)) / total
    return BetaDistribution.of_moments(mean, (square - mean * mean) / (total + 1))


def _interval(known: BetaDistribution, average: float) -> tuple[float, float]:
    tail = (1 - CONFIDENCE) / 2
    return min(average, known.quantile(tail)), max(average, known.quantile(1 - tail))
