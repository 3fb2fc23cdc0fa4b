"""State of one contest, the only writer of its log, and its watchers.

A command is decided on the current state, its events are appended to the log, then applied to the state, and then
watchers are notified. Commands are executed one at a time. If the log has grown in between, because a process was
stopped after it had appended and before it had applied, the store reads the new entries and decides again.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from referee.hosting.contest_log import ContestEntry, ContestEvent, ContestLog
from referee.live.log_history import LogHistory, LogStep, State, replay
from referee.live.ports import Conflict
from referee.live.watch import LogWatch

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


ContestStep: TypeAlias = LogStep[ContestEntry, State]
"""One entry of a contest, and the states before and after it."""


class ContestStore(LogHistory[ContestEntry, State]):
    def __init__(self, log: ContestLog, fold: Fold[State], entries: Sequence[ContestEntry]) -> None:
        """Start from `entries` of the log, at least the first one."""
        _check_numbers(entries, after=0)
        first, *following = replay(fold, entries)
        super().__init__(first, STEP_CACHE_SIZE)
        self.extend(following)
        self.log = log
        self.fold = fold
        self.contest = first.entry.contest
        self.lock = asyncio.Lock()
        """Held while its log is written. To append together with a match, hold it until `apply` has returned."""

    @classmethod
    async def read(cls, log: ContestLog, fold: Fold[State], contest: str) -> "ContestStore[State]":
        """Load an existing contest from the log. Raises LogUnavailable, or anything if its log is damaged."""
        store = cls(log, fold, await log.read(contest, 0, READ_BATCH_SIZE))
        await store.reload()
        return store

    async def execute(self, decide: Decide[State]) -> list[ContestStep[State]]:
        """Append the events that `decide` returns, apply them, and return the steps.

        They are written even if the caller is cancelled. Raises what `decide` raises, or LogUnavailable; then nothing
        has changed.
        """
        return await asyncio.shield(asyncio.create_task(self._execute(decide)))

    def apply(self, entries: Sequence[ContestEntry]) -> list[ContestStep[State]]:
        """Apply the next entries of the log, and notify watchers. Raises EntryMissing."""
        _check_numbers(entries, self.number)
        steps = list(replay(self.fold, entries, self.state))
        self.extend(steps)
        return steps

    async def reload(self) -> None:
        """Apply the entries of the log that are not applied yet. Call it with the lock held, after a Conflict."""
        while entries := await self.log.read(self.contest, self.number, READ_BATCH_SIZE):
            self.apply(entries)

    async def close(self, why: Exception) -> None:
        """End all watches with `why`, after the command that is being executed."""
        async with self.lock:
            self.end_watches(why)

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


def _check_numbers(entries: Sequence[ContestEntry], after: int) -> None:
    for number, entry in enumerate(entries, after + 1):
        if entry.number != number:
            raise EntryMissing(f"entry {number} of {entry.contest} is missing")


class ContestWatch(LogWatch[ContestEntry, State]):
    """One watcher of one contest, which returns batches of steps."""

    def __init__(self, store: ContestStore[State], is_over: Callable[[State], bool], max_behind: int) -> None:
        """`is_over` returns whether a state is the last one."""
        super().__init__(store, max_behind)
        self._store = store
        self._is_last = is_over

    async def __anext__(self) -> list[ContestStep[State]]:
        """Return at least one step. Raises SlowConsumer, LogUnavailable, or why the store was closed."""
        return await self.next_steps()

    def _is_over(self, state: State) -> bool:
        return self._is_last(state)

    async def _read_steps(self) -> list[ContestStep[State]]:
        entries = await self._store.log.read(self._store.contest, self.number, READ_BATCH_SIZE)
        return list(replay(self._store.fold, entries, self.state))
