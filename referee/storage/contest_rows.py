"""Entries of contests, in one transaction: those written beside matches, and those written alone.

The thread that writes the log of the matches writes these too. So both share a commit, and the number of an entry
is given, as for matches, where nobody else can write: within the transaction, behind the last that is there.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from referee.app.contests.log import Beside, ContestEntry
from referee.app.ports import Conflict
from referee.storage.contest_codec import encode

HEADS = """
    SELECT contest_id, contest, (SELECT max(number) FROM contest_entries WHERE contest = contests.contest)
    FROM contests
    WHERE contest_id IN (SELECT value FROM json_each(?))
"""

ADD_CONTEST = "INSERT INTO contests (contest_id) VALUES (?)"

ADD_ENTRY = "INSERT INTO contest_entries (contest, number, at_ms, line) VALUES (?, ?, ?, ?)"


class ContestAppend(NamedTuple):
    beside: Beside
    lines: Sequence[str]
    """Its events, encoded."""


def contest_append(beside: Beside) -> ContestAppend:
    """Raises MalformedEntry."""
    return ContestAppend(beside, [encode(event) for event in beside.events])


@dataclass(slots=True)
class _Head:
    """Where a contest's log ends by now."""

    contest: int | None = None
    """The contest's key; None: nothing has been written to its log."""
    last: int = 0


class ContestRows:
    """Rows that are gathered, and added at once."""

    def __init__(self, connection: sqlite3.Connection, appends: Iterable[ContestAppend], at_ms: int) -> None:
        """For these appends, within a transaction."""
        self._connection = connection
        self._at_ms = at_ms
        self._heads = {append.beside.contest: _Head() for append in appends}
        self._rows: list[tuple[int | None, int, int, str]] = []

    def find_heads(self) -> None:
        """Before anything is placed."""
        if self._heads:  # Most groups are of matches only, and pay for nothing else.
            contests = json.dumps(list(self._heads))
            for contest_id, contest, last in self._connection.execute(HEADS, (contests,)):
                self._heads[contest_id] = _Head(contest, last)

    def conflict(self, append: ContestAppend) -> Conflict | None:
        """Why it cannot be placed, if it cannot."""
        contest, after = append.beside.contest, append.beside.after
        last = self._heads[contest].last
        return None if last == after else Conflict(contest, after, last)

    def place(self, append: ContestAppend) -> list[ContestEntry]:
        """It has no conflict."""
        head, entries = self._heads[append.beside.contest], append.beside.entries(self._at_ms)
        if entries and head.contest is None:
            head.contest = self._connection.execute(ADD_CONTEST, (append.beside.contest,)).lastrowid
        for entry, line in zip(entries, append.lines, strict=True):
            self._rows.append((head.contest, entry.number, entry.at_ms, line))
            head.last = entry.number
        return entries

    def write(self) -> None:
        if self._rows:
            self._connection.executemany(ADD_ENTRY, self._rows)
