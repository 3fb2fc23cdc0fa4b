"""The private logs of all bots in SQLite. What went wrong stands there as JSON, in the forms of `forms`."""

import json
from collections.abc import Sequence
from sqlite3 import Connection
from typing import Any

from referee.app.bot_log import EVERY_LINE, Forfeited, Late, Line, Note, Noticed, Refused, SessionLost, WantedLines
from referee.storage.clerk import NO_LIMIT, Clerk
from referee.storage.codec import KNOWN
from referee.storage.forms import kinds_of

WHAT = kinds_of(
    {
        "refused": Refused,
        "late": Late,
        "forfeited": Forfeited,
        "session_lost": SessionLost,
        "noticed": Noticed,
    },
    KNOWN,
)

LAST = "SELECT coalesce(max(number), 0) FROM bot_log WHERE bot = ?"

ADD = """
    INSERT INTO bot_log (bot, number, at_ms, version, match_id, seat, ply, what)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""

LET_GO = "DELETE FROM bot_log WHERE bot = ? AND number <= ?"

LINES = """
    SELECT number, at_ms, version, match_id, seat, ply, what
    FROM bot_log
    WHERE bot = :bot AND number > :after
        AND (:version = '' OR version = :version)
        AND (:match_id = '' OR match_id = :match_id)
    ORDER BY number
    LIMIT :at_most
"""

LAST_OF_ALL = 2**63 - 1
"""No number is larger in the file, and none that is may be asked for."""


class SqliteBotLog:
    """A BotLog by a clerk, that keeps `lines_at_most` for each bot."""

    def __init__(self, clerk: Clerk, lines_at_most: int) -> None:
        assert lines_at_most >= 1
        self._clerk = clerk
        self._lines_at_most = lines_at_most

    async def append(self, bot: str, notes: Sequence[Note]) -> None:
        rows = [_row(note) for note in notes]
        await self._clerk.write(lambda file: self._append(file, bot, rows))

    async def read(
        self, bot: str, wanted: WantedLines = EVERY_LINE, after: int = 0, at_most: int | None = None
    ) -> list[Line]:
        wishes = {
            "bot": bot,
            "after": min(after, LAST_OF_ALL),
            "version": wanted.version,
            "match_id": wanted.match_id,
            "at_most": NO_LIMIT if at_most is None else at_most,
        }
        return await self._clerk.read(lambda file: [_line(row) for row in file.execute(LINES, wishes)])

    def _append(self, file: Connection, bot: str, rows: Sequence[tuple[Any, ...]]) -> None:
        (last,) = file.execute(LAST, (bot,)).fetchone()
        file.executemany(ADD, [(bot, number, *row) for number, row in enumerate(rows, last + 1)])
        file.execute(LET_GO, (bot, last + len(rows) - self._lines_at_most))


def _row(note: Note) -> tuple[Any, ...]:
    what = json.dumps(WHAT.write(note.what))
    return note.at_ms, note.version, note.match_id, note.seat, note.ply, what


def _line(row: tuple[Any, ...]) -> Line:
    number, at_ms, version, match_id, seat, ply, what = row
    return Line(number, Note(at_ms, version, WHAT.read(json.loads(what)), match_id, seat, ply))
