"""The sequential probability ratio test (SPRT): is one bot stronger than another?

After each set, the log-likelihood ratio of "it is ahead by `elo1`" to "it is ahead by `elo0`" is compared with two
bounds, which follow from the accepted error rates. The test ends when the ratio reaches one of them. It is the
generalised ratio over whole sets (`elo.OutcomeCounts`), because the matches of a set have their start in common and are
not independent.

The ratio of two small leads grows slowly if one bot wins everything. So a test also ends when one of a few clear leads
explains the results far better than the hypothesis that it would reject.

If the first seat is worth much, a lead changes the average score less. Its worth is estimated from the same matches,
and the hypotheses are leads in addition to it.
"""

from math import ceil, expm1, log

from msgspec import Struct
from msgspec.structs import replace
from referee_values import SprtVerdict

from engines.game_errors import DetailedError
from referee.contests.strength.elo import (
    ELO_SCALE,
    EloEstimate,
    OutcomeCounts,
    elo_difference,
    estimate_from_counts,
    outcome_losses,
    seated_score,
)

MIN_DRIFT = 1e-6
"""A smaller drift of the ratio towards one bound is treated as none."""

MAX_ELO = 2000
"""Limit of differences. Beyond it, expected scores are too close to 1 to compute with."""

MIN_ELO_GAP = 0.01
"""Minimum distance of the two hypotheses. No number of matches would separate closer ones."""


CLEAR_LEADS = (100.0, 200.0, 400.0, 800.0)
"""Distances from a hypothesis, in Elo, at which a lead may reject it at once."""

CLEAR_SHARE = 0.1
"""Share of an error rate that clear leads may add to it."""


class BadSprt(DetailedError):
    """Parameters that make no valid test."""

    def __init__(self, field: str, wrong: str) -> None:
        super().__init__(f"invalid SPRT parameters: {field} {wrong}", field=field, wrong=wrong)


