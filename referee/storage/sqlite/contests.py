"""Contest log in SQLite: entries of ladders and tournaments.

The thread that writes the match log writes these entries too. So an entry that belongs to the end of a match shares its
transaction, and numbers are assigned where nobody else can write: within the transaction, after the last entry.
"""

import json
import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from referee.hosting.contest_log import ContestEntry, ContestEvent, UnreadableContest, co_appended
from referee.live.ports import CoAppend, Conflict
from referee.storage.codec import CONTEST_CODEC, MalformedEntry
from referee.storage.encoded_appends import ContestAppend, encode_contest_append
from referee.storage.sqlite.store import row_limit

SELECT_ENTRIES = """
    SELECT contest_id, number, at_ms, line
    FROM contests JOIN contest_entries USING (contest)
    WHERE contest_id = ? AND number > ?
    ORDER BY number
    LIMIT ?
"""
SELECT_FIRST = """
    SELECT contest_id, number, at_ms, line
    FROM contests JOIN contest_entries USING (contest)
    WHERE number = 1 AND substr(contest_id, 1, length(:prefix)) = :prefix
    ORDER BY contest
"""

SELECT_LAST = """
    SELECT contest_id, number, at_ms, line
    FROM contests JOIN contest_entries USING (contest)
    WHERE number = (SELECT max(number) FROM contest_entries WHERE contest = contests.contest)
        AND substr(contest_id, 1, length(:prefix)) = :prefix
    ORDER BY contest
"""

SELECT_ENDS = """
    SELECT contest_id, contest, (SELECT max(number) FROM contest_entries WHERE contest = contests.contest)
    FROM contests
    WHERE contest_id IN (SELECT value FROM json_each(?))
"""

INSERT_CONTEST = "INSERT INTO contests (contest_id) VALUES (?)"

INSERT_ENTRY = "INSERT INTO contest_entries (contest, number, at_ms, line) VALUES (?, ?, ?, ?)"


WriteContest: TypeAlias = Callable[[ContestAppend], Awaitable[list[ContestEntry]]]
ReadContest: TypeAlias = Callable[[Callable[[sqlite3.Connection], Any]], Awaitable[Any]]


class SqliteContestLog:
    """A ContestLog for any number of event loops and processes on one file.

    `read` raises MalformedEntry if it meets an entry that this release cannot decode.
    """

    def __init__(self, write: WriteContest, read: ReadContest) -> None:
        """`write` and `read` use the threads of the match log, which creates this object."""
        self._write = write
        self._read = read

    async def append(self, contest: str, after: int, events: Sequence[ContestEvent]) -> list[ContestEntry]:
        return await self._write(encode_contest_append(CoAppend(contest, after, tuple(events))))

    async def read(self, contest: str, after: int = 0, limit: int | None = None) -> list[ContestEntry]:
        values = (contest, after, row_limit(limit))
        entries: list[ContestEntry] = await self._read(
            lambda file: [_entry(*row) for row in file.execute(SELECT_ENTRIES, values)]
        )
        return entries

    async def first_entries(self, kind: str) -> list[ContestEntry | UnreadableContest]:
        return await self._one_of_each(kind, SELECT_FIRST)

    async def last_entries(self, kind: str) -> list[ContestEntry | UnreadableContest]:
        return await self._one_of_each(kind, SELECT_LAST)

    async def _one_of_each(self, kind: str, query: str) -> list[ContestEntry | UnreadableContest]:
        values = {"prefix": f"{kind}/"}
        entries: list[ContestEntry | UnreadableContest] = await self._read(
            lambda file: [_entry_or_unreadable(*row) for row in file.execute(query, values)]
        )
        return entries


@dataclass(slots=True)
class _ContestEnd:
    """Last entry of the log of a contest, within the transaction."""

    contest: int | None = None
    """Primary key of the contest; None if its log is empty."""
    last: int = 0


class ContestBatch:
    """Contest entries of one transaction, collected and inserted together."""

    def __init__(self, connection: sqlite3.Connection, appends: Iterable[ContestAppend], at_ms: int) -> None:
        """`appends` are all that may be added in this transaction."""
        self._connection = connection
        self._at_ms = at_ms
        self._ends = {append.co_append.contest: _ContestEnd() for append in appends}
        self._rows: list[tuple[int | None, int, int, str]] = []

    def load_ends(self) -> None:
        """Read where the logs of the contests end. Call this before anything is added."""
        if self._ends:  # Most batches have matches only, and need no query.
            contests = json.dumps(list(self._ends))
            for contest_id, contest, last in self._connection.execute(SELECT_ENDS, (contests,)):
                self._ends[contest_id] = _ContestEnd(contest, last)

    def conflict(self, append: ContestAppend) -> Conflict | None:
        """Return why the append does not continue its log, or None."""
        contest, after = append.co_append.contest, append.co_append.after
        last = self._ends[contest].last
        return None if last == after else Conflict(contest, after, last)

    def add(self, append: ContestAppend) -> list[ContestEntry]:
        """Add an append that has no conflict, and return its entries."""
        end, entries = self._ends[append.co_append.contest], co_appended(append.co_append, self._at_ms)
        if entries and end.contest is None:
            end.contest = self._connection.execute(INSERT_CONTEST, (append.co_append.contest,)).lastrowid
        for entry, line in zip(entries, append.lines, strict=True):
            self._rows.append((end.contest, entry.number, entry.at_ms, line))
            end.last = entry.number
        return entries

    def insert(self) -> None:
        """Insert all entries that were added."""
        if self._rows:
            self._connection.executemany(INSERT_ENTRY, self._rows)


def _entry_or_unreadable(contest: str, number: int, at_ms: int, line: str) -> ContestEntry | UnreadableContest:
    try:
        return _entry(contest, number, at_ms, line)
    except MalformedEntry:
        return UnreadableContest(contest)


def _entry(contest: str, number: int, at_ms: int, line: str) -> ContestEntry:
    try:
        return ContestEntry(contest, number, at_ms, CONTEST_CODEC.decode(line))
    except MalformedEntry as why:
        raise MalformedEntry(f"entry {number} of {contest}: {why}") from None
