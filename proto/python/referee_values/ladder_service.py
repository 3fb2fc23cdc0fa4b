"""Ladders: creating, joining and watching them."""

from referee_values.contest import MatchCorrection, Pairing
from referee_values.ladder import Ladder, LadderEntry, LadderStanding
from referee_values.value import Count64, Value


class LadderSnapshot(Value, frozen=True, kw_only=True):
    """State of a ladder at the time of the call.

    When a watcher continues after an earlier number, all entries since then follow.
    """

    entry_number: Count64 = 0
    """Number of the last entry that is included."""
    ladder: Ladder = Ladder()
    """The ladder."""
    standings: tuple[LadderStanding, ...] = ()
    """The first hundred rows of the standings."""
    pairings: tuple[Pairing, ...] = ()
    """Pairings that are planned or in play."""
    corrections: tuple[MatchCorrection, ...] = ()
    """The newest hundred corrections that count, oldest first."""


class WatchLadderItem(Value, frozen=True, kw_only=True):
    """An item of a watched ladder."""

    snapshot: LadderSnapshot | None = None
    """The current state. Always the first item."""
    entry: LadderEntry | None = None
    """The next entry."""

    @property
    def item(self) -> LadderSnapshot | LadderEntry | None:
        """The item."""
        return self.snapshot or self.entry
