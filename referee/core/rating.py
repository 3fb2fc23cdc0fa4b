"""What a match did to the ratings of those who played it, as plain numbers: whoever computed them stands behind them.

Ratings change nothing in the match itself, and the core computes none.
"""

from dataclasses import dataclass

from engines.api import Seat


@dataclass(frozen=True, slots=True)
class PlayerRating:
    """How strong a player seemed to be at one moment, and how sure that was."""

    value: float
    deviation: float
    matches: int
    """Rated so far."""
    provisional: bool = False
    """There were too few of them to be ranked by."""


@dataclass(frozen=True, slots=True)
class RatingChange:
    """What one match did to the rating of one seat."""

    seat: Seat
    bot: str
    version: str
    before: PlayerRating
    after: PlayerRating
