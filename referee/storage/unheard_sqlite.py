"""The ends that bots are still to hear of, in SQLite. The log of the matches fills the table as it is written."""

from collections.abc import Sequence

from referee.app.outbox import Ended
from referee.storage.clerk import Clerk

UNHEARD = """
    SELECT match_id, seat
    FROM unheard_ends JOIN matches USING (match)
    WHERE bot = ? AND over = 1
    ORDER BY match DESC, seat DESC
    LIMIT ?
"""

HEARD = "DELETE FROM unheard_ends WHERE match = (SELECT match FROM matches WHERE match_id = ?) AND seat = ?"


class SqliteUnheardEnds:
    """UnheardEnds by a clerk."""

    def __init__(self, clerk: Clerk) -> None:
        self._clerk = clerk

    async def of(self, bot: str, at_most: int) -> list[Ended]:
        rows = await self._clerk.read(lambda file: file.execute(UNHEARD, (bot, at_most)).fetchall())
        return [Ended(match_id, seat) for match_id, seat in reversed(rows)]

    async def heard(self, ends: Sequence[Ended]) -> None:
        keys = [(ended.match_id, ended.seat) for ended in ends]
        await self._clerk.write(lambda file: file.executemany(HEARD, keys))
