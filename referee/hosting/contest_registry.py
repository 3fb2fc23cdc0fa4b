"""Registry of the contests of one kind: all active ones, and an LRU cache of finished ones.

A contest whose log is damaged has no store, and nothing of it can be changed; the others are not affected.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Generic

from referee.hosting.contest_log import (
    ContestEntry,
    ContestEvent,
    ContestLog,
    LadderCreated,
    TournamentCreated,
    UnreadableContest,
    contest_id,
)
from referee.hosting.contest_store import ContestStore, Fold
from referee.hosting.hosting_errors import ContestDamaged
from referee.live.log_history import State
from referee.live.ports import LogUnavailable

FINISHED_CACHE_SIZE = 64
"""How many finished contests are cached; others are read again on request."""


class ContestRegistry(Generic[State]):
    def __init__(
        self,
        log: ContestLog,
        kind: str,
        fold: Fold[State],
        last_event: type[ContestEvent],
        report_fault: Callable[[str, Exception], None],
    ) -> None:
        """`last_event` ends the log of every contest of that kind, and occurs nowhere else.

        `report_fault` is called with a contest whose log is damaged, and what is wrong with it.
        """
        self.log = log
        self.kind = kind
        self._fold = fold
        self._last_event = last_event
        self._report_fault = report_fault
        self._stores: OrderedDict[str, ContestStore[State]] = OrderedDict()
        """Stores by contest, always including the active ones, so that each has only one store."""
        self.first_entries: dict[str, ContestEntry] = {}
        """The first entry of every contest of this kind, by contest, in the order of creation."""
        self.damaged: set[str] = set()
        """Contests whose logs are known to be damaged."""

    async def open(self) -> list[ContestStore[State]]:
        """Load all active contests from their logs, and return their stores. Raises LogUnavailable."""
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
        return [store for store in self._stores.values() if not self._is_last(store.last)]

    def contains(self, contest: str) -> bool:
        """Return whether the contest exists, even if it is over or damaged."""
        return contest in self.first_entries or contest in self.damaged

    async def add(self, name: str, events: Sequence[ContestEvent]) -> ContestStore[State]:
        """Create a contest. Raises Conflict if there is one of that name, or LogUnavailable."""
        contest = contest_id(self.kind, name)
        entries = await self.log.append(contest, 0, events)
        self.first_entries[contest] = entries[0]
        return self._put(ContestStore(self.log, self._fold, entries))

    async def get(self, contest: str) -> ContestStore[State]:
        """Return the store of a contest. Raises KeyError if there is none, ContestDamaged, or LogUnavailable."""
        if contest in self.damaged:
            raise ContestDamaged(contest)
        if contest in self._stores:
            self._stores.move_to_end(contest)
            return self._stores[contest]
        return await self._read(self.first_entries[contest].contest)

    def find_request(self, organiser: str, request_id: str) -> ContestEntry | None:
        """Return the first entry of the contest that this request of the organiser has created, if there is one."""
        request = organiser, request_id
        return next((it for it in self.first_entries.values() if _request_of(it.event) == request), None)

    def _is_over(self, last: ContestEntry | UnreadableContest) -> bool:
        """Return whether a contest is over, judged by its first and last entries."""
        return isinstance(last, ContestEntry) and self._is_last(last) and last.contest in self.first_entries

    def _is_last(self, entry: ContestEntry) -> bool:
        return isinstance(entry.event, self._last_event)

    async def _read(self, contest: str) -> ContestStore[State]:
        try:
            store = await ContestStore.read(self.log, self._fold, contest)
        except LogUnavailable:
            raise
        except Exception as fault:  # A damaged log may raise anything.
            self.damaged.add(contest)
            self._report_fault(contest, fault)
            raise ContestDamaged(contest) from None
        return self._stores.get(contest) or self._put(store)

    def _put(self, store: ContestStore[State]) -> ContestStore[State]:
        self._stores[store.contest] = store
        over = [contest for contest, other in self._stores.items() if self._is_last(other.last)]
        for contest in over[:-FINISHED_CACHE_SIZE]:
            del self._stores[contest]
        return store


def _request_of(event: ContestEvent) -> tuple[str, str] | None:
    """Return organiser and request id. None: the log is damaged, and starts with another event."""
    return (event.organiser, event.request_id) if isinstance(event, LadderCreated | TournamentCreated) else None
