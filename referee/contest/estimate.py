"""How far one player is ahead of another, and how sure that is."""

from dataclasses import dataclass
from math import copysign, sqrt
from statistics import NormalDist

from referee.contest.elo import EDGE, difference
from referee.contest.likelihood import loss
from referee.contest.tally import Tally

NORMAL = NormalDist()
SURE = 0.95
"""How often an interval holds the truth."""

WIDTH = NORMAL.inv_cdf((1 + SURE) / 2)
"""Half an interval, in standard deviations."""

HALVINGS = 40


@dataclass(frozen=True, slots=True)
class Estimate:
    """In Elo, with its 95 % interval, and the likelihood that the difference is above 0."""

    elo: float
    low: float
    high: float
    superiority: float

    @property
    def mirrored(self) -> "Estimate":
        """The same seen by the other."""
        return Estimate(-self.elo, -self.high, -self.low, 1 - self.superiority)


def around(elo: float, deviation: float) -> Estimate:
    """What is known of a difference whose error is normal with that standard deviation."""
    if deviation == 0:
        return Estimate(elo, elo, elo, 0.5 if elo == 0 else float(elo > 0))
    return Estimate(elo, elo - WIDTH * deviation, elo + WIDTH * deviation, NORMAL.cdf(elo / deviation))


def estimated(tally: Tally) -> Estimate:
    """The difference that the counts speak for, and all those that they do not speak against.

    The interval is that of the likelihood ratio. With many sets it is the familiar one, the average score and
    1.96 standard errors to both sides; with few it does not pretend that three wins in a row were certain.
    """
    ahead = copysign(sqrt(2 * loss(tally, 0.5)), tally.score - 0.5)
    return Estimate(
        difference(tally.score),
        difference(_limit(tally, EDGE)),
        difference(_limit(tally, 1 - EDGE)),
        NORMAL.cdf(ahead),
    )


def _limit(tally: Tally, edge: float) -> float:
    """The score furthest from the average, towards the edge, that the counts do not speak against."""
    if _believed(tally, edge):
        return edge
    inside, outside = tally.score, edge
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if _believed(tally, middle) else (inside, middle)
    return inside


def _believed(tally: Tally, score: float) -> bool:
    return 2 * loss(tally, score) <= WIDTH**2
