"""Match summaries: one row for each match, by which matches are listed.

A row holds the fields by which a list is filtered, and the numbers of the entries that it shows. A summary consists of
these entries of the log, so nothing is stored twice.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from referee.live.match_request import MatchFilter
from referee.match.state import MatchPhase
from referee.storage.sql import SqlConnection, is_storable, numbered

MAX_SCANNED = 10_000
"""Maximum number of rows that one search reads, even if it has found nothing."""

NO_KEY = 1 << 62
"""Greater than all keys."""

KEY = "SELECT match FROM matches WHERE match_id = $1"

NAME = "SELECT match_id FROM matches WHERE match = $1"

NEWEST_BEFORE = "SELECT match FROM match_summaries WHERE created_ms < $1 ORDER BY created_ms DESC, match DESC LIMIT 1"

SUMMARIES = """
    SELECT match_id, number, at_ms, line, request, match
    FROM match_summaries JOIN matches USING (match) JOIN entries USING (match)
    WHERE match IN ({0}) AND number <= coalesce(began, ended, 9223372036854775807)
    UNION
    SELECT match_id, number, at_ms, line, request, match
    FROM match_summaries JOIN matches USING (match) JOIN entries USING (match)
    WHERE match IN ({0}) AND number = ended
    ORDER BY match DESC, number
"""
"""Selects all entries until play began, and the last entry of matches that are over."""


class Condition(NamedTuple):
    """A condition that a match must meet to be found."""

    table: str
    test: str
    """A column of the table and an operator."""
    value: str | int


EVERY_ROW = Condition("match_summaries", "match >", 0)


async def find(connection: SqlConnection, wanted: MatchFilter, before: str, limit: int) -> tuple[list[int], str]:
    """Return the keys of the wanted matches, the newest first, and the match at which the search stopped.

    The search stops after `limit` matches or MAX_SCANNED rows; the second value is empty if it has reached the end.
    """
    if not all(map(is_storable, (wanted.game, wanted.ladder, wanted.tournament, wanted.bot, before))):
        return [], ""
    found: list[int] = []
    scanned = 0
    async with aclosing(await _scan(connection, wanted, before)) as rows:
        async for match, is_wanted in rows:
            scanned += 1
            if is_wanted and match not in found[-1:]:  # A bot may have several seats.
                found.append(match)
            if len(found) == limit or scanned == MAX_SCANNED:
                return found, await connection.fetchval(NAME, match)
    return found, ""


async def read(connection: SqlConnection, matches: Sequence[int]) -> list[list[Any]]:
    """Return the rows of the entries of each summary, in this order of the matches, which must be descending."""
    rows = await connection.fetch(SUMMARIES.format(numbered(matches)), *matches) if matches else []
    return [[tuple(row)[:-1] for row in of_match] for _, of_match in groupby(rows, key=itemgetter(-1))]


async def _scan(connection: SqlConnection, wanted: MatchFilter, before: str) -> AsyncGenerator[Any, None]:
    """Select matches that meet the first condition, the newest first, and whether each meets the others."""
    first, *others = _conditions(wanted)
    checks = [
        f"EXISTS (SELECT 1 FROM {condition.table} AS it WHERE it.match = found.match AND it.{condition.test} ${number})"
        for number, condition in enumerate(others, 4)
    ]
    sql = f"""
        SELECT match, {" AND ".join(checks) or "true"} FROM {first.table} AS found
        WHERE found.{first.test} $1 AND match < $2 AND match > $3 ORDER BY match DESC
    """
    newest, oldest = await _bounds(connection, wanted, before)
    values = (first.value, newest, oldest, *(condition.value for condition in others))
    return connection.scan(sql, *values)


async def _bounds(connection: SqlConnection, wanted: MatchFilter, before: str) -> tuple[int, int]:
    """Return the keys between which to search.

    Keys grow with time, unless the clock was set back: matches from before that, whose time of creation is in the
    future of the later ones, may then be left out. To find all of them, every search would read more and more rows.
    """
    newest = (await connection.fetchval(KEY, before) or 0) if before else NO_KEY
    oldest = await connection.fetchval(NEWEST_BEFORE, wanted.since_ms) or 0
    return newest, oldest


def _conditions(wanted: MatchFilter) -> list[Condition]:
    """Return the conditions, the most selective first: its index is searched, and the others are checked."""
    phase, over = wanted.phase, MatchPhase.OVER
    columns = [
        ("match_summaries", "phase =", phase.value if phase and phase is not over else None),
        ("match_summaries", "tournament =", wanted.tournament or None),
        ("match_seats", "bot =", wanted.bot or None),
        ("match_seats", "bot =", "" if wanted.open_only else None),
        ("match_summaries", "ladder =", wanted.ladder or None),
        ("match_summaries", "game =", wanted.game or None),
        ("match_summaries", "phase =", over.value if phase is over else None),
    ]
    conditions = [Condition(table, test, value) for table, test, value in columns if value is not None] or [EVERY_ROW]
    if wanted.since_ms:
        conditions.append(Condition("match_summaries", "created_ms >=", wanted.since_ms))
    return conditions
