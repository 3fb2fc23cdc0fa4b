"""The log of every contest in memory, beside that of the matches."""

from collections.abc import Callable, Sequence

from referee.app.contests.events import ContestEvent
from referee.app.contests.log import Beside, ContestEntry
from referee.app.ports import Conflict


class MemoryContestLog:
    """A ContestLog for one event loop. The log of the matches, which writes beside it, has made it."""

    def __init__(self, wall_ms: Callable[[], int], need_open: Callable[[], None]) -> None:
        """`need_open` raises LogUnavailable when it may not be used any more."""
        self._wall_ms = wall_ms
        self._need_open = need_open
        self._logs: dict[str, list[ContestEntry]] = {}

    async def append(self, contest: str, after: int, events: Sequence[ContestEvent]) -> list[ContestEntry]:
        self._need_open()
        beside = Beside(contest, after, tuple(events))
        self.check(beside)
        return self.write(beside, self._wall_ms())

    async def read(self, contest: str, after: int = 0, at_most: int | None = None) -> list[ContestEntry]:
        self._need_open()
        return self._logs.get(contest, [])[after:][:at_most]

    async def contests(self, kind: str) -> list[ContestEntry]:
        self._need_open()
        return [entries[0] for contest, entries in self._logs.items() if contest.startswith(f"{kind}/")]

    async def lasts(self, kind: str) -> list[ContestEntry]:
        self._need_open()
        return [entries[-1] for contest, entries in self._logs.items() if contest.startswith(f"{kind}/")]

    def check(self, beside: Beside) -> None:
        """Raises Conflict if it cannot be written."""
        last = len(self._logs.get(beside.contest, ()))
        if last != beside.after:
            raise Conflict(beside.contest, beside.after, last)

    def write(self, beside: Beside, at_ms: int) -> list[ContestEntry]:
        """What can be written, as `check` has found."""
        entries = beside.entries(at_ms)
        if entries:
            self._logs.setdefault(beside.contest, []).extend(entries)
        return entries
