"""Private logs of bots in SQLite. What happened is stored as JSON, encoded by `value_codec`."""

import json
from collections.abc import Sequence
from sqlite3 import Connection
from typing import Any

from referee.accounts.bot_log import (
    ALL_LINES,
    ForfeitNote,
    LateMoveNote,
    LineFilter,
    Note,
    NoticeNote,
    NumberedNote,
    RefusedNote,
    SessionLostNote,
)
from referee.storage.codec import MATCH_TYPES
from referee.storage.sqlite.store import SqliteStore, row_limit
from referee.storage.value_codec import union_codec

EVENT_CODEC = union_codec(
    {
        "refused": RefusedNote,
        "late": LateMoveNote,
        "forfeited": ForfeitNote,
        "session_lost": SessionLostNote,
        "noticed": NoticeNote,
    },
    MATCH_TYPES,
)

SELECT_LAST = "SELECT coalesce(max(number), 0) FROM bot_log WHERE bot = ?"

INSERT = """
    INSERT INTO bot_log (bot, number, at_ms, version, match_id, seat, ply, what)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""

DELETE_OLD = "DELETE FROM bot_log WHERE bot = ? AND number <= ?"

SELECT_LINES = """
    SELECT number, at_ms, version, match_id, seat, ply, what
    FROM bot_log
    WHERE bot = :bot AND number > :after
        AND (:version = '' OR version = :version)
        AND (:match_id = '' OR match_id = :match_id)
    ORDER BY number
    LIMIT :limit
"""

MAX_INTEGER = 2**63 - 1
"""SQLite cannot bind larger integers."""


class SqliteBotLog:
    """A BotLog in SQLite that keeps the last `max_lines` lines of each bot."""

    def __init__(self, store: SqliteStore, max_lines: int) -> None:
        assert max_lines >= 1
        self._store = store
        self._max_lines = max_lines

    async def append(self, bot: str, notes: Sequence[Note]) -> None:
        rows = [_row(note) for note in notes]
        await self._store.write(lambda file: self._append(file, bot, rows))

    async def read(
        self, bot: str, wanted: LineFilter = ALL_LINES, after: int = 0, limit: int | None = None
    ) -> list[NumberedNote]:
        values = {
            "bot": bot,
            "after": min(after, MAX_INTEGER),
            "version": wanted.version,
            "match_id": wanted.match_id,
            "limit": row_limit(limit),
        }
        return await self._store.read(lambda file: [_line(row) for row in file.execute(SELECT_LINES, values)])

    def _append(self, file: Connection, bot: str, rows: Sequence[tuple[Any, ...]]) -> None:
        (last,) = file.execute(SELECT_LAST, (bot,)).fetchone()
        file.executemany(INSERT, [(bot, number, *row) for number, row in enumerate(rows, last + 1)])
        file.execute(DELETE_OLD, (bot, last + len(rows) - self._max_lines))


def _row(note: Note) -> tuple[Any, ...]:
    what = json.dumps(EVENT_CODEC.encode(note.what))
    return note.at_ms, note.version, note.match_id, note.seat, note.ply, what


def _line(row: tuple[Any, ...]) -> NumberedNote:
    number, at_ms, version, match_id, seat, ply, what = row
    return NumberedNote(number, Note(at_ms, version, EVENT_CODEC.decode(json.loads(what)), match_id, seat, ply))
