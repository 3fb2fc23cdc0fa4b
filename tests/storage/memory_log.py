"""The logs of matches and contests in memory, for one event loop: an append ends in the same turn of the loop."""

import asyncio
from collections.abc import Callable, Sequence
from itertools import islice

from engines.api import Seat
from referee.hosting.contest_log import ContestEntry, ContestEvent, co_appended
from referee.live.match_request import EVERY_MATCH, LADDER, TOURNAMENT, MatchFilter
from referee.live.outbox import MatchEnded
from referee.live.ports import (
    Append,
    AppendCallback,
    CoAppend,
    Conflict,
    Entry,
    EventLog,
    StoreUnavailable,
    Summaries,
    entries_of,
)
from referee.match.events import Event, MatchCreated, PlayEnded, PlayStarted, SeatVacated, seated_bots
from referee.match.state import MatchPhase


class MemoryEventLog(EventLog):
    """An EventLog for one event loop."""

    def __init__(self, wall_ms: Callable[[], int]) -> None:
        self._wall_ms = wall_ms
        self._logs: dict[str, list[Entry]] = {}
        self.undelivered: dict[str, dict[Seat, str]] = {}
        """Bots that have not confirmed the result of a match, by match (finished or not) and seat."""
        self.contests = MemoryContestLog(wall_ms, self._check_open)
        """The contest log, which can be written together with this one."""
        self._closed = False

    def begin_append(self, append: Append, done: AppendCallback) -> None:
        written: list[Entry] | Exception
        try:
            self._check(append)
        except (Conflict, StoreUnavailable) as error:
            written = error
        else:
            written = self._write(append)
        asyncio.get_running_loop().call_soon(done, written)

    def _check(self, append: Append) -> None:
        """Raises Conflict or StoreUnavailable."""
        self._check_open()
        last = len(self._logs.get(append.match_id, ()))
        if last != append.after:
            raise Conflict(append.match_id, append.after, last)
        if append.co_append:
            self.contests.check(append.co_append)

    def _write(self, append: Append) -> list[Entry]:
        at_ms = self._wall_ms()
        if append.co_append:
            self.contests.write(append.co_append, at_ms)
        entries = entries_of(append, at_ms)
        if entries:
            self._logs.setdefault(append.match_id, []).extend(entries)
            self._add_undelivered(append.match_id, append.events)
        return entries

    async def read(self, match_id: str, after: int = 0, limit: int | None = None) -> list[Entry]:
        self._check_open()
        return self._logs.get(match_id, [])[after:][:limit]

    async def heads(self, match_ids: Sequence[str]) -> dict[str, int]:
        self._check_open()
        return {match_id: len(self._logs[match_id]) for match_id in match_ids if match_id in self._logs}

    async def unfinished(self) -> list[str]:
        self._check_open()
        return [match_id for match_id in self._logs if not self.is_over(match_id)]

    async def bots_in_play(self) -> dict[str, list[str]]:
        return {
            match_id: [player.bot for player in entry.event.seated]
            for match_id in await self.unfinished()
            for entry in self._logs[match_id]
            if isinstance(entry.event, PlayStarted)
        }

    async def summaries(self, wanted: MatchFilter = EVERY_MATCH, before: str = "", limit: int = 100) -> Summaries:
        self._check_open()
        matches = list(self._logs)
        older = matches[: matches.index(before)] if before in self._logs else [] if before else matches
        every = (_summary(self._logs[match_id]) for match_id in reversed(older))
        found = list(islice((summary for summary in every if _matches_filter(summary, wanted)), limit))
        return Summaries(found, found[-1][0].match_id if len(found) == limit else "")

    def is_over(self, match_id: str) -> bool:
        return isinstance(self._logs[match_id][-1].event, PlayEnded)

    async def close(self) -> None:
        self._closed = True

    def _add_undelivered(self, match_id: str, events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event, SeatVacated):
                self.undelivered.get(match_id, {}).pop(event.seat, None)
            elif bots := {seat: bot for seat, bot in seated_bots(event).items() if bot}:
                self.undelivered.setdefault(match_id, {}).update(bots)

    def _check_open(self) -> None:
        if self._closed:
            raise StoreUnavailable("the log is closed")


