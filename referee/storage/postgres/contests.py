"""Entries of ladders and tournaments in the groups of the match log.

So an entry that belongs to the end of a match shares its transaction.
"""

from collections.abc import Sequence
from typing import Any

from referee.live.ports import Conflict
from referee.storage.encoded_appends import ContestAppend, EncodedAppend, contest_append_of
from referee.storage.postgres.database import Connection

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
