"""What waits to be told to one bot.

News about the same thing has the same key, and the newest replaces the one before. A pending turn is no
more than its key, and is written out when it leaves; so a bot that reads slowly costs bounded memory. Turns
go last, so that a bot has heard what became of its answer before it is asked the next.
"""

import asyncio
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import Any, TypeAlias

from engines.api import Seat
from referee.app.answers import Answered, Done
from referee.app.bot_log import Noticed
from referee.core.clock import Micros
from referee.core.row import ClockRow


@dataclass(frozen=True, slots=True)
class Welcomed:
    """What the bot wants is taken: the answer to every Hello."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The seat owes a move: `Referee.turn_due` says all about it, or None if that has passed."""

    match_id: str
    seat: Seat


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of something the bot said: it was taken, or refused."""

    item_id: int
    match_id: str
    token: str
    outcome: Answered | Done | Exception


@dataclass(frozen=True, slots=True)
class Began:
    match_id: str
    seat: Seat


@dataclass(frozen=True, slots=True)
class Ended:
    """The match is over. It is told until a pong shows that it arrived."""

    match_id: str
    seat: Seat


@dataclass(frozen=True, slots=True)
class Lapsed:
    """A turn needs no answer any more, though the match goes on."""

    match_id: str
    seat: Seat
    token: str
    played_instead: str
    """Empty: nothing was."""
    row: ClockRow | None
    """The proof, if the flag fell."""


@dataclass(frozen=True, slots=True)
class NonceAsked:
    match_id: str
    seat: Seat
    commitment: bytes
    until_us: Micros
    """When the referee stops waiting, by its machine's monotonic time."""


@dataclass(frozen=True, slots=True)
class Pinged:
    id: int
    path_us: Micros
    """As last measured; 0: not yet."""


@dataclass(frozen=True, slots=True)
class TakenOver:
    by_session_id: str


@dataclass(frozen=True, slots=True)
class Draining:
    closes_in_ms: int
    return_after_ms: int


Item: TypeAlias = (
    Welcomed | Asked | Judged | Began | Ended | Lapsed | NonceAsked | Noticed | Pinged | TakenOver | Draining
)


class Outbox:
    """The items for one session, on one event loop. Who empties it is the session's stream, and nobody else."""

    def __init__(self, goes_out: Callable[[Sequence[Item]], None] = lambda _: None) -> None:
        """`goes_out` is told what leaves, before it leaves."""
        self.closed: Exception | None = None
        """Why nothing comes any more."""
        self._goes_out = goes_out
        self._items: dict[Hashable, Item] = {}
        self._turns: dict[Hashable, Asked] = {}
        self._numbers = count()
        self._ready = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()

    def __len__(self) -> int:
        return len(self._items) + len(self._turns)

    def put(self, key: Hashable | None, item: Item) -> None:
        """Have `item` told, after all of its kind that waits, and instead of what waits under the same key.

        None: instead of nothing. Once the outbox is closed, nothing comes in.
        """
        if self.closed:
            return
        key = ("one of its own", next(self._numbers)) if key is None else key
        waiting: dict[Hashable, Any] = self._turns if isinstance(item, Asked) else self._items
        waiting.pop(key, None)
        waiting[key] = item
        self._ready.set()

    def drain(self, at_most: int) -> list[Item]:
        """Take out what came first, and then turns, up to so many. Empty: nothing waits."""
        items = _taken(self._items, at_most)
        items += _taken(self._turns, at_most - len(items))
        if not self and not self.closed:
            self._ready.clear()
        self._room.set()
        self._goes_out(items)
        return items

    async def wait(self) -> None:
        """Come back when there is something to drain, or the outbox is closed."""
        await self._ready.wait()

    async def room(self, at_most: int) -> None:
        """Come back when fewer than `at_most` items wait: before reading more from a bot that does not read."""
        while len(self) >= at_most and not self.closed:
            self._room.clear()
            await self._room.wait()

    def close(self, why: Exception) -> None:
        """Take nothing more. What is in can still be drained; only the first reason counts."""
        self.closed = self.closed or why
        self._ready.set()
        self._room.set()


def _taken(waiting: dict[Hashable, Any], at_most: int) -> list[Item]:
    return [waiting.pop(key) for key in list(islice(waiting, at_most))]
