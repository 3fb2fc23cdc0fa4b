"""Contest log in PostgreSQL: entries of ladders and tournaments.

They are written by the groups of the match log, so an entry that belongs to the end of a match shares its transaction.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias

from referee.hosting.contest_log import ContestEntry, ContestEvent, UnreadableContest
from referee.live.ports import CoAppend, Conflict
from referee.storage.codec import CONTEST_CODEC, MalformedEntry
from referee.storage.encoded_appends import ContestAppend, EncodedAppend, contest_append_of, encode_contest_append
from referee.storage.postgres.database import Connection, PostgresDatabase, is_storable

SELECT_ENTRIES = """
    SELECT contest_id, number, at_ms, line FROM contests JOIN contest_entries USING (contest)
    WHERE contest_id = $1 AND number > $2
    ORDER BY number
    LIMIT $3
"""

SELECT_FIRST = """
    SELECT contest_id, number, at_ms, line FROM contests JOIN contest_entries USING (contest)
    WHERE number = 1 AND starts_with(contest_id, $1)
    ORDER BY contest
"""

SELECT_LAST = """
    SELECT contest_id, number, at_ms, line FROM contests JOIN contest_entries USING (contest)
    WHERE number = last AND starts_with(contest_id, $1)
    ORDER BY contest
"""

CREATE_CONTESTS = """
    INSERT INTO contests (contest_id) SELECT * FROM unnest($1::text[]) AS contest_id ORDER BY contest_id
    ON CONFLICT (contest_id) DO NOTHING
"""

LOCK_CONTESTS = """
    SELECT contest_id, contest, last FROM contests WHERE contest_id = ANY ($1::text[])
    ORDER BY contest_id FOR NO KEY UPDATE
"""

INSERT_ENTRIES = """
    WITH entry AS (
        SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[])
            AS entry (contest, number, at_ms, line)
    ), continued AS (
        UPDATE contests SET last = head.last
        FROM (SELECT contest, max(number) AS last FROM entry GROUP BY contest) AS head
        WHERE contests.contest = head.contest
    )
    INSERT INTO contest_entries (contest, number, at_ms, line) SELECT * FROM entry
"""

WriteContest: TypeAlias = Callable[[ContestAppend], Awaitable[list[ContestEntry]]]


class PostgresContestLog:
    """A ContestLog for any number of processes.

    `read` raises MalformedEntry if it meets an entry that this release cannot decode.
    """

    def __init__(self, write: WriteContest, database: PostgresDatabase) -> None:
        """`write` adds an append to the next group of the match log, which creates this object."""
        self._write = write
        self._database = database

    async def append(self, contest: str, after: int, events: Sequence[ContestEvent]) -> list[ContestEntry]:
        return await self._write(encode_contest_append(CoAppend(contest, after, tuple(events))))

    async def read(self, contest: str, after: int = 0, limit: int | None = None) -> list[ContestEntry]:
        if not is_storable(contest):
            return []
        values = (contest, after, limit)
        rows = await self._database.read(lambda connection: connection.fetch(SELECT_ENTRIES, *values))
        return [_entry(*row) for row in rows]

    async def first_entries(self, kind: str) -> list[ContestEntry | UnreadableContest]:
        return await self._one_of_each(kind, SELECT_FIRST)

    async def last_entries(self, kind: str) -> list[ContestEntry | UnreadableContest]:
        return await self._one_of_each(kind, SELECT_LAST)

    async def _one_of_each(self, kind: str, query: str) -> list[ContestEntry | UnreadableContest]:
        rows = await self._database.read(lambda connection: connection.fetch(query, f"{kind}/"))
        return [_entry_or_unreadable(*row) for row in rows]


class ContestBatch:
    """Contest entries of one transaction: at most one append for each contest."""

    def __init__(self, appends: Sequence[ContestAppend]) -> None:
        self._appends = appends
        self._heads: dict[str, tuple[int, int]] = {}
        """The key of each contest, and the number of its last entry."""
        self._rows: list[tuple[int, int, int, str]] = []

    async def lock(self, connection: Connection) -> None:
        """Lock the logs of the contests, and read where they end."""
        if not self._appends:
            return
        contests = [append.co_append.contest for append in self._appends]
        if created := [each.co_append.contest for each in self._appends if each.co_append.after == 0 and each.lines]:
            await connection.execute(CREATE_CONTESTS, created)
        for contest_id, contest, last in await connection.fetch(LOCK_CONTESTS, contests):
            self._heads[contest_id] = (contest, last)

    def conflict(self, append: EncodedAppend | ContestAppend) -> Conflict | None:
        """Return why the append does not continue the log of its contest, or None."""
        contest_append = contest_append_of(append)
        if contest_append is None:
            return None
        contest, after = contest_append.co_append.contest, contest_append.co_append.after
        _, last = self._heads.get(contest, (0, 0))
        return None if last == after else Conflict(contest, after, last)

    def add(self, append: ContestAppend, at_ms: int) -> None:
        """Add an append that has no conflict."""
        for number, line in enumerate(append.lines, append.co_append.after + 1):
            contest, _ = self._heads[append.co_append.contest]
            self._rows.append((contest, number, at_ms, line))

    async def insert(self, connection: Connection) -> None:
        """Insert all entries that were added."""
        if self._rows:
            columns: list[list[Any]] = [list(column) for column in zip(*self._rows, strict=True)]
            await connection.execute(INSERT_ENTRIES, *columns)


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
