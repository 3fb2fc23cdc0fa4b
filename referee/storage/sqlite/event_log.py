"""Match log in SQLite.

One thread writes, and everything that waits for it is written in one transaction, so that many appends share the cost
of a commit. An append returns after that commit. A second thread reads, with its own connection, and sees committed
entries only.
"""

import json
import sqlite3
from collections.abc import Callable, Sequence

from referee.hosting.contest_log import ContestEntry
from referee.live.match_request import EVERY_MATCH, MatchFilter
from referee.live.outbox import MatchEnded
from referee.live.ports import (
    Append,
    AppendCallback,
    Entry,
    EventLog,
    LogDamaged,
    MatchArchived,
    Summaries,
)
from referee.storage.encoded_appends import (
    ContestAppend,
    EncodedAppend,
    bots_by_match,
    encode_append,
    entry_of,
    log_of,
)
from referee.storage.sqlite import match_summaries
from referee.storage.sqlite.contests import SqliteContestLog
from referee.storage.sqlite.database import BUSY_MS, Durability, Place
from referee.storage.sqlite.group_commit import SELECT_ENDS, GroupCommit, LogEnds
from referee.storage.sqlite.store import DatabaseThreads, SqliteStore, row_limit

SELECT_ENTRIES = """
    SELECT match_id, number, at_ms, line, request
    FROM matches JOIN entries USING (match)
    WHERE match_id = ? AND number > ?
    ORDER BY number
    LIMIT ?
"""

IS_ARCHIVED = """
    SELECT EXISTS (SELECT 1 FROM matches WHERE match_id = ?)
        AND NOT EXISTS (SELECT 1 FROM matches JOIN entries USING (match) WHERE match_id = ?)
"""
"""The row of an archived match stays, so that its id cannot be used again."""

SELECT_STORED = """
    SELECT match_id FROM matches
    WHERE EXISTS (SELECT 1 FROM entries WHERE entries.match = matches.match)
    ORDER BY match DESC
"""

SELECT_UNFINISHED = "SELECT match_id FROM matches WHERE over = 0 ORDER BY match"

SELECT_BOTS_IN_PLAY = """
    SELECT match_id, bot
    FROM match_summaries JOIN match_seats USING (match) JOIN matches USING (match)
    WHERE phase = 'playing' AND over = 0
"""

SELECT_UNDELIVERED_ENDS = """
    SELECT match_id, seat
    FROM undelivered_ends JOIN matches USING (match)
    WHERE bot = ? AND over = 1
    ORDER BY match DESC, seat DESC
    LIMIT ?
"""

DELETE_UNDELIVERED_END = """
    DELETE FROM undelivered_ends WHERE match = (SELECT match FROM matches WHERE match_id = ?) AND seat = ?
"""


