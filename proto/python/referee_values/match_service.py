"""Matches: creating, watching, and playing them without a stream."""

from referee_values.entry import Entry
from referee_values.match import Match, MatchState
from referee_values.value import Value


class MatchSnapshot(Value, frozen=True, kw_only=True):
    """A match and its state at the number that the stream starts from."""

    match: Match = Match()
    """The match at the time of the call."""
    state: MatchState = MatchState()
    """State at the requested number as the viewer can see it. Not set if the match is not visible yet."""


class WatchMatchItem(Value, frozen=True, kw_only=True):
    """An item of a watched match."""

    snapshot: MatchSnapshot | None = None
    """The match and its state at the number that the stream starts from. Always the first item."""
    entry: Entry | None = None
    """The next entry."""

    @property
    def item(self) -> MatchSnapshot | Entry | None:
        """The item."""
        return self.snapshot or self.entry
