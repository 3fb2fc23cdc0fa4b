"""The log of every match in a SQLite file.

One thread writes. Everything that waits for it is written in one transaction, so that many appends
share the price of one commit; whoever appended is told after the commit. A second thread reads, by a
connection of its own, and sees whole appends only.
"""

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from referee.app.contests.log import Beside, ContestEntry
from referee.app.faults import UNREADABLE, LogDamaged
from referee.app.ports import Entry, LogUnavailable, MatchArchived, Request, Summaries
from referee.app.wish import EVERY_MATCH, MatchFilter
from referee.core.events import Event
from referee.storage import match_summaries
from referee.storage.codec import decode, encode
from referee.storage.contest_rows import ContestAppend, contest_append
from referee.storage.contests_sqlite import SqliteContestLog
from referee.storage.group import Append, Group
from referee.storage.heads import Heads
from referee.storage.in_place import InPlace
from referee.storage.requests import read_request, write_request
from referee.storage.sqlite_file import Durability, open_for_reading, open_for_writing
from referee.storage.worker import Closed, Worker

Question = TypeVar("Question")
Answer = TypeVar("Answer")

BUSY_MS = 5_000

ENTRIES = """
    SELECT match_id, number, at_ms, line, request
    FROM matches JOIN entries USING (match)
    WHERE match_id = ? AND number > ?
    ORDER BY number
    LIMIT ?
"""
ALL = -1
"""As a LIMIT."""

IS_ARCHIVED = """
    SELECT EXISTS (SELECT 1 FROM matches WHERE match_id = ?)
        AND NOT EXISTS (SELECT 1 FROM matches JOIN entries USING (match) WHERE match_id = ?)
"""
"""Its row stays, so that nobody makes it twice."""

HELD = """
    SELECT match_id FROM matches
    WHERE EXISTS (SELECT 1 FROM entries WHERE entries.match = matches.match)
    ORDER BY match DESC
"""

UNFINISHED = "SELECT match_id FROM matches WHERE over = 0 ORDER BY match"


