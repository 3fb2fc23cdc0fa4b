"""Group commit: appends that arrive while a transaction runs are written together in the next one.

All rows are inserted at once, and one commit makes all appends durable. An append that does not continue its log gets a
Conflict, and the others are written. The same holds for an append whose contest entries do not continue the contest's
log: match and contest are written together or not at all.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from referee.hosting.contest_log import ContestEntry, co_appended
from referee.live.match_request import LADDER, TOURNAMENT
from referee.live.ports import Conflict, Entry, entries_of
from referee.match.events import MatchCreated, MovePlayed, PlayEnded, PlayStarted, SeatVacated, seated_bots
from referee.match.state import MatchPhase
from referee.storage.encoded_appends import ContestAppend, EncodedAppend, contest_append_of
from referee.storage.sqlite.database import transaction

SELECT_CONTEST_ENDS = """
    SELECT contest_id, contest, (SELECT max(number) FROM contest_entries WHERE contest = contests.contest)
    FROM contests
    WHERE contest_id IN (SELECT value FROM json_each(?))
"""

INSERT_CONTEST = "INSERT INTO contests (contest_id) VALUES (?)"

INSERT_CONTEST_ENTRY = "INSERT INTO contest_entries (contest, number, at_ms, line) VALUES (?, ?, ?, ?)"


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
            for contest_id, contest, last in self._connection.execute(SELECT_CONTEST_ENDS, (contests,)):
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
            self._connection.executemany(INSERT_CONTEST_ENTRY, self._rows)


INSERT_MATCH = "INSERT INTO matches (match_id) VALUES (?)"

INSERT_ENTRY = "INSERT INTO entries (match, number, at_ms, line, request) VALUES (?, ?, ?, ?, ?)"

INSERT_UNDELIVERED_END = "INSERT OR REPLACE INTO undelivered_ends (match, seat, bot) VALUES (?, ?, ?)"

DELETE_UNDELIVERED_END = "DELETE FROM undelivered_ends WHERE match = ? AND seat = ?"

END_MATCH = "UPDATE matches SET over = 1 WHERE match = ?"

CREATE_SUMMARY = """
    INSERT INTO match_summaries (match, created_ms, game, ladder, tournament, phase) VALUES (?, ?, ?, ?, ?, ?)
"""

BEGIN_SUMMARY = "UPDATE match_summaries SET phase = ?, began = ? WHERE match = ?"

END_SUMMARY = "UPDATE match_summaries SET phase = ?, ended = ? WHERE match = ?"

SET_SEAT = "INSERT OR REPLACE INTO match_seats (match, seat, bot) VALUES (?, ?, ?)"

SELECT_ENDS = """
    SELECT match_id, match, coalesce((SELECT max(number) FROM entries WHERE entries.match = matches.match), -1)
    FROM matches
    WHERE match_id IN (SELECT value FROM json_each(?))
