"""Many appends in one transaction.

Where the logs end is known, or asked once for all; all rows are added at once, and one commit serves everybody.
An append that comes too late gets its Conflict, and the others are written. So does one that would be in time, where
what is to stand beside it in a contest's log comes too late.
"""

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from referee.app.contests.log import ContestEntry
from referee.app.ports import Conflict, Entry, Request
from referee.core.events import Event, PlayEnded
from referee.storage import match_summaries
from referee.storage.contest_rows import ContestAppend, ContestRows
from referee.storage.heads import Head, Heads
from referee.storage.seating import seated_by
from referee.storage.sqlite_file import transaction

ADD_MATCH = "INSERT INTO matches (match_id) VALUES (?)"

ADD_ENTRY = "INSERT INTO entries (match, number, at_ms, line, request) VALUES (?, ?, ?, ?, ?)"

SEAT = "INSERT OR REPLACE INTO unheard_ends (match, seat, bot) VALUES (?, ?, ?)"

END_MATCH = "UPDATE matches SET over = 1 WHERE match = ?"


class Append(NamedTuple):
    match_id: str
    after: int
    events: Sequence[Event]
    lines: Sequence[str]
    """The same events, encoded."""
    request: Request | None = None
    request_line: str | None = None
    """The request, encoded."""
    beside: ContestAppend | None = None


class Group:
    """Appends that are written together, at one moment of the wall clock."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        appends: Sequence[Append | ContestAppend],
        at_ms: int,
        heads: Heads,
    ) -> None:
        self._connection = connection
        self._appends = appends
        self._at_ms = at_ms
        self._heads = heads
        self._over: list[str] = []
        of_contests = [of_contest for append in appends if (of_contest := _of_contest(append))]
        self._contests = ContestRows(connection, of_contests, at_ms)
        self._rows: list[tuple[int | None, int, int, str, str | None]] = []

    def write(self) -> list[list[Entry] | list[ContestEntry] | Exception]:
        """For each append its entries, or its Conflict. Raises sqlite3.Error if nothing could be written."""
        with transaction(self._connection):
            self._heads.find(self._connection, self._first_afters())
            self._contests.find_heads()
            answers = [self._answer(append) for append in self._appends]
            self._connection.executemany(ADD_ENTRY, self._rows)
            self._contests.write()
        self._heads.forget(self._over)
        return answers

    def _first_afters(self) -> dict[str, int]:
        """Where each match's log is thought to end by who came first."""
        return {append.match_id: append.after for append in reversed(self._appends) if isinstance(append, Append)}

    def _answer(self, append: Append | ContestAppend) -> list[Entry] | list[ContestEntry] | Exception:
        conflict = self._conflict(append)
        if conflict:
            return conflict
        return self._place(append) if isinstance(append, Append) else self._contests.place(append)

    def _conflict(self, append: Append | ContestAppend) -> Conflict | None:
        of_contest = _of_contest(append)
        if of_contest and (conflict := self._contests.conflict(of_contest)):
            return conflict
        if isinstance(append, Append) and (last := self._heads[append.match_id].last) != append.after:
            return Conflict(append.match_id, append.after, last)
        return None

    def _place(self, append: Append) -> list[Entry]:
        """It has no conflict."""
        head = self._heads[append.match_id]
        if append.beside:
            self._contests.place(append.beside)
        last = len(append.events) - 1
        return [self._entry(append, head, place, answers=place == last) for place in range(len(append.events))]

    def _entry(self, append: Append, head: Head, place: int, answers: bool) -> Entry:
        """`answers`: the entry is the last of its append, and so has the request beside it."""
        if head.match is None:
            head.match = self._connection.execute(ADD_MATCH, (append.match_id,)).lastrowid
        head.last += 1
        event, request_line = append.events[place], append.request_line if answers else None
        self._rows.append((head.match, head.last, self._at_ms, append.lines[place], request_line))
        assert head.match
        self._note(append.match_id, head.match, event)
        match_summaries.write(self._connection, head.match, head.last, self._at_ms, event)
        return Entry(append.match_id, head.last, self._at_ms, event, append.request if answers else None)

    def _note(self, match_id: str, match: int, event: Event) -> None:
        """What is asked of all matches at once stands beside their entries."""
        for seat, bot in seated_by(event).items():
            if bot:
                self._connection.execute(SEAT, (match, seat, bot))
        if isinstance(event, PlayEnded):
            self._connection.execute(END_MATCH, (match,))
            self._over.append(match_id)


def _of_contest(append: Append | ContestAppend) -> ContestAppend | None:
    return append.beside if isinstance(append, Append) else append
