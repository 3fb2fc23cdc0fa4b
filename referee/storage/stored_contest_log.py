"""Contest log in a database: entries of ladders and tournaments. The match log writes them, in its transactions."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from referee.hosting.contest_log import ContestEntry, ContestEvent, UnreadableContest
from referee.live.ports import CoAppend
from referee.storage.codec import CONTEST_CODEC, MalformedEntry
from referee.storage.encoded_appends import ContestAppend, encode_contest_append
from referee.storage.sql import Read, SqlConnection, is_storable, row_limit

ENTRIES = "SELECT contest_id, number, at_ms, line FROM contests JOIN contest_entries USING (contest)"

SELECT_ENTRIES = f"{ENTRIES} WHERE contest_id = $1 AND number > $2 ORDER BY number LIMIT $3"

OF_KIND = "substr(contest_id, 1, length($1)) = $1 ORDER BY contest"

SELECT_FIRST = f"{ENTRIES} WHERE number = 1 AND {OF_KIND}"

SELECT_LAST = f"""
    {ENTRIES}
    WHERE number = (SELECT max(number) FROM contest_entries WHERE contest = contests.contest) AND {OF_KIND}
"""

WriteContest: TypeAlias = Callable[[ContestAppend], Awaitable[list[ContestEntry]]]


class StoredContestLog:
    """A ContestLog in a database.

    `read` raises MalformedEntry if it meets an entry that this release cannot decode.
    """

    def __init__(self, write: WriteContest, read: Read) -> None:
        """`write` adds an append to a transaction of the match log, which creates this object."""
        self._write = write
        self._read = read

    async def append(self, contest: str, after: int, events: Sequence[ContestEvent]) -> list[ContestEntry]:
        return await self._write(encode_contest_append(CoAppend(contest, after, tuple(events))))

    async def read(self, contest: str, after: int = 0, limit: int | None = None) -> list[ContestEntry]:
        if not is_storable(contest):
            return []
        return await self._read(lambda connection: _read_entries(connection, contest, after, limit))

    async def first_entries(self, kind: str) -> list[ContestEntry | UnreadableContest]:
        return await self._one_of_each(kind, SELECT_FIRST)

    async def last_entries(self, kind: str) -> list[ContestEntry | UnreadableContest]:
        return await self._one_of_each(kind, SELECT_LAST)

    async def _one_of_each(self, kind: str, query: str) -> list[ContestEntry | UnreadableContest]:
        return await self._read(lambda connection: _read_one_of_each(connection, query, f"{kind}/"))


async def _read_entries(connection: SqlConnection, contest: str, after: int, limit: int | None) -> list[ContestEntry]:
    return [_entry(*row) for row in await connection.fetch(SELECT_ENTRIES, contest, after, row_limit(limit))]


async def _read_one_of_each(
    connection: SqlConnection, query: str, prefix: str
) -> list[ContestEntry | UnreadableContest]:
    return [_entry_or_unreadable(*row) for row in await connection.fetch(query, prefix)]


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