class SqliteEventLog:
    """An EventLog for any number of event loops, and beside other processes on the same file.

    A caller who is cancelled while appending does not know what became of it: all of it will be
    written, or nothing.
    """

    def __init__(
        self,
        path: Path,
        wall_ms: Callable[[], int],
        durability: Durability = Durability.FULL,
        busy_ms: int = BUSY_MS,
        committed: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Open the file, or make it. Raises LogUnavailable, or NewerDatabase.

        `busy_ms` is how long to wait where another process writes; `wall_ms` is asked by the writing thread,
        which tells `committed` how many appends became durable together.
        """
        self._wall_ms = wall_ms
        self._committed = committed
        try:
            self._writing = open_for_writing(path, durability, busy_ms)
            self._reading = open_for_reading(path, busy_ms)
            self._in_place = InPlace(path)
        except (OSError, sqlite3.Error) as cause:
            raise _unavailable(cause) from cause
        self._heads = Heads()
        self._writer: Worker[Append | ContestAppend, Any] = Worker("log writer", self._write, self._writing.close)
        self._reader: Worker[Callable[[], Any], Any] = Worker("log reader", _tried, self._reading.close)
        self.contests = SqliteContestLog(self._write_contest, self._read_contest)
        """What is written beside matches is in this one."""

    async def append(
        self,
        match_id: str,
        after: int,
        events: Sequence[Event],
        request: Request | None = None,
        beside: Beside | None = None,
    ) -> list[Entry]:
        lines = [encode(event) for event in events]  # Here, so that nobody else's append suffers from a bad event.
        of_contest = contest_append(beside) if beside else None
        append = Append(match_id, after, tuple(events), lines, request, write_request(request), of_contest)
        entries: list[Entry] = await _asked(self._writer, append)
        return entries

    async def read(self, match_id: str, after: int = 0, at_most: int | None = None) -> list[Entry]:
        entries: list[Entry] = await _asked(self._reader, lambda: self._entries(match_id, after, at_most))
        return entries

    async def unfinished(self) -> list[str]:
        matches: list[str] = await _asked(self._reader, self._unfinished)
        return matches

    async def summaries(self, wanted: MatchFilter = EVERY_MATCH, before: str = "", at_most: int = 100) -> Summaries:
        found: Summaries = await _asked(self._reader, lambda: self._summaries(wanted, before, at_most))
        return found

    async def held(self) -> list[str]:
        """Every match that has entries, whether they can be read or not, the newest first."""
        matches: list[str] = await _asked(self._reader, self._held)
        return matches

    async def close(self) -> None:
        await self._writer.close()
        await self._reader.close()

    async def _write_contest(self, append: ContestAppend) -> list[ContestEntry]:
        entries: list[ContestEntry] = await _asked(self._writer, append)
        return entries

    async def _read_contest(self, order: Callable[[sqlite3.Connection], Any]) -> Any:
        return await _asked(self._reader, lambda: order(self._reading))

    def _write(self, appends: Sequence[Append | ContestAppend]) -> list[list[Entry] | list[ContestEntry] | Exception]:
        try:
            answers = self._written(appends)
        except sqlite3.IntegrityError:  # Somebody else has written where the log was thought to end.
            answers = self._written(appends)
        if written := sum(isinstance(answer, list) for answer in answers):
            self._committed(written)
        return answers

    def _written(self, appends: Sequence[Append | ContestAppend]) -> list[list[Entry] | list[ContestEntry] | Exception]:
        try:
            self._in_place.need()
            return Group(self._writing, appends, self._wall_ms(), self._heads).write()
        except BaseException:
            self._heads.forget_all()
            raise

    def _entries(self, match_id: str, after: int, at_most: int | None) -> list[Entry]:
        rows = self._reading.execute(ENTRIES, (match_id, after, ALL if at_most is None else at_most))
        entries = [_entry(row) for row in rows]
        if not entries and self._reading.execute(IS_ARCHIVED, (match_id, match_id)).fetchone()[0]:
            raise MatchArchived(match_id)
        return entries

    def _summaries(self, wanted: MatchFilter, before: str, at_most: int) -> Summaries:
        self._reading.execute("BEGIN")  # The search and the summaries must show the same state.
        try:
            matches, stopped_at = match_summaries.find(self._reading, wanted, before, at_most)
            return Summaries([summary for match in matches if (summary := self._summary(match))], stopped_at)
        finally:
            self._reading.execute("ROLLBACK")

    def _summary(self, match: int) -> list[Entry]:
        """Empty: one of its entries cannot be read."""
        try:
            return [_entry(row) for row in self._reading.execute(match_summaries.SUMMARY, {"match": match})]
        except LogDamaged:
            return []

    def _held(self) -> list[str]:
        return [match_id for (match_id,) in self._reading.execute(HELD)]

    def _unfinished(self) -> list[str]:
        return [match_id for (match_id,) in self._reading.execute(UNFINISHED)]


def _entry(row: tuple[str, int, int, str, str | None]) -> Entry:
    match_id, number, at_ms, line, request = row
    try:
        return Entry(match_id, number, at_ms, decode(line), read_request(request))
    except ValueError as wrong:
        raise LogDamaged(match_id, number, UNREADABLE) from wrong


def _tried(questions: Sequence[Callable[[], Any]]) -> list[Any]:
    """The answer to each; what one raises is for who asked it."""
    return [_answer_or_error(question) for question in questions]


def _answer_or_error(question: Callable[[], Any]) -> Any:
    try:
        return question()
    except Exception as error:
        return error


async def _asked(worker: Worker[Question, Answer], question: Question) -> Answer:
    try:
        return await worker.ask(question)
    except (sqlite3.Error, Closed) as cause:
        raise _unavailable(cause) from cause


def _unavailable(cause: Exception) -> LogUnavailable:
    return LogUnavailable(f"the log cannot be used now: {cause}")