class SqliteEventLog(EventLog):
    """An EventLog for any number of event loops and processes on one database.

    If a caller is cancelled during `append`, its entries are written completely or not at all.
    """

    def __init__(
        self,
        place: Place,
        wall_ms: Callable[[], int],
        durability: Durability = Durability.FULL,
        busy_ms: int = BUSY_MS,
        committed: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Open or create the database. Raises StoreUnavailable or NewerDatabase.

        `busy_ms` is how long to wait for a lock of another process. `wall_ms` and `committed` are called in the writing
        thread; `committed` gets the number of appends in each transaction.
        """
        self._wall_ms = wall_ms
        self._committed = committed
        self._ends = LogEnds()
        self._threads: DatabaseThreads[EncodedAppend | ContestAppend] = DatabaseThreads(
            place, durability, busy_ms, self._write, "log", "the match log"
        )
        self.contests = SqliteContestLog(self._threads.write, self._threads.read)
        """The contest log, which can be written in the same transactions."""

    def begin_append(self, append: Append, done: AppendCallback) -> None:
        # Encoded before it is queued: a malformed event fails this append only, not the whole batch.
        self._threads.begin_write(encode_append(append), done)

    async def read(self, match_id: str, after: int = 0, limit: int | None = None) -> list[Entry]:
        return await self._threads.read(lambda file: _read_entries(file, match_id, after, limit))

    async def read_matches(self, match_ids: Sequence[str], max_entries: int) -> list[list[Entry] | LogDamaged]:
        return await self._threads.read(lambda file: _read_matches(file, match_ids, max_entries))

    async def heads(self, match_ids: Sequence[str]) -> dict[str, int]:
        return await self._threads.read(lambda file: _read_heads(file, match_ids))

    async def unfinished(self) -> list[str]:
        return await self._threads.read(lambda file: _match_ids(file, SELECT_UNFINISHED))

    async def bots_in_play(self) -> dict[str, list[str]]:
        return bots_by_match(await self._threads.read(lambda file: file.execute(SELECT_BOTS_IN_PLAY).fetchall()))

    async def summaries(self, wanted: MatchFilter = EVERY_MATCH, before: str = "", limit: int = 100) -> Summaries:
        return await self._threads.read(lambda file: _read_summaries(file, wanted, before, limit))

    async def stored_matches(self) -> list[str]:
        """Return the id of every match that has entries, readable or not, the newest first."""
        return await self._threads.read(lambda file: _match_ids(file, SELECT_STORED))

    async def close(self) -> None:
        await self._threads.close()

    def _write(
        self, appends: Sequence[EncodedAppend | ContestAppend]
    ) -> list[list[Entry] | list[ContestEntry] | Exception]:
        try:
            results = self._write_once(appends)
        except sqlite3.IntegrityError:  # Another process has appended since the ends were cached.
            results = self._write_once(appends)
        if written := sum(isinstance(result, list) for result in results):
            self._committed(written)
        return results

    def _write_once(
        self, appends: Sequence[EncodedAppend | ContestAppend]
    ) -> list[list[Entry] | list[ContestEntry] | Exception]:
        try:
            return GroupCommit(self._threads.writing, appends, self._wall_ms(), self._ends).write()
        except BaseException:
            self._ends.clear()
            raise


class SqliteUndeliveredEnds:
    """The results that bots have not confirmed yet, in the table that the match log fills."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store

    async def list_for(self, bot: str, limit: int) -> list[MatchEnded]:
        rows = await self._store.read(lambda file: file.execute(SELECT_UNDELIVERED_ENDS, (bot, limit)).fetchall())
        return [MatchEnded(match_id, seat) for match_id, seat in reversed(rows)]

    async def mark_delivered(self, ends: Sequence[MatchEnded]) -> None:
        keys = [(ended.match_id, ended.seat) for ended in ends]
        await self._store.write(lambda file: file.executemany(DELETE_UNDELIVERED_END, keys))


def _read_entries(file: sqlite3.Connection, match_id: str, after: int, limit: int | None) -> list[Entry]:
    entries = [entry_of(row) for row in file.execute(SELECT_ENTRIES, (match_id, after, row_limit(limit)))]
    if not entries and file.execute(IS_ARCHIVED, (match_id, match_id)).fetchone()[0]:
        raise MatchArchived(match_id)
    return entries


def _read_matches(
    file: sqlite3.Connection, match_ids: Sequence[str], max_entries: int
) -> list[list[Entry] | LogDamaged]:
    found: list[list[Entry] | LogDamaged] = []
    left = max_entries
    for match_id in match_ids:
        rows = file.execute(SELECT_ENTRIES, (match_id, 0, row_limit(None))).fetchall()
        found.append(log_of(rows))
        left -= len(rows)
        if left <= 0:
            break
    return found


def _read_heads(file: sqlite3.Connection, match_ids: Sequence[str]) -> dict[str, int]:
    ends = file.execute(SELECT_ENDS, (json.dumps(match_ids),))
    return {match_id: last for match_id, _, last in ends if last > 0}


def _read_summaries(file: sqlite3.Connection, wanted: MatchFilter, before: str, limit: int) -> Summaries:
    file.execute("BEGIN")  # The search and the summaries must see the same snapshot.
    try:
        matches, stopped_at = match_summaries.find(file, wanted, before, limit)
        return Summaries([summary for match in matches if (summary := _summary(file, match))], stopped_at)
    finally:
        file.execute("ROLLBACK")


def _summary(file: sqlite3.Connection, match: int) -> list[Entry]:
    """Return the entries of a summary; empty if one of them cannot be decoded."""
    entries = log_of(file.execute(match_summaries.SUMMARY, {"match": match}))
    return [] if isinstance(entries, LogDamaged) else entries


def _match_ids(file: sqlite3.Connection, query: str) -> list[str]:
    return [match_id for (match_id,) in file.execute(query)]
