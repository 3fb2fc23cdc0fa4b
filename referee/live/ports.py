"""Ports: the storage, time and ratings that live matches need, their errors, and the observers that are notified.

Each port has one suite of contract tests that every adapter passes.
"""

import asyncio
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from msgspec import Struct

from engines.game_errors import DetailedError, quoted, shortened
from referee.live.match_request import EVERY_MATCH, MatchFilter
from referee.match.clock import Micros
from referee.match.events import Event
from referee.match.state import Match


class Request(Struct, frozen=True, gc=False):
    """A request with an id chosen by its caller, so that it can be repeated safely."""

    by: int | str
    """The seat or the person that sends it."""
    id: str
    """A repeated id of the same caller means the same request; anything else is an error."""
    asked: str
    """Canonical text of the request, to detect that an id is reused for another one."""


class Entry(Struct, frozen=True, gc=False):
    """An event as stored in the log."""

    match_id: str
    number: int
    """1, 2, 3, … within its match, without gaps."""
    at_ms: int
    """When it was written (Unix milliseconds), for people; proofs use match time."""
    event: Event
    request: Request | None = None
    """The request that this entry answers. It is stored with the last of the entries that followed from it."""


class Conflict(Exception):
    """The log of a match or contest has grown since the caller read it."""

    def __init__(self, of: str, after: int, last: int) -> None:
        super().__init__(f"the log of {of} has {last} entries, not {after}")
        self.of = of
        """Id of the match or contest."""
        self.after = after
        self.last = last


class StoreUnavailable(Exception):
    """The log cannot be written or read now (disk full, read-only, locked). Nothing was changed."""


class NoSuchMatch(DetailedError):
    def __init__(self, match_id: str) -> None:
        super().__init__(f"there is no match {quoted(match_id)}", match_id=shortened(match_id))


class MatchArchived(DetailedError):
    """The match is over, and its entries have left the log. Nothing can be appended to it."""

    def __init__(self, match_id: str) -> None:
        super().__init__(
            f"match {match_id} is archived; the operator of this server has its record, {match_id}.jsonl",
            match_id=match_id,
        )


def fault_id(match_id: str) -> str:
    """Return the id in the server's log of the only fault of this match: its game failed, or its log is damaged."""
    return f"fault-{match_id}"


MISSING, UNREADABLE = "is missing", "cannot be read"
"""What can be wrong with an entry."""


class LogDamaged(DetailedError):
    """The log of a match lacks an entry, or holds one that cannot be read."""

    def __init__(self, match_id: str, number: int, wrong: str = MISSING) -> None:
        super().__init__(
            f"the log of match {match_id} is damaged: its entry {number} {wrong}; "
            f"the fault is {fault_id(match_id)} in the referee's log",
            match_id=match_id,
            fault_id=fault_id(match_id),
        )


class EngineFault(DetailedError):
    """The game failed while deciding; the match is void."""

    def __init__(self, match_id: str) -> None:
        super().__init__(
            f"the engine of the game failed; match {match_id} is void",
            match_id=match_id,
            fault_id=fault_id(match_id),
        )


class Summaries(Struct, frozen=True, gc=False):
    """Result of a search for matches: the entries that a list shows."""

    found: list[list[Entry]]
    """Entries of each match: all until play began, and the last one if the match is over."""
    stopped_at: str = ""
    """The match at which the search stopped; older ones may match too. Empty: all were searched."""


T = TypeVar("T")
ContestEventT = TypeVar("ContestEventT")


class CoAppend(Struct, Generic[ContestEventT], frozen=True, gc=False):
    """Events to append to the log of a contest in the same transaction as events of a match."""

    contest: str
    after: int
    """Number of the entry of the contest that they follow."""
    events: tuple[ContestEventT, ...]


class Append(Struct, frozen=True):
    """Events to append to the log of a match, all or none."""

    match_id: str
    after: int
    """Number of the entry that they follow."""
    events: tuple[Event, ...]
    request: Request | None = None
    """The request that the last entry answers."""
    co_append: CoAppend[Any] | None = None
    """Written in the same transaction: both or neither."""


def entries_of(append: Append, at_ms: int) -> list[Entry]:
    """Return the entries of an append that is written at this time."""
    last = append.after + len(append.events)
    return [
        Entry(append.match_id, number, at_ms, event, append.request if number == last else None)
        for number, event in enumerate(append.events, append.after + 1)
    ]


AppendCallback: TypeAlias = "Callable[[list[Entry] | Exception], None]"
"""Called once with the durable entries of an append, or with the error because of which nothing was written."""


