"""Watches a contest: every entry after a number, once and in order, until the contest is over.

A watch reads entries after its own number from the cache of the store, or else from the log, then waits for a change
and reads again. So a watch that resumes works as one from the start. A watch that falls too far behind is closed with
the number from which to resume.
"""

from collections.abc import Callable
from typing import Generic

from referee.hosting.contest_store import READ_BATCH_SIZE, ContestStep, ContestStore, State, fold_entries
from referee.live.watch import NumberAhead, SlowConsumer


class ContestWatch(Generic[State]):
    """An asynchronous iterator over batches of steps. Call `begin` first."""

    def __init__(self, store: ContestStore[State], is_over: Callable[[State], bool], max_behind: int) -> None:
        """`is_over` returns whether a state is the last one."""
        self._store = store
        self._is_over = is_over
        self._max_behind = max_behind
        self._number = 0
        """Number of the last entry that was returned, and the state after it."""
        self._state: State | None = None
        self._caught_up = False

    async def begin(self, after: int | None) -> State:
        """Start after that entry (None: now), and return the current state. Raises NumberAhead or LogUnavailable."""
        current, number = self._store.state, self._store.number
        if after is None or after == number:
            self._number, self._state = number, current
        elif after > number:
            raise NumberAhead(after, number)
        else:
            await self._skip(after)
        return current

    def __aiter__(self) -> "ContestWatch[State]":
        return self

    async def __anext__(self) -> list[ContestStep[State]]:
        """Return at least one step. Raises SlowConsumer, LogUnavailable, or why the store was closed."""
        while self._state is None or not self._is_over(self._state):
            # Get the event before reading, or an entry appended in between would be missed.
            changed = self._store.changed
            self._check_pace()
            steps = await self._next_steps()
            if steps:
                self._move_to(steps[-1])
                return steps
            self._caught_up = True
            if self._store.closed:
                raise self._store.closed
            await changed.wait()
        raise StopAsyncIteration

    def _check_pace(self) -> None:
        """Raise SlowConsumer if the watch has caught up once and is too far behind; reading a long log takes time."""
        if self._caught_up and self._store.number - self._number > self._max_behind:
            raise SlowConsumer(self._number)

    async def _skip(self, to: int) -> None:
        """Advance to that entry without returning steps."""
        cached = self._store.cached_steps(to - 1) if to else None
        if cached:
            self._move_to(cached[0])
        while self._number < to:
            self._move_to((await self._next_steps())[: to - self._number][-1])

    def _move_to(self, step: ContestStep[State]) -> None:
        self._number, self._state = step.entry.number, step.state

    async def _next_steps(self) -> list[ContestStep[State]]:
        cached = self._store.cached_steps(self._number)
        if cached is not None:
            return cached
        entries = await self._store.log.read(self._store.contest, self._number, READ_BATCH_SIZE)
        return fold_entries(self._store.fold, entries, self._state)