"""


@dataclass(slots=True)
class LogEnd:
    """Last entry of the log of a match."""

    match: int | None = None
    """Primary key of the match; None if its log is empty."""
    last: int = 0
    """-1 if the entries have been archived: nothing can be appended any more."""


class LogEnds:
    """Cache of the ends of match logs, used by the writing thread only.

    Looking an end up costs as much as appending an entry, so it is read once and kept while the match is played. If
    another process has written to the file meanwhile, the insert violates a unique constraint; the cache is cleared
    then, and the batch is repeated (see `SqliteEventLog`).
    """

    def __init__(self) -> None:
        self._ends: dict[str, LogEnd] = {}

    def __getitem__(self, match_id: str) -> LogEnd:
        return self._ends[match_id]

    def load(self, connection: sqlite3.Connection, expected: Mapping[str, int]) -> None:
        """Read the ends of these matches, within a transaction, unless the cached end is the expected one."""
        missing = [match_id for match_id, after in expected.items() if not self._ends_at(match_id, after)]
        if not missing:
            return
        for match_id in missing:
            self._ends[match_id] = LogEnd()
        for match_id, match, last in connection.execute(SELECT_ENDS, (json.dumps(missing),)):
            self._ends[match_id] = LogEnd(match, last)

    def remove(self, matches: Iterable[str]) -> None:
        """Remove matches that are over: nothing follows in their logs."""
        for match_id in matches:
            self._ends.pop(match_id, None)

    def clear(self) -> None:
        """Remove everything, since a transaction has failed or another process has written."""
        self._ends.clear()

    def _ends_at(self, match_id: str, after: int) -> bool:
        end = self._ends.get(match_id)
        return end is not None and end.last == after


class GroupCommit:
    """A batch of appends, written in one transaction with one timestamp."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        appends: Sequence[EncodedAppend | ContestAppend],
        at_ms: int,
        ends: LogEnds,
    ) -> None:
        self._connection = connection
        self._appends = appends
        self._at_ms = at_ms
        self._ends = ends
        self._finished: list[str] = []
        contest_appends = [contest_append for append in appends if (contest_append := contest_append_of(append))]
        self._contests = ContestBatch(connection, contest_appends, at_ms)
        self._rows: list[tuple[int, int, int, str, str | None]] = []

    def write(self) -> list[list[Entry] | list[ContestEntry] | Exception]:
        """Return the entries or the Conflict of each append. Raises sqlite3.Error if nothing could be written."""
        with transaction(self._connection):
            self._ends.load(self._connection, self._expected_ends())
            self._contests.load_ends()
            results = [self._write(append) for append in self._appends]
            self._connection.executemany(INSERT_ENTRY, self._rows)
            # Not before: a trigger counts the entries of a finished match.
            self._connection.executemany(END_MATCH, [(self._ends[match_id].match,) for match_id in self._finished])
            self._contests.insert()
        self._ends.remove(self._finished)
        return results

    def _expected_ends(self) -> dict[str, int]:
        """Return the end of each match's log that its first append expects."""
        return {
            encoded.append.match_id: encoded.append.after
            for encoded in reversed(self._appends)
            if isinstance(encoded, EncodedAppend)
        }

    def _write(self, append: EncodedAppend | ContestAppend) -> list[Entry] | list[ContestEntry] | Exception:
        contest_append = contest_append_of(append)
        if contest_append and (conflict := self._contests.conflict(contest_append)):
            return conflict
        if isinstance(append, ContestAppend):
            return self._contests.add(append)
        match_id, after = append.append.match_id, append.append.after
        end = self._ends[match_id]
        if end.last != after:
            return Conflict(match_id, after, end.last)
        if contest_append:
            self._contests.add(contest_append)
        return self._add(append, end) if append.lines else []

    def _add(self, encoded: EncodedAppend, end: LogEnd) -> list[Entry]:
        """Add events that continue the log."""
        append = encoded.append
        if end.match is None:
            end.match = self._connection.execute(INSERT_MATCH, (append.match_id,)).lastrowid
            assert end.match
        entries = entries_of(append, self._at_ms)
        for entry, line in zip(entries, encoded.lines, strict=True):
            request = encoded.request if entry.request else None
            self._rows.append((end.match, entry.number, self._at_ms, line, request))
            if type(entry.event) is not MovePlayed:  # Most events, and none of the tables shows them.
                self._update_derived(append.match_id, end.match, entry)
        end.last += len(entries)
        return entries

    def _update_derived(self, match_id: str, match: int, entry: Entry) -> None:
        """Update the tables that are queried across matches."""
        event = entry.event
        if isinstance(event, MatchCreated) and entry.number == 1:
            game, labels = event.setup.terms.game, dict(event.setup.labels)
            row = (match, self._at_ms, game, labels.get(LADDER), labels.get(TOURNAMENT), MatchPhase.WAITING.value)
            self._connection.execute(CREATE_SUMMARY, row)
        elif isinstance(event, PlayStarted):
            self._connection.execute(BEGIN_SUMMARY, (MatchPhase.PLAYING.value, entry.number, match))
        elif isinstance(event, PlayEnded):
            self._connection.execute(END_SUMMARY, (MatchPhase.OVER.value, entry.number, match))
            self._finished.append(match_id)
        for seat, bot in seated_bots(event).items():
            self._connection.execute(SET_SEAT, (match, seat, bot))
            if bot:
                self._connection.execute(INSERT_UNDELIVERED_END, (match, seat, bot))
            elif isinstance(event, SeatVacated):
                self._connection.execute(DELETE_UNDELIVERED_END, (match, seat))
