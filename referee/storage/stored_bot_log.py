"""Private logs of bots in a database."""

from collections.abc import Sequence
from typing import Any

from referee.accounts.bot_log import ALL_LINES, LineFilter, Note, NumberedNote
from referee.storage.account_rows import note_row, read_line
from referee.storage.sql import MAX_INTEGER, Database, SqlConnection, TurnKind, row_limit

SELECT_LAST = "SELECT coalesce(max(number), 0) FROM bot_log WHERE bot = $1"

INSERT = """
    INSERT INTO bot_log (bot, number, at_ms, version, match_id, seat, ply, what)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
"""

DELETE_OLD = "DELETE FROM bot_log WHERE bot = $1 AND number <= $2"

SELECT_LINES = """
    SELECT number, at_ms, version, match_id, seat, ply, what
    FROM bot_log
    WHERE bot = $1 AND number > $2
        AND ($3 = '' OR version = $3)
        AND ($4 = '' OR match_id = $4)
    ORDER BY number
    LIMIT $5
"""


class StoredBotLog:
    """A BotLog in a database that keeps the last `max_lines` lines of each bot."""

    def __init__(self, database: Database, max_lines: int) -> None:
        assert max_lines >= 1
        self._database = database
        self._max_lines = max_lines

    async def append(self, bot: str, notes: Sequence[Note]) -> None:
        rows = [note_row(note) for note in notes]
        # Bot logs are informational: a power cut may undo the last lines.
        await self._database.write(lambda connection: self._append(connection, bot, rows), durable=False)

    async def read(
        self, bot: str, wanted: LineFilter = ALL_LINES, after: int = 0, limit: int | None = None
    ) -> list[NumberedNote]:
        values = bot, min(after, MAX_INTEGER), wanted.version, wanted.match_id, row_limit(limit)
        rows = await self._database.read(lambda connection: connection.fetch(SELECT_LINES, *values))
        return [read_line(row) for row in rows]

    async def _append(self, connection: SqlConnection, bot: str, rows: Sequence[tuple[Any, ...]]) -> None:
        await connection.take_turns(TurnKind.BOT_LOG, bot)
        last = await connection.fetchval(SELECT_LAST, bot)
        await connection.executemany(INSERT, [(bot, number, *row) for number, row in enumerate(rows, last + 1)])
        await connection.change(DELETE_OLD, bot, last + len(rows) - self._max_lines)
