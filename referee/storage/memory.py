"""The log of every match in memory: for tests, and for matches that need not outlive the process."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice

from engines.api import Seat
from referee.app.contests.log import Beside
from referee.app.ports import Conflict, Entry, LogUnavailable, Request, Summaries
from referee.app.wish import EVERY_MATCH, LADDER, TOURNAMENT, MatchFilter
from referee.core.events import Event, Opened, PlayBegan, PlayEnded
from referee.core.match import Phase
from referee.storage.contests_memory import MemoryContestLog
from referee.storage.seating import seated_by


class MemoryEventLog:
    """An EventLog for one event loop."""

    def __init__(self, wall_ms: Callable[[], int]) -> None:
        self._wall_ms = wall_ms
        self._logs: dict[str, list[Entry]] = {}
        self.unheard: dict[str, dict[Seat, str]] = {}
        """By match, over or not: the bots that are still to hear of its end, or to have one."""
        self.contests = MemoryContestLog(wall_ms, self._need_open)
        """What is written beside matches is in this one."""
        self._closed = False

    async def append(
        self,
        match_id: str,
        after: int,
        events: Sequence[Event],
        request: Request | None = None,
        beside: Beside | None = None,
    ) -> list[Entry]:
        self._need_open()
        last = len(self._logs.get(match_id, ()))
        if last != after:
            raise Conflict(match_id, after, last)
        at_ms = self._wall_ms()
        if beside:
            self.contests.check(beside)
            self.contests.write(beside, at_ms)
        entries = [Entry(match_id, number, at_ms, event) for number, event in enumerate(events, after + 1)]
        if entries:
            entries[-1] = replace(entries[-1], request=request)
            self._logs.setdefault(match_id, []).extend(entries)
            self._note_seats(match_id, events)
        return entries

    async def read(self, match_id: str, after: int = 0, at_most: int | None = None) -> list[Entry]:
        self._need_open()
        return self._logs.get(match_id, [])[after:][:at_most]

    async def unfinished(self) -> list[str]:
        self._need_open()
        return [match_id for match_id in self._logs if not self.is_over(match_id)]

    async def summaries(self, wanted: MatchFilter = EVERY_MATCH, before: str = "", at_most: int = 100) -> Summaries:
        self._need_open()
        matches = list(self._logs)
        older = matches[: matches.index(before)] if before in self._logs else [] if before else matches
        every = (_summary(self._logs[match_id]) for match_id in reversed(older))
        found = list(islice((summary for summary in every if _is_wanted(summary, wanted)), at_most))
        return Summaries(found, found[-1][0].match_id if len(found) == at_most else "")

    def is_over(self, match_id: str) -> bool:
        return isinstance(self._logs[match_id][-1].event, PlayEnded)

    async def close(self) -> None:
        self._closed = True

    def _note_seats(self, match_id: str, events: Sequence[Event]) -> None:
        for event in events:
            if bots := {seat: bot for seat, bot in seated_by(event).items() if bot}:
                self.unheard.setdefault(match_id, {}).update(bots)

    def _need_open(self) -> None:
        if self._closed:
            raise LogUnavailable("the log is closed")


def _summary(log: Sequence[Entry]) -> list[Entry]:
    """All entries until play began, and the end."""
    began = next((entry.number for entry in log if isinstance(entry.event, PlayBegan)), len(log))
    return [*log[:began], *(entry for entry in log[began:][-1:] if isinstance(entry.event, PlayEnded))]


def _is_wanted(summary: Sequence[Entry], wanted: MatchFilter) -> bool:
    opening = summary[0]
    if not isinstance(opening.event, Opened):
        return False
    setup, labels = opening.event.setup, dict(opening.event.setup.labels)
    by_seat: dict[Seat, str] = {}
    for entry in summary:
        by_seat.update(seated_by(entry.event))
    return (
        wanted.game in ("", setup.game)
        and wanted.ladder in ("", labels.get(LADDER))
        and wanted.tournament in ("", labels.get(TOURNAMENT))
        and wanted.bot in ("", *by_seat.values())
        and (not wanted.open_only or "" in by_seat.values())
        and wanted.phase in (None, _phase(summary))
        and opening.at_ms >= wanted.since_ms
    )


def _phase(summary: Sequence[Entry]) -> Phase:
    if isinstance(summary[-1].event, PlayEnded):
        return Phase.OVER
    return Phase.PLAYING if isinstance(summary[-1].event, PlayBegan) else Phase.WAITING
