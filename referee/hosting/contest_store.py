"""State of one contest, the only writer of its log, and its watchers; and all contests of one kind.

A command is decided on the current state, its events are appended to the log, then applied to the state, and then
watchers are notified. Commands are executed one at a time. If the log has grown in between, because a process was
stopped after it had appended and before it had applied, the store reads the new entries and decides again.

A contest whose log is damaged has no store, and nothing of it can be changed; the others are not affected.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Generic, TypeAlias

from referee.hosting.contest_log import (
    ContestEntry,
    ContestEvent,
    ContestLog,
    LadderCreated,
    TournamentCreated,
    UnreadableContest,
    contest_id,
)
from referee.hosting.hosting_errors import ContestDamaged
from referee.live.log_history import LogHistory, LogStep, State, first_missing, replay
from referee.live.ports import Conflict, StoreUnavailable
from referee.live.watch import LogWatch

Fold = Callable[[State | None, ContestEntry], State]
"""Returns the state of a contest after an entry. None: it is the first entry."""
Decide = Callable[[State], Sequence[ContestEvent] | Awaitable[Sequence[ContestEvent]]]
"""Returns the events that follow from a state, perhaps after work outside the event loop. Empty: nothing changes."""

READ_BATCH_SIZE = 100
"""How many entries of a log are read at once, so that a long log does not block the event loop."""

STEP_CACHE_SIZE = 256
"""Watchers that are not further behind need not read the log."""


FINISHED_CACHE_SIZE = 64
"""How many finished contests are cached; others are read again on request."""


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
        """Load an existing contest from the log. Raises StoreUnavailable, or anything if its log is damaged."""
        store = cls(log, fold, await log.read(contest, 0, READ_BATCH_SIZE))
        await store.reload()
        return store

    async def execute(self, decide: Decide[State]) -> list[ContestStep[State]]:
        """Append the events that `decide` returns, apply them, and return the steps.

        They are written even if the caller is cancelled. Raises what `decide` raises, or StoreUnavailable; then nothing
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
    if missing := first_missing(entries, after):
        raise EntryMissing(f"entry {missing} of {entries[0].contest} is missing")


class ContestWatch(LogWatch[ContestEntry, State]):
    """One watcher of one contest, which returns batches of steps."""

    def __init__(self, store: ContestStore[State], is_over: Callable[[State], bool], max_behind: int) -> None:
        """`is_over` returns whether a state is the last one."""
        super().__init__(store, max_behind)
        self._store = store
        self._is_last = is_over

    async def __anext__(self) -> list[ContestStep[State]]:
        """Return at least one step. Raises SlowConsumer, StoreUnavailable, or why the store was closed."""
        return await self.next_steps()

    def _is_over(self, state: State) -> bool:
        return self._is_last(state)

    async def _read_steps(self) -> list[ContestStep[State]]:
        entries = await self._store.log.read(self._store.contest, self.number, READ_BATCH_SIZE)
        return list(replay(self._store.fold, entries, self.state))


@dataclass(eq=False)
class ContestRegistry(Generic[State]):
    """All active contests of one kind, and an LRU cache of finished ones."""

    log: ContestLog
    kind: str
    _fold: Fold[State]
    _last_event: type[ContestEvent]
    """Ends every contest of that kind, and occurs nowhere else. Only corrections can follow it."""
    _report_fault: Callable[[str, Exception], None]
    """Called with a contest whose log is damaged, and what is wrong with it."""
    _stores: OrderedDict[str, ContestStore[State]] = field(default_factory=OrderedDict, init=False)
    """Stores by contest, always including the active ones, so that each has only one store."""
    first_entries: dict[str, ContestEntry] = field(default_factory=dict, init=False)
    """The first entry of every contest of this kind, by contest, in the order of creation."""
    damaged: set[str] = field(default_factory=set, init=False)
    """Contests whose logs are known to be damaged."""

    async def open(self) -> list[ContestStore[State]]:
        """Load all active contests from their logs, and return their stores. Raises StoreUnavailable."""
        firsts = await self.log.first_entries(self.kind)
        self.first_entries = {entry.contest: entry for entry in firsts if isinstance(entry, ContestEntry)}
        for last in await self.log.last_entries(self.kind):
            if not self._is_over(last):
                with suppress(ContestDamaged):
                    await self._read(last.contest)
        return self.active

    @property
    def active(self) -> list[ContestStore[State]]:
        """Stores of contests that are not over."""
        return [store for store in self._stores.values() if not _has_ended(store.state)]

    def contains(self, contest: str) -> bool:
        """Return whether the contest exists, even if it is over or damaged."""
        return contest in self.first_entries or contest in self.damaged

    async def add(self, name: str, events: Sequence[ContestEvent]) -> ContestStore[State]:
        """Create a contest. Raises Conflict if there is one of that name, or StoreUnavailable."""
        contest = contest_id(self.kind, name)
        entries = await self.log.append(contest, 0, events)
        self.first_entries[contest] = entries[0]
        return self._put(ContestStore(self.log, self._fold, entries))

    def loaded(self, contest: str) -> ContestStore[State] | None:
        """Return the store of a contest, at least if it is active."""
        return self._stores.get(contest)

    async def get(self, contest: str) -> ContestStore[State]:
        """Return the store of a contest. Raises KeyError if there is none, ContestDamaged, or StoreUnavailable."""
        if contest in self.damaged:
            raise ContestDamaged(contest)
        if contest in self._stores:
            self._stores.move_to_end(contest)
            return self._stores[contest]
        return await self._read(self.first_entries[contest].contest)

    def find_request(self, organiser: str, request_id: str) -> ContestEntry | None:
        """Return the first entry of the contest that this request of the organiser has created, if there is one."""
        request = organiser, request_id
        return next((entry for entry in self.first_entries.values() if _request_of(entry.event) == request), None)

    def _is_over(self, last: ContestEntry | UnreadableContest) -> bool:
        """Return whether a contest is known to be over without reading it: if nothing was corrected after its end."""
        ended = isinstance(last, ContestEntry) and isinstance(last.event, self._last_event)
        return ended and last.contest in self.first_entries

    async def _read(self, contest: str) -> ContestStore[State]:
        try:
            store = await ContestStore.read(self.log, self._fold, contest)
        except StoreUnavailable:
            raise
        except Exception as fault:  # A damaged log may raise anything.
            self.damaged.add(contest)
            self._report_fault(contest, fault)
            raise ContestDamaged(contest) from None
        return self._stores.get(contest) or self._put(store)

    def _put(self, store: ContestStore[State]) -> ContestStore[State]:
        self._stores[store.contest] = store
        over = [contest for contest, other in self._stores.items() if _has_ended(other.state)]
        for contest in over[:-FINISHED_CACHE_SIZE]:
            del self._stores[contest]
        return store


def _has_ended(state: Any) -> bool:
    """Return whether a contest of either kind is over."""
    return bool(state.over)


def _request_of(event: ContestEvent) -> tuple[str, str] | None:
    """Return organiser and request id. None: the log is damaged, and starts with another event."""
    return (event.organiser, event.request_id) if isinstance(event, LadderCreated | TournamentCreated) else None
