"""Ratings of bots.

A rating belongs to a version of a bot on a ladder. Every change is stored together with the result that caused it,
and can be recomputed from the results.
"""

from referee_values.value import Count, Timestamp, Value


class Rating(Value, frozen=True, kw_only=True):
    """Estimated strength of a bot version. Set by the server."""

    value: float = 0.0
    """The rating on the scale of its ladder; higher is better."""
    deviation: float = 0.0
    """Standard deviation: the true strength is within two of them in 95 of 100 cases."""
    matches: Count = 0
    """Number of rated matches."""
    provisional: bool = False
    """Whether there are too few matches to be ranked by it."""


class EloEstimate(Value, frozen=True, kw_only=True):
    """Difference in strength in Elo, estimated from all results together (Bradley-Terry)."""

    elo: float = 0.0
    """Elo above the average of the field, or above the only opponent."""
    low_elo: float = 0.0
    """Lower bound of the 95 % interval."""
    high_elo: float = 0.0
    """Upper bound of the 95 % interval."""
    superiority: float = 0.0
    """Likelihood of superiority over the next in the standings, or over the only opponent, from 0 to 1."""


class RatingChange(Value, frozen=True, kw_only=True):
    """Effect of a match on a rating."""

    seat: Count = 0
    """The seat, from 0."""
    bot: str = ""
    """The bot."""
    version: str = ""
    """Its version."""
    before: Rating = Rating()
    """The rating before the match, with a larger deviation after an absence or for a new version."""
    after: Rating = Rating()
    """The rating after it."""


class RatingPoint(Value, frozen=True, kw_only=True):
    """A point of a rating history."""

    match_end_time: Timestamp | None = None
    """Time when the match ended."""
    match_id: str = ""
    """Id of the match."""
    version: str = ""
    """The bot's version."""
    rating: Rating = Rating()
    """The rating after the match."""
    season: Count = 0
    """Season of the ladder, from 1."""
