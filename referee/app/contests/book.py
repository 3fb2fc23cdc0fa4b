"""The book of one live contest: how it stands, and the one door to its log.

Write, then believe, then tell: what follows from the contest as it stands is written to its log, then believed,
and then whoever watches is told. One at a time. Should the log turn out to hold more than the book (somebody was
stopped between writing and believing), the book reads on and decides again.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from referee.app.contests.events import ContestEvent
from referee.app.contests.log import ContestEntry, ContestLog
from referee.app.ports import Conflict

State = TypeVar("State")

Fold = Callable[[State | None, ContestEntry], State]
"""How a contest stands after an entry. None: it is the first."""
Decide = Callable[[State], Sequence[ContestEvent] | Awaitable[Sequence[ContestEvent]]]
"""The events that follow from the state of a contest, now or after work outside of the event loop. None: it is known
already. It may raise a refusal."""

ENTRIES_AT_ONCE = 100
"""A log may be long, and while it is read bots' clocks run."""

STEPS_KEPT = 256
"""For those who watch: who is not further behind needs no log."""


class EntryMissing(Exception):
    """The log has entries behind it, so it was there once."""


@dataclass(frozen=True, slots=True)
class Step(Generic[State]):
    """One entry, and what it made of what."""

    entry: ContestEntry
    before: State | None
    """None: it is the first entry."""
    state: State
    """After it."""


class Book(Generic[State]):
    """Of a contest that is in its log already."""

    def __init__(self, log: ContestLog, fold: Fold[State], entries: Sequence[ContestEntry]) -> None:
        """As its `entries` tell it; at least the first."""
        self._log = log
        self._fold = fold
        self.contest = entries[0].contest
        self._steps: deque[Step[State]] = deque(maxlen=STEPS_KEPT)
        self._news = asyncio.Event()
        self.closed: Exception | None = None
        """Why nothing more can be heard of it here, though it may go on."""
        self.lock = asyncio.Lock()
        """Held by who writes to its log. Whoever does so beside a match's log calls `believe` before it is let go."""
        self.believe(entries)

    @classmethod
    async def read(cls, log: ContestLog, fold: Fold[State], contest: str) -> "Book[State]":
        """Of a contest that is in the log. Raises LogUnavailable, or anything if its log is damaged."""
        book = cls(log, fold, await log.read(contest, 0, ENTRIES_AT_ONCE))
        await book.catch_up()
        return book

    @property
    def state(self) -> State:
        return self._steps[-1].state

    @property
    def last(self) -> ContestEntry:
        return self._steps[-1].entry

    @property
    def number(self) -> int:
        """Of the last entry."""
        return self.last.number

    async def change(self, decide: Decide[State]) -> list[Step[State]]:
        """Have that happen which `decide` says of the contest as it stands; it is in the log when this returns.

        Whoever hangs up may miss the answer; it has happened. Raises what `decide` raises, or LogUnavailable, and
        nothing has changed then.
        """
        return await asyncio.shield(asyncio.create_task(self._change(decide)))

    def believe(self, entries: Sequence[ContestEntry]) -> list[Step[State]]:
        """These are in the log, behind all that the book holds: whoever watches is told. Raises EntryMissing."""
        for number, entry in enumerate(entries, self.number + 1 if self._steps else 1):
            if entry.number != number:
                raise EntryMissing(f"entry {number} of {self.contest} is missing")
        steps = folded(self._fold, entries, self._steps[-1].state if self._steps else None)
        self._steps.extend(steps)
        self._wake()
        return steps

    async def catch_up(self) -> None:
        """Believe what the log holds beyond the book. For who holds the lock, and met a Conflict."""
        while entries := await self._log.read(self.contest, self.number, ENTRIES_AT_ONCE):
            self.believe(entries)

    def steps_after(self, number: int) -> list[Step[State]] | None:
        """All steps after that entry; None: they are not all at hand any more."""
        missing = number + 1 - self._steps[0].entry.number
        return None if missing < 0 else list(self._steps)[missing:]

    @property
    def news(self) -> asyncio.Event:
        """Set when something has happened after now. To be taken before looking at what has happened."""
        return self._news

    async def close(self, why: Exception) -> None:
        """When all that was begun is written: whoever watches is sent away."""
        async with self.lock:
            self.closed = why
            self._wake()

    async def _change(self, decide: Decide[State]) -> list[Step[State]]:
        async with self.lock:
            while True:
                decided = decide(self.state)
                events = await decided if isinstance(decided, Awaitable) else decided
                if not events:
                    return []
                try:
                    return self.believe(await self._log.append(self.contest, self.number, events))
                except Conflict:
                    await self.catch_up()

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()


def folded(fold: Fold[State], entries: Sequence[ContestEntry], before: State | None = None) -> list[Step[State]]:
    """The steps that these entries are, from the first one, or from what went before."""
    steps: list[Step[State]] = []
    for entry in entries:
        steps.append(Step(entry, before, fold(before, entry)))
        before = steps[-1].state
    return steps
