"""The log of every contest in a SQLite file, by the threads of the log of the matches."""

import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias

from referee.app.contests.events import ContestEvent
from referee.app.contests.log import Beside, ContestEntry, Unreadable
from referee.storage.contest_codec import decode
from referee.storage.contest_rows import ContestAppend, contest_append
from referee.storage.line import MalformedEntry

ENTRIES = """
    SELECT contest_id, number, at_ms, line
    FROM contests JOIN contest_entries USING (contest)
    WHERE contest_id = ? AND number > ?
    ORDER BY number
    LIMIT ?
"""
ALL = -1
"""As a LIMIT."""

FIRSTS = """
    SELECT contest_id, number, at_ms, line
    FROM contests JOIN contest_entries USING (contest)
    WHERE number = 1 AND substr(contest_id, 1, length(:start)) = :start
    ORDER BY contest
"""

LASTS = """
    SELECT contest_id, number, at_ms, line
    FROM contests JOIN contest_entries USING (contest)
    WHERE number = (SELECT max(number) FROM contest_entries WHERE contest = contests.contest)
        AND substr(contest_id, 1, length(:start)) = :start
    ORDER BY contest
"""

Write: TypeAlias = Callable[[ContestAppend], Awaitable[list[ContestEntry]]]
Read: TypeAlias = Callable[[Callable[[sqlite3.Connection], Any]], Awaitable[Any]]


class SqliteContestLog:
    """A ContestLog for any number of event loops, and beside other processes on the same file.

    `read` raises MalformedEntry where the file holds what this release cannot read.
    """

    def __init__(self, write: Write, read: Read) -> None:
        """By the writer and the reader of the log of the matches, which has made it."""
        self._write = write
        self._read = read

    async def append(self, contest: str, after: int, events: Sequence[ContestEvent]) -> list[ContestEntry]:
        return await self._write(contest_append(Beside(contest, after, tuple(events))))

    async def read(self, contest: str, after: int = 0, at_most: int | None = None) -> list[ContestEntry]:
        asked = (contest, after, ALL if at_most is None else at_most)
        entries: list[ContestEntry] = await self._read(lambda connection: _entries(connection.execute(ENTRIES, asked)))
        return entries

    async def contests(self, kind: str) -> list[ContestEntry | Unreadable]:
        return await self._of_each(kind, FIRSTS)

    async def lasts(self, kind: str) -> list[ContestEntry | Unreadable]:
        return await self._of_each(kind, LASTS)

    async def _of_each(self, kind: str, which: str) -> list[ContestEntry | Unreadable]:
        asked = {"start": f"{kind}/"}
        found: list[ContestEntry | Unreadable] = await self._read(
            lambda connection: [_entry_of(*row) for row in connection.execute(which, asked)]
        )
        return found


def _entries(rows: sqlite3.Cursor) -> list[ContestEntry]:
    return [_entry(*row) for row in rows]


def _entry_of(contest: str, number: int, at_ms: int, line: str) -> ContestEntry | Unreadable:
    try:
        return _entry(contest, number, at_ms, line)
    except MalformedEntry:
        return Unreadable(contest)


def _entry(contest: str, number: int, at_ms: int, line: str) -> ContestEntry:
    try:
        return ContestEntry(contest, number, at_ms, decode(line))
    except MalformedEntry as wrong:
        raise MalformedEntry(f"entry {number} of {contest}: {wrong}") from None
