"""The Elo scale, and estimates of a difference in strength with confidence intervals.

A player who is 400 Elo ahead is expected to score ten points for each point of the opponent. Differences are estimated
from counted outcomes of two sides, or by a paired bootstrap over sets of duplicate play.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import copysign, exp, fsum, log, log10, sqrt
from statistics import NormalDist

from engines.chance import Chance
from referee.contests.strength.outcome_counts import OutcomeCounts, log_likelihood_loss

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
