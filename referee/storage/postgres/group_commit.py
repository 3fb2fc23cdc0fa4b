"""Group commit: appends that arrive while a transaction runs are written together in the next one.

A group whose appends change nothing but the logs of matches is one statement. Others need several in one transaction,
all of which lock rows in the same order: contests, matches, and last what holders store, each sorted by its key. So no
two groups wait for each other.

An append that does not continue its log gets a Conflict, and the others are written. The same holds for an append whose
contest entries do not continue the contest's log: match and contest are written together or not at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from referee.hosting.contest_log import ContestEntry, co_appended
from referee.live.ports import Append, Conflict, Entry, entries_of
from referee.match.events import MovePlayed, PlayEnded
from referee.storage.encoded_appends import ContestAppend, EncodedAppend, contest_append_of
from referee.storage.postgres.database import WRITE_MARK, Connection, ConnectionReplaced, WriteMark, write_mark
from referee.storage.postgres.derived_rows import DerivedRows

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


CLOCK = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
"""The time of PostgreSQL (Unix milliseconds)."""

CREATE_MATCHES = """
    INSERT INTO matches (match, match_id)
    SELECT key, match_id FROM (
        SELECT nextval(pg_get_serial_sequence('matches', 'match')) AS key, match_id
        FROM unnest($1::text[]) WITH ORDINALITY AS created (match_id, ordinal) ORDER BY ordinal
    ) AS in_order_of_creation
    ORDER BY match_id
    ON CONFLICT (match_id) DO NOTHING
"""

APPEND = """
    WITH begun AS ({begin}), heads AS MATERIALIZED (
        SELECT match, match_id, last FROM matches
        WHERE match_id = ANY ($1::text[]) AND EXISTS (SELECT FROM begun)
        ORDER BY match_id FOR NO KEY UPDATE
    ), stamp AS MATERIALIZED (
        SELECT {clock} AS at_ms FROM begun CROSS JOIN (SELECT count(*) FROM heads) AS locked
    ), continued AS (
        UPDATE matches SET last = append.last, over = greatest(matches.over, append.over)
        FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::integer[]) WITH ORDINALITY
            AS append (match_id, after, last, over, ordinal)
        JOIN heads USING (match_id)
        WHERE matches.match = heads.match AND heads.last = append.after
        RETURNING matches.match, append.ordinal
    ), written AS (
        INSERT INTO entries (match, number, at_ms, line, request)
        SELECT continued.match, entry.number, stamp.at_ms, entry.line, entry.request
        FROM unnest($5::bigint[], $6::bigint[], $7::text[], $8::text[]) AS entry (ordinal, number, line, request)
        JOIN continued USING (ordinal) CROSS JOIN stamp
    )
    SELECT at_ms, match_id, match, last FROM stamp LEFT JOIN heads ON true
"""
"""Locks the heads of the logs, in a fixed order, compares each with the one its append follows, and writes the entries
of those that are equal. It returns the heads as they were, and at least one row, unless `begun` has none. The time is
taken when all locks are held, so that it does not decrease within a log.
"""

BEGUN = "SELECT 1"
"""Takes the place of WRITE_MARK in a transaction that has written it."""

SELECT_WRITTEN = """
    SELECT match_id, number, at_ms FROM matches JOIN entries USING (match)
    WHERE match_id = ANY ($1::text[]) AND entries.xmin::text = $2