class MemoryContestLog:
    """A ContestLog for one event loop, created by the match log that belongs to it."""

    def __init__(self, wall_ms: Callable[[], int], check_open: Callable[[], None]) -> None:
        """`check_open` raises StoreUnavailable once the match log is closed."""
        self._wall_ms = wall_ms
        self._check_open = check_open
        self._logs: dict[str, list[ContestEntry]] = {}

    async def append(self, contest: str, after: int, events: Sequence[ContestEvent]) -> list[ContestEntry]:
        self._check_open()
        co_append = CoAppend(contest, after, tuple(events))
        self.check(co_append)
        return self.write(co_append, self._wall_ms())

    async def read(self, contest: str, after: int = 0, limit: int | None = None) -> list[ContestEntry]:
        self._check_open()
        return self._logs.get(contest, [])[after:][:limit]

    async def first_entries(self, kind: str) -> list[ContestEntry]:
        self._check_open()
        return [entries[0] for contest, entries in self._logs.items() if contest.startswith(f"{kind}/")]

    async def last_entries(self, kind: str) -> list[ContestEntry]:
        self._check_open()
        return [entries[-1] for contest, entries in self._logs.items() if contest.startswith(f"{kind}/")]

    def check(self, co_append: CoAppend[ContestEvent]) -> None:
        """Raise Conflict if the append does not continue its log."""
        last = len(self._logs.get(co_append.contest, ()))
        if last != co_append.after:
            raise Conflict(co_append.contest, co_append.after, last)

    def write(self, co_append: CoAppend[ContestEvent], at_ms: int) -> list[ContestEntry]:
        """Append entries that `check` has accepted, and return them."""
        entries = co_appended(co_append, at_ms)
        if entries:
            self._logs.setdefault(co_append.contest, []).extend(entries)
        return entries


class MemoryUndeliveredEnds:
    """The results that bots have not confirmed yet, of the matches in one log."""

    def __init__(self, log: MemoryEventLog) -> None:
        self._log = log

    async def list_for(self, bot: str, limit: int) -> list[MatchEnded]:
        ends = [
            MatchEnded(match_id, seat)
            for match_id, seats in self._log.undelivered.items()
            for seat in sorted(seats)
            if seats[seat] == bot and self._log.is_over(match_id)
        ]
        return ends[-limit:]

    async def mark_delivered(self, ends: Sequence[MatchEnded]) -> None:
        for ended in ends:
            seats = self._log.undelivered.get(ended.match_id, {})
            seats.pop(ended.seat, None)
            if not seats:
                self._log.undelivered.pop(ended.match_id, None)


def _summary(log: Sequence[Entry]) -> list[Entry]:
    """Return all entries until play began, and the end."""
    began = next((entry.number for entry in log if isinstance(entry.event, PlayStarted)), len(log))
    return [*log[:began], *(entry for entry in log[began:][-1:] if isinstance(entry.event, PlayEnded))]


def _matches_filter(summary: Sequence[Entry], wanted: MatchFilter) -> bool:
    opening = summary[0]
    if not isinstance(opening.event, MatchCreated):
        return False
    setup, labels = opening.event.setup, dict(opening.event.setup.labels)
    by_seat: dict[Seat, str] = {}
    for entry in summary:
        by_seat.update(seated_bots(entry.event))
    return (
        wanted.game in ("", setup.terms.game)
        and wanted.ladder in ("", labels.get(LADDER))
        and wanted.tournament in ("", labels.get(TOURNAMENT))
        and wanted.bot in ("", *by_seat.values())
        and (not wanted.open_only or "" in by_seat.values())
        and wanted.phase in (None, _phase(summary))
        and opening.at_ms >= wanted.since_ms
    )


def _phase(summary: Sequence[Entry]) -> MatchPhase:
    if isinstance(summary[-1].event, PlayEnded):
        return MatchPhase.OVER
    return MatchPhase.PLAYING if isinstance(summary[-1].event, PlayStarted) else MatchPhase.WAITING
