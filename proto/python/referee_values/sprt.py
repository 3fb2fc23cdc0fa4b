"""Sequential probability ratio tests (SPRT) of whether a bot is stronger than another one."""

from typing import Literal

from referee_values.rating import EloEstimate
from referee_values.value import Count, Value

SprtModel = Literal["", "trinomial", "pentanomial"]
"""Outcomes that a test counts.

- `""`: Default: pentanomial.
- `"trinomial"`: Single matches: losses, draws and wins.
- `"pentanomial"`: Sets of two matches with exchanged seats: 0, 0.5, 1, 1.5 or 2 points.
"""
SprtVerdict = Literal["", "open", "passed", "failed", "undecided"]
"""Verdict of a test.

- `""`: Not used.
- `"open"`: The test continues.
- `"passed"`: The alternative hypothesis was accepted: the difference is `elo1`.
- `"failed"`: The null hypothesis was accepted: the difference is `elo0`.
- `"undecided"`: The maximum number of matches was reached first, or the bots only repeated earlier matches.
"""


class Sprt(Value, frozen=True, kw_only=True):
    """Hypotheses and error rates of a test."""

    elo0: float = 0.0
    """Difference of the null hypothesis, in Elo. Default 0."""
    elo1: float = 0.0
    """Difference of the alternative hypothesis, in Elo. Greater than `elo0`. Required."""
    alpha: float = 0.0
    """Probability of passing if the null hypothesis is true. Default 0: 0.05."""
    beta: float = 0.0
    """Probability of failing if the alternative hypothesis is true. Default 0: 0.05."""
    model: SprtModel = ""
    """Outcomes that are counted. Default: pentanomial."""
    max_matches: Count = 0
    """Maximum number of matches, after which the test ends undecided. Default 0: unlimited."""


class SprtState(Value, frozen=True, kw_only=True):
    """State of a test of the first entrant against the second."""

    verdict: SprtVerdict = ""
    """The verdict."""
    llr: float | None = None
    """Log-likelihood ratio. Not set in games of more than two sides, where only the estimate is computed, from the
    scores in the sets.
    """
    llr_lower: float = 0.0
    """Ratio at which the test fails."""
    llr_upper: float = 0.0
    """Ratio at which the test passes."""
    counts: tuple[Count, ...] = ()
    """Number of each outcome, from the worst for the first entrant to the best: three or five numbers."""
    estimate: EloEstimate | None = None
    """Estimated difference in strength."""
    matches: Count = 0
    """Number of matches counted."""
    expected_matches_left: Count = 0
    """Expected number of further matches. 0 once the test is over."""
    repeated_matches: Count = 0
    """Number of matches that were not counted, because both bots repeated all moves of earlier ones from the same
    seats.
    """
    first_seat_elo: float = 0.0
    """Advantage of the first seat, in Elo, as estimated from the counted matches. Hypotheses and estimate are leads
    in addition to it. 0 if it does not differ from chance, and in games of more than two sides.
    """
