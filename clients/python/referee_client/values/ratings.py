"""Ratings, and estimates of strength."""

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, kw_only=True)
class Rating:
    """Estimated strength of a bot version. Set by the server."""

    value: float = 0.0
    """The rating on the scale of its ladder; higher is better."""
    deviation: float = 0.0
    """Standard deviation: the true strength is within two of them in 95 of 100 cases."""
    matches: int = 0
    """Number of rated matches."""
    provisional: bool = False
    """Whether there are too few matches to be ranked by it."""


@dataclass(frozen=True, kw_only=True)
class RatingChange:
    """Effect of a match on a rating."""

    seat: int = 0
    """The seat, from 0."""
    bot: str = ""
    """The bot."""
    version: str = ""
    """Its version."""
    before: Rating = field(default_factory=Rating)
    """The rating before the match, with a larger deviation after an absence or for a new version."""
    after: Rating = field(default_factory=Rating)
    """The rating after it."""


@dataclass(frozen=True, kw_only=True)
class RatingPoint:
    """A point of a rating history."""

    match_end_time: datetime | None = None
    """Time when the match ended."""
    match_id: str = ""
    """Id of the match."""
    version: str = ""
    """The bot's version."""
    rating: Rating = field(default_factory=Rating)
    """The rating after the match."""
    season: int = 0
    """Season of the ladder, from 1."""


@dataclass(frozen=True, kw_only=True)
class EloEstimate:
    """Difference in strength in Elo, estimated from all results together (Bradley-Terry)."""

    elo: float = 0.0
    """Elo above the average of the field, or above the only opponent."""
    low_elo: float = 0.0
    """Lower bound of the 95 % interval."""
    high_elo: float = 0.0
    """Upper bound of the 95 % interval."""
    superiority: float = 0.0
    """Likelihood of superiority over the next in the standings, or over the only opponent, from 0 to 1."""
