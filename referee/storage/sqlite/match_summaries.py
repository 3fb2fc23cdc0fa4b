"""Match summaries in SQLite: one row for each match, updated with its entries, by which matches are listed.

A row holds the fields by which a list is filtered, and the numbers of the entries that it shows. A summary consists of
these entries of the log, so nothing is stored twice.
"""

import sqlite3
from contextlib import closing
from typing import NamedTuple

from referee.live.match_request import LADDER, TOURNAMENT, MatchFilter
from referee.match.events import Event, MatchCreated, PlayEnded, PlayStarted, seated_bots
from referee.match.state import MatchPhase

MAX_SCANNED = 10_000
"""Maximum number of rows that one search reads, even if it has found nothing."""

CREATE = """
    INSERT INTO match_summaries (match, created_ms, game, ladder, tournament, phase) VALUES (?, ?, ?, ?, ?, ?)
"""

BEGIN = "UPDATE match_summaries SET phase = ?, began = ? WHERE match = ?"

END = "UPDATE match_summaries SET phase = ?, ended = ? WHERE match = ?"

SEAT = "INSERT OR REPLACE INTO match_seats (match, seat, bot) VALUES (?, ?, ?)"

KEY = "SELECT match FROM matches WHERE match_id = ?"

NAME = "SELECT match_id FROM matches WHERE match = ?"

NO_KEY = 1 << 62
"""Greater than all keys."""

NEWEST_BEFORE = "SELECT match FROM match_summaries WHERE created_ms < ? ORDER BY created_ms DESC, match DESC LIMIT 1"

SUMMARY = """
    SELECT match_id, number, at_ms, line, request
    FROM match_summaries JOIN matches USING (match) JOIN entries USING (match)
    WHERE match = :match AND number <= coalesce(began, ended, 9223372036854775807)
    UNION
    SELECT match_id, number, at_ms, line, request
    FROM match_summaries JOIN matches USING (match) JOIN entries USING (match)
    WHERE match = :match AND number = ended
    ORDER BY number
"""
"""Selects all entries until play began, and the last entry of a match that is over."""


class Condition(NamedTuple):
    """A condition that a match must meet to be found."""

    table: str
    test: str
    """A column of the table and an operator."""
    value: str | int


EVERY_ROW = Condition("match_summaries", "match >", 0)


def write(connection: sqlite3.Connection, match: int, number: int, at_ms: int, event: Event) -> None:
    """Update the summary of a match, in the transaction that writes this entry."""
    if isinstance(event, MatchCreated) and number == 1:
        setup, labels = event.setup, dict(event.setup.labels)
        row = (match, at_ms, setup.terms.game, labels.get(LADDER), labels.get(TOURNAMENT), MatchPhase.WAITING.value)
        connection.execute(CREATE, row)
    elif isinstance(event, PlayStarted):
        connection.execute(BEGIN, (MatchPhase.PLAYING.value, number, match))
    elif isinstance(event, PlayEnded):
        connection.execute(END, (MatchPhase.OVER.value, number, match))
    for seat, bot in seated_bots(event).items():
        connection.execute(SEAT, (match, seat, bot))


def find(connection: sqlite3.Connection, wanted: MatchFilter, before: str, limit: int) -> tuple[list[int], str]:
    """Return the keys of the wanted matches, the newest first, and the match at which the search stopped.

    The search stops after `limit` matches or MAX_SCANNED rows; the second value is empty if it has reached the end.
    """
    found: list[int] = []
    with closing(_scan(connection, wanted, before)) as rows:
        for scanned, (match, is_wanted) in enumerate(rows, 1):
            if is_wanted and match not in found[-1:]:  # A bot may have several seats.
                found.append(match)
            if len(found) == limit or scanned == MAX_SCANNED:
                return found, connection.execute(NAME, (match,)).fetchone()[0]
    return found, ""


def _scan(connection: sqlite3.Connection, wanted: MatchFilter, before: str) -> sqlite3.Cursor:
    """Select matches that meet the first condition, the newest first, and whether each meets the others."""
    first, *others = _conditions(wanted)
    checks = [
        f"EXISTS (SELECT 1 FROM {condition.table} AS it WHERE it.match = found.match AND {condition.test} ?)"
        for condition in others
    ]
    sql = f"""
        SELECT match, {" AND ".join(checks) or "1"} FROM {first.table} AS found
        WHERE {first.test} ? AND match < ? AND match > ? ORDER BY match DESC
    """
    values = [condition.value for condition in (*others, first)]
    return connection.execute(sql, (*values, *_bounds(connection, wanted, before)))


def _bounds(connection: sqlite3.Connection, wanted: MatchFilter, before: str) -> tuple[int, int]:
    """Return the keys between which to search.

    Keys grow with time, unless the wall clock was set back: matches from before that, whose time of creation is in the
    future of the later ones, may then be left out. To find all of them, every search would read more and more rows.
    """
    (newest,) = (connection.execute(KEY, (before,)).fetchone() or (0,)) if before else (NO_KEY,)
    (oldest,) = connection.execute(NEWEST_BEFORE, (wanted.since_ms,)).fetchone() or (0,)
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