class SprtParameters(Struct, frozen=True, gc=False):
    """Hypotheses and error rates. The constructor raises BadSprt if they are not valid."""

    elo1: float
    elo0: float = 0.0
    alpha: float = 0.05
    """Probability that a bot that is not better passes."""
    beta: float = 0.05
    """Probability that a bot that is better fails."""
    max_matches: int | None = None

    def __post_init__(self) -> None:
        if not -MAX_ELO <= self.elo0 <= MAX_ELO:
            raise BadSprt("elo0", f"must be from -{MAX_ELO} to {MAX_ELO}")
        if not self.elo0 + MIN_ELO_GAP <= self.elo1 <= MAX_ELO:
            raise BadSprt(
                "elo1", f"must be at least {self.elo0 + MIN_ELO_GAP:g} (elo0 and {MIN_ELO_GAP:g}) and at most {MAX_ELO}"
            )
        for field, share in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < share < 0.5:
                raise BadSprt(field, "must be between 0 and 0.5")
        if self.max_matches is not None and self.max_matches < 1:
            raise BadSprt("max_matches", "must be at least 1")

    @property
    def lower(self) -> float:
        """The test fails if the ratio reaches this bound."""
        return log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The test passes if the ratio reaches this bound."""
        return log((1 - self.beta) / self.alpha)


class SeatPoints(Struct, frozen=True, gc=False):
    """Points of the first bot in both seats, by which the worth of the first seat is estimated."""

    first: float = 0.0
    first_matches: int = 0
    second: float = 0.0
    second_matches: int = 0

    def with_match(self, is_first: bool, points: float) -> "SeatPoints":
        if is_first:
            return replace(self, first=self.first + points, first_matches=self.first_matches + 1)
        return replace(self, second=self.second + points, second_matches=self.second_matches + 1)

    @property
    def first_seat(self) -> float:
        """What the first seat is worth, in Elo, less what chance alone would show; 0 if that is as much.

        A won and a lost match in each seat are added, so that few matches give a finite value.
        """
        shares = [
            ((points + 1) / (matches + 2), matches + 2)
            for points, matches in ((self.first, self.first_matches), (self.second, self.second_matches))
        ]
        (as_first, _), (as_second, _) = shares
        found = (elo_difference(as_first) - elo_difference(as_second)) / 2
        variance = (ELO_SCALE / 2) ** 2 * sum(1 / (matches * share * (1 - share)) for share, matches in shares)
        return found * (1 - variance / found**2) if found**2 > variance else 0.0


NO_POINTS = SeatPoints()


class SprtState(Struct, frozen=True, gc=False):
    """State of a test."""

    verdict: SprtVerdict
    llr: float
    estimate: EloEstimate
    matches_to_go: int
    """Estimated number of further matches. 0 once the test is decided."""


def evaluate_sprt(sprt: SprtParameters, counts: OutcomeCounts, first_seat: float = 0.0) -> SprtState:
    """Return the state of the test after these outcomes. `first_seat` is what the first seat is worth, in Elo."""
    verdict = decide_sprt(sprt, counts, first_seat)
    remaining = _matches_to_go(sprt, counts, first_seat) if verdict == "open" else 0
    return SprtState(verdict, llr(sprt, counts, first_seat), estimate_from_counts(counts, first_seat), remaining)


def decide_sprt(sprt: SprtParameters, counts: OutcomeCounts, first_seat: float = 0.0) -> SprtVerdict:
    """Return the verdict alone, which is much faster than `evaluate_sprt`."""
    ratio = llr(sprt, counts, first_seat)
    if ratio >= sprt.upper or _has_clear_lead(counts, sprt.elo0, 1, sprt.alpha, first_seat):
        return "passed"
    if ratio <= sprt.lower or _has_clear_lead(counts, sprt.elo1, -1, sprt.beta, first_seat):
        return "failed"
    if sprt.max_matches is not None and counts.matches + counts.matches_per_set > sprt.max_matches:
        return "undecided"
    return "open"


def llr(sprt: SprtParameters, counts: OutcomeCounts, first_seat: float = 0.0) -> float:
    """Return the log-likelihood ratio of `elo1` to `elo0`."""
    return counts.weighted_sum(_outcome_gains(sprt, counts, first_seat)) * _certainty(counts)


def _certainty(counts: OutcomeCounts) -> float:
    """Return the factor of ratios.

    The bounds hold for known rates, but rates are estimated from the same sets, so a short lucky run looks more
    certain than it is. Ratios are therefore scaled as if one set for each outcome had carried no information: a short
    test takes a few more sets, and a long one is hardly affected.
    """
    return counts.sets / (counts.sets + len(counts.counts))


def _outcome_gains(sprt: SprtParameters, counts: OutcomeCounts, first_seat: float) -> list[float]:
    """Return by how much one more set of each outcome raises the ratio."""
    losses0, losses1 = (outcome_losses(counts, seated_score(elo, first_seat)) for elo in (sprt.elo0, sprt.elo1))
    return [loss0 - loss1 for loss0, loss1 in zip(losses0, losses1, strict=True)]


def _has_clear_lead(counts: OutcomeCounts, rejected: float, sign: int, error_rate: float, first_seat: float) -> bool:
    """Return whether a lead far above (sign 1) or below (-1) the rejected hypothesis is clearly more likely.

    For each clear lead, a ratio of 1 / error happens with at most that probability if the rejected hypothesis is true,
    however long the test takes.
    """
    bound = log(len(CLEAR_LEADS) / (CLEAR_SHARE * error_rate)) / _certainty(counts)
    rejected_score = seated_score(rejected, first_seat)
    if sign * (counts.score - rejected_score) <= 0:
        return False
    loss = counts.weighted_sum(outcome_losses(counts, rejected_score))
    return loss >= bound and any(
        loss - counts.weighted_sum(outcome_losses(counts, seated_score(rejected + sign * lead, first_seat))) >= bound
        for lead in CLEAR_LEADS
    )


def _matches_to_go(sprt: SprtParameters, counts: OutcomeCounts, first_seat: float) -> int:
    """Return how long a random walk with the observed drift and variance stays between the bounds, in matches."""
    gains = _outcome_gains(sprt, counts, first_seat)
    ratio = llr(sprt, counts, first_seat)
    drift = counts.weighted_sum(gains) / counts.sets
    spread = counts.weighted_sum((gain - drift) ** 2 for gain in gains) / counts.sets
    matches = ceil(_expected_exit_time(drift, spread, ratio - sprt.lower, sprt.upper - ratio)) * counts.matches_per_set
    return matches if sprt.max_matches is None else min(matches, sprt.max_matches - counts.matches)


def _expected_exit_time(drift: float, spread: float, below: float, above: float) -> float:
    """Return the expected time until a Brownian motion falls by `below` or rises by `above`."""
    if drift < 0:
        return _expected_exit_time(-drift, spread, above, below)
    rate = 2 * drift / spread
    if rate * (below + above) < MIN_DRIFT:
        return below * above / spread
    upward_probability = expm1(-rate * below) / expm1(-rate * (below + above))
    return (upward_probability * (below + above) - below) / drift
