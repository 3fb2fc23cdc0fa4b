"""Outgoing queue of one session, and repeated delivery of results.

An item replaces a pending one with the same key. A pending turn is only its key and is encoded when it is sent, so a
bot that reads slowly costs bounded memory. Turns are sent last, so a bot gets the verdict before its next turn.

Results of matches are delivered at least once: they are sent in every session until a pong confirms them. Undelivered
results are stored with the log and so survive a restart.
"""

import asyncio
from collections.abc import Callable, Coroutine, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count, islice
from typing import Any, Protocol, TypeAlias

from msgspec import Struct

from engines.api import Seat
from referee.accounts.bot_log import NoticeNote
from referee.live.ports import settle
from referee.match.clock import Micros, TimeControl
from referee.match.clock_charge import ClockCharge
from referee.match.events import MovePlayed
from referee.match.result import Result


@dataclass(frozen=True, slots=True)
class HelloAccepted:
    """The answer to every Hello."""


class TurnNotice(Struct, frozen=True, gc=False):
    """The seat owes a move. `Referee.turn_due` returns the turn, or None if it has passed."""

    match_id: str
    seat: Seat


class RequestAccepted(Struct, frozen=True, gc=False):
    """A request was accepted."""

    number: int
    """Number of the last entry of the match after the request."""
    result: Result | None
    """Result of the match. None: it is not over."""


class MoveAccepted(Struct, frozen=True, gc=False):
    """A move was accepted."""

    event: MovePlayed
    control: TimeControl
    """Time control of the seat."""
    number: int
    """Number of the entry that holds the move."""
    ply: int
    """Ply of the move, from 0."""
    result: Result | None
    """Result of the match, if the move ended it."""
    repeated: bool
    """Whether the same answer was given before; this is its original verdict."""


class VerdictNotice(Struct, frozen=True):
    """Result of an item that the bot sent: accepted or rejected."""

    item_id: int
    match_id: str
    token: str
    outcome: MoveAccepted | RequestAccepted | Exception


@dataclass(frozen=True, slots=True)
class MatchStarted:
    match_id: str
    seat: Seat


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """The match is over. Sent again until a pong confirms it."""

    match_id: str
    seat: Seat


@dataclass(frozen=True, slots=True)
class TurnExpired:
    """A turn no longer needs an answer, although the match continues."""

    match_id: str
    seat: Seat
    token: str
    played_instead: str
    """The move played for the seat. Empty: none."""
    row: ClockCharge | None
    """The clock charge that proves that the flag fell. None: it did not."""
    control: TimeControl
    """Time control of the seat."""


@dataclass(frozen=True, slots=True)
class NonceRequested:
    match_id: str
    seat: Seat
    commitment: bytes
    until_us: Micros
    """When the server stops waiting for nonces, in monotonic time."""


@dataclass(frozen=True, slots=True)
class PingNotice:
    id: int
    round_trip_us: Micros
    """Last measured round trip; 0: not measured yet."""


@dataclass(frozen=True, slots=True)
class TakeoverNotice:
    by_session_id: str


@dataclass(frozen=True, slots=True)
class DrainNotice:
    closes_in_ms: int
    reconnect_delay_ms: int


@dataclass(frozen=True, slots=True)
class EncodedItem:
    """An item that another node of the cluster has encoded already."""

    item: bytes
    """A RefereeItem."""


OutboxItem: TypeAlias = (
    HelloAccepted
    | EncodedItem
    | TurnNotice
    | VerdictNotice
    | MatchStarted
    | MatchEnded
    | TurnExpired
    | NonceRequested
    | NoticeNote
    | PingNotice
    | TakeoverNotice
    | DrainNotice
)


REPORTED = frozenset({PingNotice, MatchEnded})
"""Items whose sending is reported, because a pong refers to it."""


