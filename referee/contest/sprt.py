"""Is this bot better than that one? A test that stops as soon as it knows.

Wald's sequential probability ratio test: after each set, the log-likelihood ratio of "it is `elo1` ahead" to
"it is `elo0` ahead" is looked at, and the test ends when it leaves the two bounds that follow from how often
it may err. The ratio is the generalised one over whole sets (`likelihood`), because the two matches of a set
have their start in common: taken one by one they would seem to say more, or less, than they do.
"""

from dataclasses import dataclass
from enum import Enum
from math import ceil, expm1, log

from engines.refusals import Refusal
from referee.contest.elo import expected
from referee.contest.estimate import Estimate, estimated
from referee.contest.likelihood import evidence
from referee.contest.tally import Tally

DRIFTLESS = 1e-6
"""A walk that tends to one bound by less than this is as good as one that tends to none."""

FURTHEST = 2000
"""In Elo. Whoever is further ahead is expected to win so surely that nothing can be reckoned from it."""

CLOSEST = 0.01
"""In Elo. Differences closer to each other than this no number of matches tells apart."""


class Verdict(Enum):
    OPEN = "open"
    PASSED = "passed"
    """At least `elo1`, as surely as was asked."""
    FAILED = "failed"
    """At most `elo0`, as surely as was asked."""
    UNDECIDED = "undecided"
    """The matches were used up first."""


class BadSprt(Refusal):
    """A test that can say nothing."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"this test cannot be: {field} {why}", field=field, why=why)


@dataclass(frozen=True, slots=True)
class Sprt:
    """What is to be decided, and how surely. Raises BadSprt if that can never be."""

    elo1: float
    elo0: float = 0.0
    alpha: float = 0.05
    """How often a bot that is no better may pass."""
    beta: float = 0.05
    """How often a bot that is better may fail."""
    matches_at_most: int | None = None

    def __post_init__(self) -> None:
        if not -FURTHEST <= self.elo0 <= FURTHEST:
            raise BadSprt("elo0", f"must be from -{FURTHEST} to {FURTHEST}")
        if not self.elo0 + CLOSEST <= self.elo1 <= FURTHEST:
            raise BadSprt(
                "elo1", f"must be at least {self.elo0 + CLOSEST:g} (elo0 and {CLOSEST:g}) and at most {FURTHEST}"
            )
        for field, share in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < share < 0.5:
                raise BadSprt(field, "must be between 0 and 0.5")
        if self.matches_at_most is not None and self.matches_at_most < 1:
            raise BadSprt("matches_at_most", "must be at least 1")

    @property
    def lower(self) -> float:
        """The test fails when the ratio falls to this."""
        return log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The test passes when the ratio rises to this."""
        return log((1 - self.beta) / self.alpha)


@dataclass(frozen=True, slots=True)
class State:
    """How a test stands."""

    verdict: Verdict
    llr: float
    estimate: Estimate
    matches_to_go: int
    """Matches that will probably still be needed. 0 once it is decided."""


def judged(sprt: Sprt, tally: Tally) -> State:
    """How the test stands after these outcomes."""
    verdict = decided(sprt, tally)
    to_go = _matches_to_go(sprt, tally) if verdict is Verdict.OPEN else 0
    return State(verdict, llr(sprt, tally), estimated(tally), to_go)


def decided(sprt: Sprt, tally: Tally) -> Verdict:
    """Only the verdict; it takes a fraction of the time."""
    ratio = llr(sprt, tally)
    if ratio >= sprt.upper:
        return Verdict.PASSED
    if ratio <= sprt.lower:
        return Verdict.FAILED
    if sprt.matches_at_most is not None and tally.matches + tally.matches_a_set > sprt.matches_at_most:
        return Verdict.UNDECIDED
    return Verdict.OPEN


def llr(sprt: Sprt, tally: Tally) -> float:
    """The log-likelihood ratio of `elo1` to `elo0`.

    Bounds promise what they do for known rates, but the rates are learnt from the same sets, and a short run
    of luck looks steadier than it is. So one set for each outcome is held to have told nothing: a short test
    takes a few sets more, and a long one does not notice.
    """
    return tally.weigh(_gains(sprt, tally)) * tally.sets / (tally.sets + len(tally.counts))


def _gains(sprt: Sprt, tally: Tally) -> list[float]:
    """By how much one more set of each outcome raises the ratio."""
    against0, against1 = (evidence(tally, expected(elo)) for elo in (sprt.elo0, sprt.elo1))
    return [of0 - of1 for of0, of1 in zip(against0, against1, strict=True)]


def _matches_to_go(sprt: Sprt, tally: Tally) -> int:
    """If the sets to come are like those so far: how long a random walk of that kind stays inside the bounds."""
    gains = _gains(sprt, tally)
    ratio = llr(sprt, tally)
    drift = tally.weigh(gains) / tally.sets
    spread = tally.weigh((gain - drift) ** 2 for gain in gains) / tally.sets
    matches = ceil(_time_inside(drift, spread, ratio - sprt.lower, sprt.upper - ratio)) * tally.matches_a_set
    return matches if sprt.matches_at_most is None else min(matches, sprt.matches_at_most - tally.matches)


def _time_inside(drift: float, spread: float, below: float, above: float) -> float:
    """The expected time until a Brownian motion has gone down by `below` or up by `above`."""
    if drift < 0:
        return _time_inside(-drift, spread, above, below)
    pull = 2 * drift / spread
    if pull * (below + above) < DRIFTLESS:
        return below * above / spread
    goes_up = expm1(-pull * below) / expm1(-pull * (below + above))
    return (goes_up * (below + above) - below) / drift
