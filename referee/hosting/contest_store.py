"""State of one contest, and the only writer of its log.

A command is decided on the current state, its events are appended to the log, then applied to the state, and then
watchers are notified. Commands are executed one at a time. If the log has grown in between, because a process was
stopped after it had appended and before it had applied, the store reads the new entries and decides again.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from referee.hosting.contest_log import ContestEntry, ContestEvent, ContestLog
from referee.live.ports import Conflict

State = TypeVar("State")

Fold = Callable[[State | None, ContestEntry], State]
"""Returns the state of a contest after an entry. None: it is the first entry."""
Decide = Callable[[State], Sequence[ContestEvent] | Awaitable[Sequence[ContestEvent]]]
"""Returns the events that follow from a state, perhaps after work outside the event loop. Empty: nothing changes."""

READ_BATCH_SIZE = 100
"""How many entries of a log are read at once, so that a long log does not block the event loop."""

STEP_CACHE_SIZE = 256
"""Watchers that are not further behind need not read the log."""


class EntryMissing(Exception):
    """An entry is missing in the middle of a log."""


@dataclass(frozen=True, slots=True)
class ContestStep(Generic[State]):
    """One entry, and the states before and after it."""

    entry: ContestEntry
    before: State | None
    """None: it is the first entry."""
    state: State


class ContestStore(Generic[State]):
    def __init__(self, log: ContestLog, fold: Fold[State], entries: Sequence[ContestEntry]) -> None:
        """Start from `entries` of the log, at least the first one."""
        self.log = log
        self.fold = fold
        self.contest = entries[0].contest
        self._steps: deque[ContestStep[State]] = deque(maxlen=STEP_CACHE_SIZE)
        self._changed = asyncio.Event()
        self.closed: Exception | None = None
        """Why the store was closed; watchers get no more steps from it. None: it is open."""
        self.lock = asyncio.Lock()
        """Held while its log is written. To append together with a match, hold it until `apply` has returned."""
        self.apply(entries)

    @classmethod
    async def read(cls, log: ContestLog, fold: Fold[State], contest: str) -> "ContestStore[State]":
        """Load an existing contest from the log. Raises LogUnavailable, or anything if its log is damaged."""
        store = cls(log, fold, await log.read(contest, 0, READ_BATCH_SIZE))
        await store.reload()
        return store

    @property
    def state(self) -> State:
        return self._steps[-1].state

    @property
    def last(self) -> ContestEntry:
        return self._steps[-1].entry

    @property
    def number(self) -> int:
        """Number of the last entry."""
        return self.last.number

    async def execute(self, decide: Decide[State]) -> list[ContestStep[State]]:
        """Append the events that `decide` returns, apply them, and return the steps.

        They are written even if the caller is cancelled. Raises what `decide` raises, or LogUnavailable; then nothing
        has changed.
        """
        return await asyncio.shield(asyncio.create_task(self._execute(decide)))

    def apply(self, entries: Sequence[ContestEntry]) -> list[ContestStep[State]]:
        """Apply the next entries of the log, and notify watchers. Raises EntryMissing."""
        for number, entry in enumerate(entries, self.number + 1 if self._steps else 1):
            if entry.number != number:
                raise EntryMissing(f"entry {number} of {self.contest} is missing")
        steps = fold_entries(self.fold, entries, self._steps[-1].state if self._steps else None)
        self._steps.extend(steps)
        self._notify()
        return steps

    async def reload(self) -> None:
        """Apply the entries of the log that are not applied yet. Call it with the lock held, after a Conflict."""
        while entries := await self.log.read(self.contest, self.number, READ_BATCH_SIZE):
            self.apply(entries)

    def cached_steps(self, after: int) -> list[ContestStep[State]] | None:
        """Return all steps after that entry. None: some of them are not in the cache any more."""
        missing = after + 1 - self._steps[0].entry.number
        return None if missing < 0 else list(self._steps)[missing:]

    @property
    def changed(self) -> asyncio.Event:
        """Event that is set by the next change. Get it before reading the state, or a change could be missed."""
        return self._changed

    async def close(self, why: Exception) -> None:
        """End all watches with `why`, after the command that is being executed."""
        async with self.lock:
            self.closed = why
            self._notify()

    async def _execute(self, decide: Decide[State]) -> list[ContestStep[State]]:
        async with self.lock:
            while True:
                decided = decide(self.state)
                events = await decided if isinstance(decided, Awaitable) else decided
                if not events:
                    return []
                try:
                    return self.apply(await self.log.append(self.contest, self.number, events))
                except Conflict:
                    await self.reload()

    def _notify(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


def fold_entries(
    fold: Fold[State], entries: Sequence[ContestEntry], before: State | None = None
) -> list[ContestStep[State]]:
    """Return the steps of `entries`, which follow the state `before` (None: they are the first)."""
    steps: list[ContestStep[State]] = []
    for entry in entries:
        steps.append(ContestStep(entry, before, fold(before, entry)))
        before = steps[-1].state
    return steps
