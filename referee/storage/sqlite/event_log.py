"""Match log in SQLite.

One thread writes, and everything that waits for it is written in one transaction, so that many appends share the cost
of a commit. An append returns after that commit. A second thread reads, with its own connection, and sees committed
entries only.
"""

import json
import sqlite3
from collections.abc import Callable, Sequence
from typing import TypeVar

from referee.hosting.contest_log import ContestEntry
from referee.live.ports import Append, AppendCallback, Entry, LogDamaged
from referee.storage.encoded_appends import ContestAppend, EncodedAppend, encode_append, log_of
from referee.storage.sql import Operation, SqlConnection, row_limit
from referee.storage.sqlite.connection import run_to_end
from referee.storage.sqlite.database import BUSY_MS, Durability, Place
from referee.storage.sqlite.group_commit import SELECT_ENDS, GroupCommit, LogEnds
from referee.storage.sqlite.store import DatabaseThreads
from referee.storage.stored_contest_log import StoredContestLog
from referee.storage.stored_event_log import SELECT_ENTRIES, StoredEventLog

T = TypeVar("T")


class SqliteEventLog(StoredEventLog):
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
        self.contests = StoredContestLog(self._threads.write, self.run)

    def begin_append(self, append: Append, done: AppendCallback) -> None:
        # Encoded before it is queued: a malformed event fails this append only, not the whole batch.
        self._threads.begin_write(encode_append(append), done)

    async def run(self, query: Operation[T]) -> T:
        return await self._threads.read(lambda file: run_to_end(query, file))

    async def read_matches(self, match_ids: Sequence[str], max_entries: int) -> list[list[Entry] | LogDamaged]:
        return await self.run(lambda connection: _read_matches(connection, match_ids, max_entries))

    async def heads(self, match_ids: Sequence[str]) -> dict[str, int]:
        return await self._threads.read(lambda file: _read_heads(file, match_ids))

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


async def _read_matches(
    connection: SqlConnection, match_ids: Sequence[str], max_entries: int
) -> list[list[Entry] | LogDamaged]:
    found: list[list[Entry] | LogDamaged] = []
    left = max_entries
    for match_id in match_ids:
        rows = await connection.fetch(SELECT_ENTRIES, match_id, 0, row_limit(None))
        found.append(log_of(rows))
        left -= len(rows)
        if left <= 0:
            break
    return found


def _read_heads(file: sqlite3.Connection, match_ids: Sequence[str]) -> dict[str, int]:
    ends = file.execute(SELECT_ENDS, (json.dumps(match_ids),))
    return {match_id: last for match_id, _, last in ends if last > 0}
