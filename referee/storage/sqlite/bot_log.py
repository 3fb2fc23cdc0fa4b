"""Private logs of bots in SQLite."""

from collections.abc import Sequence
from sqlite3 import Connection
from typing import Any

from referee.accounts.bot_log import ALL_LINES, LineFilter, Note, NumberedNote
from referee.storage.account_rows import MAX_INTEGER, note_row, read_line
from referee.storage.sqlite.store import SqliteStore, row_limit

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


class SqliteBotLog:
    """A BotLog in SQLite that keeps the last `max_lines` lines of each bot."""

    def __init__(self, store: SqliteStore, max_lines: int) -> None:
        assert max_lines >= 1
        self._store = store
        self._max_lines = max_lines

    async def append(self, bot: str, notes: Sequence[Note]) -> None:
        rows = [note_row(note) for note in notes]
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
        return await self._store.read(lambda file: [read_line(row) for row in file.execute(SELECT_LINES, values)])

    def _append(self, file: Connection, bot: str, rows: Sequence[tuple[Any, ...]]) -> None:
        (last,) = file.execute(SELECT_LAST, (bot,)).fetchone()
        file.executemany(INSERT, [(bot, number, *row) for number, row in enumerate(rows, last + 1)])
        file.execute(DELETE_OLD, (bot, last + len(rows) - self._max_lines))
