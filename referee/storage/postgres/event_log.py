"""Match log in PostgreSQL.

One connection writes, and everything that waits for it is written in one transaction, so that many appends share the
cost of a round trip and of a commit. An append returns after that commit. Several processes can write the same tables:
an append continues its log, or gets a Conflict. Other connections read, and see committed entries only.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple, TypeAlias, TypeVar

from referee.hosting.contest_log import ContestEntry
from referee.live.ports import Append, AppendCallback, Entry, LogDamaged, StoreUnavailable, settle
from referee.storage.encoded_appends import ContestAppend, EncodedAppend, encode_append, log_of
from referee.storage.postgres.database import (
    BROKEN,
    Connection,
    PostgresDatabase,
    WriteMark,
    is_refusal,
    unavailable,
)
from referee.storage.postgres.group_commit import CLOCK, SELECT_HEADS, Group, GroupCommit, Statements, Written
from referee.storage.sql import is_storable
from referee.storage.stored_contest_log import StoredContestLog
from referee.storage.stored_event_log import StoredEventLog

MAX_GROUP = 1000
"""Maximum number of appends in one transaction."""

SELECT_LOGS = """
    SELECT match_id, number, at_ms, line, request FROM matches JOIN entries USING (match)
    WHERE match_id = ANY($1)
    ORDER BY match, number
"""

T = TypeVar("T")

LogAppend: TypeAlias = EncodedAppend | ContestAppend


class _Pending(NamedTuple):
    """An append that waits to be written."""

    append: LogAppend
    done: Callable[[Any], None]


class PostgresEventLog(StoredEventLog):
    """An EventLog for one event loop, and any number of processes on one database.

    If a caller is cancelled during `append`, its entries are written completely or not at all.
    """

    def __init__(
        self, database: PostgresDatabase, committed: Callable[[int], None] = lambda _: None, clock: str = CLOCK
    ) -> None:
        """`committed` gets the number of appends in each transaction. `clock` is SQL for the time (Unix ms)."""
        self._database = database
        self._committed = committed
        self._statements = Statements(clock)
        self._pending: deque[_Pending] = deque()
        self._connection: Connection | None = None
        self._writer: asyncio.Task[None] | None = None
        """Runs while anything is pending or being written."""
        self._outage: StoreUnavailable | None = None
        """Set while the outcome of a group is unknown and the database cannot be reached."""
        self._closed = False
        self.contests = StoredContestLog(self._append_to_contest, database.read)

    def begin_append(self, append: Append, done: AppendCallback) -> None:
        # Encoded before it is queued: a malformed event fails this append only, not the whole group.
        self._begin(encode_append(append), done)

    async def read_matches(self, match_ids: Sequence[str], max_entries: int) -> list[list[Entry] | LogDamaged]:
        return await self.run(lambda connection: _read_matches(connection, match_ids, max_entries))

    async def heads(self, match_ids: Sequence[str]) -> dict[str, int]:
        storable = list(filter(is_storable, match_ids))
        rows = await self.run(lambda connection: connection.fetch(SELECT_HEADS, storable))
        return {row["match_id"]: row["last"] for row in rows}

    async def close(self) -> None:
        self._closed = True
        if self._writer:
            await asyncio.wait([self._writer])
        self._drop_connection()

    async def run(self, query: Callable[[Connection], Coroutine[Any, Any, T]]) -> T:
        if self._closed:
            raise unavailable("it is closed")
        return await self._database.read(query)

    async def _append_to_contest(self, append: ContestAppend) -> list[ContestEntry]:
        written: asyncio.Future[list[ContestEntry]] = asyncio.get_running_loop().create_future()
        self._begin(append, partial(settle, written))
        return await written

    def _begin(self, append: LogAppend, done: Callable[[Any], None]) -> None:
        refused = unavailable("it is closed") if self._closed else self._outage
        if refused:
            asyncio.get_running_loop().call_soon(done, refused)
            return
        self._pending.append(_Pending(append, done))
        if self._writer is None:
            # The task starts in the next iteration of the loop, with everything that this one begins.
            self._writer = asyncio.get_running_loop().create_task(self._write_pending())

    async def _write_pending(self) -> None:
        try:
            while self._pending:
                group = self._take_group()
                results = await self._write([pending.append for pending in group])
                if written := sum(isinstance(result, list) for result in results):
                    self._committed(written)
                for pending, result in zip(group, results, strict=True):
                    pending.done(result)
        finally:
            self._writer = None

    def _take_group(self) -> list[_Pending]:
        """Take the first appends of each log; others of the same logs wait for the next group, in their order."""
        group = Group()
        taken: list[_Pending] = []
        waiting: list[_Pending] = []
        while self._pending and len(taken) < MAX_GROUP:
            pending = self._pending.popleft()
            (taken if group.add(pending.append) else waiting).append(pending)
        self._pending.extendleft(reversed(waiting))
        return taken

    async def _write(self, group: Sequence[LogAppend]) -> Sequence[Written]:
        if self._connection and self._connection.is_closed():  # PostgreSQL was restarted while nothing was written.
            self._drop_connection()
        try:
            self._connection = connection = self._connection or await self._database.connect()
        except StoreUnavailable as outage:
            return [outage] * len(group)
        mark = connection.marks.next()
        commit = GroupCommit(self._statements, connection, mark, group)
        try:
            return await commit.write()
        except BROKEN as cause:
            error = unavailable(cause)
            error.__cause__ = cause
            if is_refusal(cause):
                return [error] * len(group)
        except Exception as fault:
            self._drop_connection()
            return [fault] * len(group)
        self._drop_connection()
        return await self._find_results(commit, mark, error) or [error] * len(group)

    async def _find_results(
        self, commit: GroupCommit, mark: WriteMark, error: StoreUnavailable
    ) -> Sequence[Written] | None:
        """Return the results of a group whose connection broke. None: nothing was written, and never will be."""
        try:
            keep_waiting = partial(self._fail_pending, error)
            return await self._database.find_outcome(mark, commit.read_results, keep_waiting)
        except StoreUnavailable:  # The process ends while the database cannot be reached.
            return None
        finally:
            self._outage = None

    def _fail_pending(self, outage: StoreUnavailable) -> bool:
        """Fail what waits, and what comes, until the database can be reached. Return whether to wait for that."""
        self._outage = outage
        pending, self._pending = self._pending, deque()
        for append in pending:
            append.done(outage)
        return not self._closed

    def _drop_connection(self) -> None:
        connection, self._connection = self._connection, None
        if connection:
            connection.terminate()


async def _read_matches(
    connection: Connection, match_ids: Sequence[str], max_entries: int
) -> list[list[Entry] | LogDamaged]:
    lengths = {row["match_id"]: row["last"] for row in await connection.fetch(SELECT_HEADS, match_ids)}
    before = accumulate((lengths.get(match_id, 0) for match_id in match_ids), initial=0)
    wanted = [match_id for match_id, entries in zip(match_ids, before, strict=False) if entries < max_entries]
    rows: dict[str, list[Any]] = {match_id: [] for match_id in wanted}
    for row in await connection.fetch(SELECT_LOGS, wanted):
        rows[row["match_id"]].append(row)
    return [log_of(rows[match_id]) for match_id in wanted]
