"""Entries of ladders and tournaments in the transactions of the match log.

So an entry that belongs to the end of a match shares its transaction, and numbers are assigned where nobody else can
write: within the transaction, after the last entry.
"""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from referee.hosting.contest_log import ContestEntry, co_appended
from referee.live.ports import Conflict
from referee.storage.encoded_appends import ContestAppend

SELECT_ENDS = """
    SELECT contest_id, contest, (SELECT max(number) FROM contest_entries WHERE contest = contests.contest)
    FROM contests
    WHERE contest_id IN (SELECT value FROM json_each(?))
"""

INSERT_CONTEST = "INSERT INTO contests (contest_id) VALUES (?)"

INSERT_ENTRY = "INSERT INTO contest_entries (contest, number, at_ms, line) VALUES (?, ?, ?, ?)"


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
