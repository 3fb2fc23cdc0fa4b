"""What the runners of one process work with, and who keeps them."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

from engines.api import Seat
from referee.app.contests.log import Beside
from referee.app.ports import Entry, EventLog, Time
from referee.core.clock import Micros
from referee.core.commands import Command
from referee.core.deciding import Decided
from referee.core.deciding import decide as by_the_rules
from referee.core.match import Match
from referee.core.rating import RatingChange


class Delays(NamedTuple):
    """What may hold up a seat's turn and is not its bot's doing, as measured outside of the match."""

    network_us: Micros = 0
    """The way there and back, as measured on the bot's stream."""
    lag_us: Micros = 0
    """All lag of this process so far (see `lag`), but for what the seat's own holder caused. Only its growth counts."""


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


WriteEnd: TypeAlias = Callable[[tuple[RatingChange, ...], Beside | None], Awaitable[list[Entry]]]
"""Writes the end of a match: with what it does to ratings, and with what the log of their ladder says of it."""


class Rater(Protocol):
    """Who keeps the ratings that follow from matches."""

    async def rate(self, match: Match, write_end: WriteEnd) -> None:
        """Have `write_end` write the end of `match` and what it does to ratings, by one stroke; then believe both.

        `match` is as the end will leave it: not void, and labelled with a ladder. Ratings are computed from how the
        ladder stands while nobody else can write to it: from before `write_end` is called until it is believed. If
        there is nothing to rate, `write_end((), None)` writes the end alone.

        What `write_end` raises, nothing was written, and it is to be passed on: nothing may be believed. A
        Conflict may be one of the ladder's log; then the same match comes again, and its ladder must have been read
        anew. Who is cancelled while writing does not know what became of it, as ever.
        """


Decide: TypeAlias = Callable[[Match, Command, Micros], Decided]
"""What happens next in a match: see `core.deciding.decide`."""


@dataclass(frozen=True, slots=True)
class Desk:
    log: EventLog
    time: Time
    keeper: Keeper
    rater: Rater | None = None
    """None: nothing is rated."""
    decide: Decide = by_the_rules
    """Who looks on from outside may stand around it."""


def as_it_is(desk: Desk) -> Desk:
    """Nobody stands around it."""
    return desk