class EventLog(Protocol):
    """The log of every match: the source of truth. Adapters inherit from it."""

    @abstractmethod
    def begin_append(self, append: Append, done: AppendCallback) -> None:
        """Write the events, and call `done` later on this event loop.

        The error is Conflict if the log of the match or contest has grown, or StoreUnavailable. Raises what makes an
        event impossible to write.
        """

    async def append(
        self,
        match_id: str,
        after: int,
        events: Sequence[Event],
        request: Request | None = None,
        co_append: CoAppend[Any] | None = None,
    ) -> list[Entry]:
        """Return the entries of `begin_append` once they are durable. Raises its error.

        If the caller is cancelled, they are written completely or not at all.
        """
        written: asyncio.Future[list[Entry]] = asyncio.get_running_loop().create_future()
        self.begin_append(Append(match_id, after, tuple(events), request, co_append), partial(settle, written))
        return await written

    @abstractmethod
    async def read(self, match_id: str, after: int = 0, limit: int | None = None) -> list[Entry]:
        """Return the entries after number `after`, in order. Empty: there are none, or there is no such match.

        Raises MatchArchived if its entries have left the log, or LogDamaged if one cannot be read.
        """

    async def read_matches(self, match_ids: Sequence[str], max_entries: int) -> list[list[Entry] | LogDamaged]:
        """Return the whole logs of the first of these matches: at least one, and no more once they have `max_entries`.

        LogDamaged stands for a log with an entry that cannot be read. The default reads one log after another.
        """
        found: list[list[Entry] | LogDamaged] = []
        left = max_entries
        for match_id in match_ids:
            try:
                found.append(entries := await self.read(match_id))
                left -= len(entries)
            except LogDamaged as error:
                found.append(error)
            if left <= 0:
                break
        return found

    @abstractmethod
    async def heads(self, match_ids: Sequence[str]) -> dict[str, int]:
        """Return the number of the last entry of each of these matches. Unknown and archived ones are left out."""

    @abstractmethod
    async def unfinished(self) -> list[str]:
        """Return the ids of matches whose last entry is not their end, in the order of creation."""

    @abstractmethod
    async def bots_in_play(self) -> dict[str, list[str]]:
        """Return the bots in each match that is in play, as far as the summaries of matches can be read."""

    @abstractmethod
    async def summaries(self, wanted: MatchFilter = EVERY_MATCH, before: str = "", limit: int = 100) -> Summaries:
        """Return summaries of matches, the newest first, from the first older than the match `before`.

        It may stop before it has found `limit`. Matches whose summary cannot be read are left out.
        """

    @abstractmethod
    async def close(self) -> None:
        """Write pending appends and close the log. Nothing can be appended afterwards."""


def settle(future: "asyncio.Future[T]", result: T | Exception) -> None:
    """Set the result or the exception of a future, unless it was cancelled."""
    if future.done():
        return
    if isinstance(result, Exception):
        future.set_exception(result)
    else:
        future.set_result(result)


class Timer(Protocol):
    """A timer that was set."""

    def cancel(self) -> object:
        """Cancel the timer. No effect if it has fired."""


class Time(Protocol):
    """Clocks and timers. Tests advance a fake one."""

    def monotonic_us(self) -> Micros:
        """Return microseconds since an arbitrary moment; never decreases."""

    def wall_ms(self) -> int:
        """Return Unix milliseconds, for people and for measuring downtime."""

    def call_at(self, at_us: Micros, callback: Callable[[], None]) -> Timer:
        """Call `callback` on the caller's event loop at about `at_us`; it may be a little early."""


class Lag(Struct, frozen=True, gc=False):
    """Lag of the event loop since the process started."""

    total_us: Micros = 0
    own_us: Micros = 0
    """Part of it that requests of the holder caused, or doors that its bots do not use."""
    holder: str = ""
    """Empty: not known."""

    def since_us(self, earlier: "Lag") -> Micros:
        """Return the lag since an earlier reading, except what the holder has caused.

        If the readings are not of the same holder, it is not known how much of the lag between them the holder caused.
        """
        own_us = self.own_us - earlier.own_us if self.holder == earlier.holder else 0
        return self.total_us - earlier.total_us - own_us


class SeatDelays(Struct, frozen=True, gc=False):
    """Delays of a seat's turn that its bot is not responsible for, as measured outside the match."""

    network_us: Micros = 0
    """Network round trip, as measured on the bot's stream."""
    lag: Lag = Lag()
    """Lag of the event loop, with what the seat's own holder caused. Only its growth counts."""


class MatchObserver(Protocol):
    """Notified of everything that happens in all matches.

    Its methods must return at once. An exception goes to `on_fault` and stops nothing.
    """

    sees_moves: bool
    """Whether `on_entries` is called for a move after which nothing else happens, which nearly all entries are."""

    def on_entries(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        """Handle `entries`, which were stored and turned `before` into `match`. None: they created the match.

        Each entry is reported once, in order.
        """

    def on_fault(self, match_id: str, fault: Exception) -> None:
        """Handle a failure that no player is responsible for."""


class PresenceObserver(MatchObserver, Protocol):
    """An observer that also needs to know which bots can play."""

    def on_presence_changed(self, bot: str) -> None:
        """Handle a bot that came online, went offline, or changed its Hello."""