"""
"""Selects what a transaction has written to these matches."""

SELECT_HEADS = "SELECT match_id, last FROM matches WHERE match_id = ANY ($1::text[]) AND last > 0"

Written: TypeAlias = list[Entry] | list[ContestEntry] | Exception
"""Result of an append."""


@dataclass(frozen=True, slots=True)
class Head:
    """Last entry of the log of a match, before an append."""

    match: int | None = None
    """Primary key of the match; None if its log is empty."""
    last: int = 0
    """-1 if the entries have been archived: nothing can be appended any more."""


class Statements:
    """The statement that contains the time, which tests fix."""

    def __init__(self, clock: str = CLOCK) -> None:
        mark = WRITE_MARK.replace("$1", "$9").replace("$2", "$10")
        self.append_at_once = APPEND.format(begin=f"{mark} RETURNING 1", clock=clock)
        self.append = APPEND.format(begin=BEGUN, clock=clock)


@dataclass(slots=True)
class Group:
    """Appends that are written together: at most one for each match and for each contest."""

    appends: list[EncodedAppend | ContestAppend] = field(default_factory=list)
    _logs: set[str] = field(default_factory=set)

    def add(self, append: EncodedAppend | ContestAppend) -> bool:
        """Add an append unless the group has one of the same match or contest."""
        logs = logs_of(append)
        if not self._logs.isdisjoint(logs):
            return False
        self._logs.update(logs)
        self.appends.append(append)
        return True


class GroupCommit:
    """Writes one group, on one connection. After an error of the connection, the outcome is open."""

    def __init__(
        self,
        statements: Statements,
        connection: Connection,
        mark: WriteMark,
        group: Sequence[EncodedAppend | ContestAppend],
    ) -> None:
        self._statements = statements
        self._connection = connection
        self._mark = mark
        self._group = group
        self._contests = ContestBatch([append for each in group if (append := contest_append_of(each))])
        self._results: list[Written] | None = None
        """Known before the commit of a transaction with several statements."""

    async def write(self) -> list[Written]:
        """Return the entries or the Conflict of each append, once they are committed."""
        matches = [append for append in self._group if isinstance(append, EncodedAppend)]
        if len(matches) == len(self._group) and all(map(_only_continues, matches)):
            mark = (self._mark.writer, self._mark.number)
            rows = await self._connection.fetch(self._statements.append_at_once, *_columns(matches), *mark)
            at_ms, heads = _heads(rows)
            return [_conflict(append.append, heads) or entries_of(append.append, at_ms) for append in matches]
        async with self._connection.transaction():
            await write_mark(self._connection, self._mark)
            self._results = await self._write_in_transaction(matches)
        return self._results

    async def read_results(self, connection: Connection, xid: str) -> list[Written]:
        """Return what `write` would have returned. The transaction was committed, and has this id."""
        return self._results or await _read_written(connection, xid, self._group)

    async def _write_in_transaction(self, matches: list[EncodedAppend]) -> list[Written]:
        connection = self._connection
        await self._contests.lock(connection)
        possible = [append for append in matches if not self._contests.conflict(append)]
        if created := [each.append.match_id for each in possible if each.append.after == 0 and each.append.events]:
            await connection.execute(CREATE_MATCHES, created)
        at_ms, heads = _heads(await connection.fetch(self._statements.append, *_columns(possible)))
        conflicts = [self._conflict(append, heads) for append in self._group]
        await self._write_others(at_ms, heads, conflicts)
        return [conflict or _entries(append, at_ms) for append, conflict in zip(self._group, conflicts, strict=True)]

    async def _write_others(self, at_ms: int, heads: dict[str, Head], conflicts: Sequence[Conflict | None]) -> None:
        """Write what belongs to the appends without a conflict beside the entries of matches."""
        accepted = [append for append, conflict in zip(self._group, conflicts, strict=True) if not conflict]
        rows = DerivedRows(at_ms)
        for append in accepted:
            if isinstance(append, EncodedAppend) and (match := heads.get(append.append.match_id, Head()).match):
                rows.add(match, append)
            if contest_append := contest_append_of(append):
                rows.add_contest(contest_append)
                self._contests.add(contest_append, at_ms)
        await self._contests.insert(self._connection)
        await rows.write(self._connection)

    def _conflict(self, append: EncodedAppend | ContestAppend, heads: dict[str, Head]) -> Conflict | None:
        conflict = self._contests.conflict(append)
        if conflict or not isinstance(append, EncodedAppend):
            return conflict
        return _conflict(append.append, heads)


async def _read_written(
    connection: Connection, xid: str, group: Sequence[EncodedAppend | ContestAppend]
) -> list[Written]:
    """Return the result of each append of a group that was one statement, and that this transaction committed."""
    appends = [append.append for append in group if isinstance(append, EncodedAppend)]
    match_ids = [append.match_id for append in appends]
    heads = {row["match_id"]: row["last"] for row in await connection.fetch(SELECT_HEADS, match_ids)}
    written = {
        (row["match_id"], row["number"]): row["at_ms"] for row in await connection.fetch(SELECT_WRITTEN, match_ids, xid)
    }
    results: list[Written] = []
    for append in appends:
        at_ms = written.get((append.match_id, append.after + 1), 0)
        continues = at_ms or not append.events
        last = heads.get(append.match_id, 0)
        results.append(entries_of(append, at_ms) if continues else Conflict(append.match_id, append.after, last))
    return results


def logs_of(append: EncodedAppend | ContestAppend) -> list[str]:
    """Return keys of the match and of the contest that an append writes to."""
    logs = [f"match {append.append.match_id}"] if isinstance(append, EncodedAppend) else []
    if contest_append := contest_append_of(append):
        logs.append(f"contest {contest_append.co_append.contest}")
    return logs


def _only_continues(encoded: EncodedAppend) -> bool:
    """Return whether nothing but the log of the match changes, which is true for most appends."""
    append = encoded.append
    return append.after != 0 and not append.co_append and all(type(event) is MovePlayed for event in append.events)


def _columns(appends: Sequence[EncodedAppend]) -> list[list[Any]]:
    """Return the arrays of APPEND: four with a value for each append, and four with a value for each entry."""
    match_ids, afters, lasts, overs = [], [], [], []
    ordinals, numbers, lines, requests = [], [], [], []
    for ordinal, encoded in enumerate(appends, 1):
        append = encoded.append
        last = append.after + len(append.events)
        match_ids.append(append.match_id)
        afters.append(append.after)
        lasts.append(last)
        overs.append(int(any(type(event) is PlayEnded for event in append.events)))
        for number, line in enumerate(encoded.lines, append.after + 1):
            ordinals.append(ordinal)
            numbers.append(number)
            lines.append(line)
            requests.append(encoded.request if number == last else None)
    return [match_ids, afters, lasts, overs, ordinals, numbers, lines, requests]


def _heads(rows: Sequence[Any]) -> tuple[int, dict[str, Head]]:
    """Return the time of the transaction, and the heads before it. Raises ConnectionReplaced."""
    if not rows:
        raise ConnectionReplaced
    return rows[0][0], {match_id: Head(match, last) for _, match_id, match, last in rows if match_id is not None}


def _conflict(append: Append, heads: dict[str, Head]) -> Conflict | None:
    last = heads.get(append.match_id, Head()).last
    return None if last == append.after else Conflict(append.match_id, append.after, last)


def _entries(append: EncodedAppend | ContestAppend, at_ms: int) -> list[Entry] | list[ContestEntry]:
    if isinstance(append, EncodedAppend):
        return entries_of(append.append, at_ms)
    return co_appended(append.co_append, at_ms)