class Outbox:
    """Items for one session, on one event loop, drained by its stream only."""

    def __init__(self, on_sent: Callable[[Sequence[OutboxItem]], None] = lambda _: None) -> None:
        """`on_sent` is called with the items of kinds in REPORTED that are drained, before they are sent."""
        self.closed: Exception | None = None
        """Why the outbox was closed. None: it is open."""
        self._on_sent = on_sent
        self._items: dict[Hashable, OutboxItem] = {}
        self._waiting: dict[Hashable, OutboxItem] = {}
        """Items that wait for the next one of the others."""
        self._turns: dict[Hashable, TurnNotice] = {}
        self._numbers = count()
        self._reports = False
        """Whether an item of a kind in REPORTED may be pending."""
        self._on_due: Callable[[], None] | None = None
        """Called when there is something to send, or the outbox is closed. None: the stream does not wait for that."""
        self._below_limit: asyncio.Event | None = None
        """Set by the next `drain`. None: nobody waits for room."""

    def __len__(self) -> int:
        return len(self._items) + len(self._waiting) + len(self._turns)

    def put(self, key: Hashable | None, item: OutboxItem) -> None:
        """Queue `item` behind pending ones of its kind, replacing one with the same key; None: a unique key.

        Does nothing once the outbox is closed.
        """
        if self.closed:
            return
        key = next(self._numbers) if key is None else key
        pending: dict[Hashable, Any] = self._turns
        if type(item) is not TurnNotice:
            if self._waiting:
                self._join()
            pending = self._items
            self._reports = self._reports or type(item) in REPORTED
        pending.pop(key, None)
        pending[key] = item
        if self._on_due:
            self._wake()

    def put_waiting(self, item: OutboxItem) -> None:
        """Queue `item`, which need not be sent before another one is, or before `release`."""
        if not self.closed:
            self._waiting[next(self._numbers)] = item

    def release(self) -> None:
        """Send the items that wait for another one."""
        self._join()
        if self._items:
            self._wake()

    def drain(self, limit: int) -> list[OutboxItem]:
        """Remove and return up to `limit` items, the oldest first and turns last. Empty: none is pending."""
        if self._waiting:
            self._join()
        if len(self._items) + len(self._turns) <= limit:
            items = [*self._items.values(), *self._turns.values()]
            self._items.clear()
            self._turns.clear()
        else:
            items = _take(self._items, limit)
            items += _take(self._turns, limit - len(items))
        if self._below_limit:
            self._below_limit.set()
            self._below_limit = None
        if self._reports:
            self._on_sent([item for item in items if type(item) in REPORTED])
            self._reports = bool(self._items)
        return items

    @property
    def is_due(self) -> bool:
        """Whether there is something to send."""
        return bool(self._items or self._turns or (self.closed and self._waiting))

    def call_when_due(self, callback: Callable[[], None]) -> None:
        """Call `callback` once, when there is something to send or the outbox is closed, which it is not yet."""
        self._on_due = callback

    async def wait(self) -> None:
        """Wait until there is something to send, or the outbox is closed."""
        if not self.is_due and not self.closed:
            due: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self.call_when_due(partial(settle, due, None))
            await due

    async def room(self, limit: int) -> None:
        """Wait until fewer than `limit` items are pending. Backpressure for bots that do not read."""
        while len(self) >= limit and not self.closed:
            self._below_limit = self._below_limit or asyncio.Event()
            await self._below_limit.wait()

    def close(self, error: Exception) -> None:
        """Accept nothing more. Pending items can still be drained; only the first reason counts."""
        self.closed = self.closed or error
        self._wake()
        if self._below_limit:
            self._below_limit.set()

    def _join(self) -> None:
        """Add the items that wait to the others, behind those that were queued before."""
        self._items.update(self._waiting)
        self._waiting.clear()

    def _wake(self) -> None:
        on_due, self._on_due = self._on_due, None
        if on_due:
            on_due()


def _take(pending: dict[Hashable, Any], limit: int) -> list[OutboxItem]:
    return [pending.pop(key) for key in list(islice(pending, limit))]


MAX_ENDS_PER_SESSION = 100
"""Limit of results that are sent when a session begins; the newest come first, older ones in the next session."""


class UndeliveredEnds(Protocol):
    """Results that bots have not confirmed. The log inserts one for each bot of a match that ends.

    Every method raises StoreUnavailable if they cannot be used now.
    """

    async def list_for(self, bot: str, limit: int) -> list[MatchEnded]:
        """Return up to `limit` results, those of the newest matches, in the order of the matches' creation."""

    async def mark_delivered(self, ends: Sequence[MatchEnded]) -> None:
        """Delete these results, which the bot has confirmed. Idempotent."""


class EndDelivery:
    """Sends undelivered results again."""

    def __init__(self, undelivered: UndeliveredEnds, start: Callable[[Coroutine[Any, Any, None]], object]) -> None:
        """`start` runs a coroutine in the background."""
        self._undelivered = undelivered
        self._start = start

    def resend(self, bot: str, tell: Callable[[MatchEnded], None]) -> None:
        """Pass the undelivered results of the bot to `tell`, in the background."""
        self._start(self._resend(bot, tell))

    def mark_delivered(self, ends: Sequence[MatchEnded]) -> None:
        self._start(self._undelivered.mark_delivered(ends))

    async def _resend(self, bot: str, tell: Callable[[MatchEnded], None]) -> None:
        for ended in await self._undelivered.list_for(bot, MAX_ENDS_PER_SESSION):
            tell(ended)
