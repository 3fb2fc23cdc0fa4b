"""What the runners of one process work with, and who keeps them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from engines.api import Seat
from referee.app.ports import Entry, EventLog, Time
from referee.core.clock import Micros
from referee.core.match import Match


@dataclass(frozen=True, slots=True)
class Delays:
    """What of a seat's turn so far is not its bot's doing, as measured outside of the match."""

    network_us: Micros = 0
    """The way there and back, as measured on the bot's stream."""
    stall_us: Micros = 0
    """The stall of this process since the turn was sent: its event loop was late."""


class Keeper(Protocol):
    """Who keeps the runners, and is told by them.

    All of these take note and return at once: a match does not wait for its listeners. What they raise
    goes to `broke`, and stops nothing.
    """

    def announce(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        """`entries` are in the log, and have made `match` of `before`. None before: it was opened.

        Each entry comes once, in order. Those who watch read the log: this is a hint to look.
        """

    def delays(self, match_id: str, seat: Seat) -> Delays:
        """Those of the turn that `seat` owes now, or was last asked."""

    def broke(self, match_id: str, fault: Exception) -> None:
        """Something failed that is no player's doing. For the referee's own log."""

    def left(self, match_id: str) -> None:
        """The runner has stopped by itself, for good: somebody else writes this match's log, or it broke."""


@dataclass(frozen=True, slots=True)
class Desk:
    log: EventLog
    time: Time
    keeper: Keeper
