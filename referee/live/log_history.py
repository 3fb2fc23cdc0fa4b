"""The replay of a log, and its result in memory: the current state, the last steps, and who waits for the next one.

The log may be that of a match or of a contest. Its entries are numbered 1, 2, 3, …
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Generic, Literal, Protocol, TypeVar

from msgspec import Struct


class NumberedEntry(Protocol):
    """An entry of a log."""

    @property
    def number(self) -> int: ...


EntryT = TypeVar("EntryT", bound=NumberedEntry)
State = TypeVar("State")


class LogStep(Struct, Generic[EntryT, State], frozen=True, gc=False):
    """One entry, and the states before and after it."""

    entry: EntryT
    before: State | None
    """None: it is the first entry."""
    state: State


def first_missing(entries: Iterable[NumberedEntry], after: int = 0) -> int | None:
    """Return the first missing number in entries that should follow entry `after`; None: they are complete."""
    return next((number for number, entry in enumerate(entries, after + 1) if entry.number != number), None)


def replay(
    fold: Callable[[State | None, EntryT], State], entries: Iterable[EntryT], before: State | None = None
) -> Iterator[LogStep[EntryT, State]]:
    """Yield a step for each of these entries, which follow the state `before` (None: they are the first).

    `fold` returns the state after an entry, given the state before it. What it raises ends the replay.
    """
    for entry in entries:
        after = fold(before, entry)
        yield LogStep(entry, before, after)
        before = after


NOTICE_INTERVAL_S = 0.25
"""Minimum time between two wake-ups of all spectators of a log."""

NOTICE_INTERVAL_PER_SPECTATOR_S = 0.002
"""Each spectator adds so much to it, so that many of them do not cost more CPU than few, up to the maximum."""

MAX_NOTICE_INTERVAL_S = 2.0

NOTICE_ENTRIES = 32
"""Entries for which spectators are woken earlier, so that a message and the work for it stay small."""


class CountingEvent(asyncio.Event):
    """Counts those who have waited for it."""

    def __init__(self) -> None:
        super().__init__()
        self.waiters = 0

    async def wait(self) -> Literal[True]:
        self.waiters += 1
        return await super().wait()


class SpectatorNotices:
    """Wakes the spectators of a log at most once per interval, so that they share the cost of a message.

    The first entry after a pause wakes them at once. All later ones wait for the end of the interval, or until there
    are many, and are then sent together.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        """Number of the last entry that spectators may be sent."""
        self.previous = number
        """The same before the last wake-up."""
        self.changed = CountingEvent()
        """Event that is set when `number` grows. Take it before reading `number`, or a change may be missed."""
        self._latest = number
        self._next_s = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def advance(self, number: int, *, at_once: bool) -> None:
        """Let spectators see all entries up to `number`, now or at the end of the interval."""
        self._latest = number
        loop = asyncio.get_running_loop()
        if at_once or number - self.number >= NOTICE_ENTRIES or loop.time() >= self._next_s:
            self._notify()
        elif self._timer is None:
            self._timer = loop.call_at(self._next_s, self._notify)

    def _notify(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
        interval_s = max(NOTICE_INTERVAL_S, self.changed.waiters * NOTICE_INTERVAL_PER_SPECTATOR_S)
        self._next_s = asyncio.get_running_loop().time() + min(interval_s, MAX_NOTICE_INTERVAL_S)
        self.previous, self.number = self.number, self._latest
        self.changed.set()
        self.changed = CountingEvent()


class LogHistory(Generic[EntryT, State]):
    """The state of a log, extended step by step. The last steps are cached, so that watchers need not read the log."""

    def __init__(self, first: LogStep[EntryT, State], max_cached_steps: int) -> None:
        """`max_cached_steps` is the limit while the log is watched; otherwise none is kept."""
        self.state = first.state
        """The current state."""
        self.last = first.entry
        """The last entry."""
        self._steps: deque[LogStep[EntryT, State]] | None = None
        """The last steps. None: nobody has watched."""
        self._max_cached_steps = max_cached_steps
        self._changed: asyncio.Event | None = None
        """Event of the next change. None: no watcher waits for it."""
        self.closed: Exception | None = None
        """Why no more steps are added here, although the log may continue. None: it is open."""

    @property
    def number(self) -> int:
        """Number of the last entry."""
        return self.last.number

    def extend(self, steps: Sequence[LogStep[EntryT, State]]) -> None:
        """Append the next steps, and wake all watchers."""
        if self._steps is not None:
            self._steps.extend(steps)
        if steps:
            self.last, self.state = steps[-1].entry, steps[-1].state
        if self._changed:
            self._notify()

    def cache_steps(self) -> None:
        """Cache the last steps from now on, since the log is watched."""
        if self._steps is None:
            self._steps = deque(maxlen=self._max_cached_steps)

    def steps_after(self, number: int) -> list[LogStep[EntryT, State]] | None:
        """Return all steps after that entry; None: they are not all cached."""
        if self._steps is None or number + len(self._steps) < self.number:
            return None
        return list(islice(self._steps, len(self._steps) - (self.number - number), None))

    @property
    def changed(self) -> asyncio.Event:
        """Event that is set by the next change. Take it before reading the history, or a change may be missed."""
        if self._changed is None:
            self._changed = asyncio.Event()
        return self._changed

    def end_watches(self, error: Exception) -> None:
        """End all watches with this error, once they have returned the steps so far."""
        self.closed = error
        self._notify()

    def _notify(self) -> None:
        if self._changed:
            self._changed.set()
            self._changed = None
