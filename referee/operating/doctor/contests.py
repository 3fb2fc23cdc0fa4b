"""The ladders and tournaments: can the log of each be followed to its end?"""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from engines.registry import games
from referee.app.contests.log import LADDER, TOURNAMENT, ContestEntry
from referee.app.ports import LogUnavailable
from referee.operating.doctor.finding import Finding, bad, ok
from referee.operating.memory import BUSY_MS
from referee.operating.proving_contests import Damaged, damaged
from referee.storage.contest_rows import ContestAppend
from referee.storage.contests_sqlite import SqliteContestLog
from referee.storage.sqlite_file import open_for_reading, released_steps

ABOUT = "contests"


def contests(database: Path) -> Iterator[Finding]:
    """Of a database of this release. Who looks at the database says whatever else is wrong with it."""
    if not database.is_file():
        return
    try:
        with closing(open_for_reading(database, BUSY_MS)) as connection:
            if connection.execute("PRAGMA user_version").fetchone() != (len(released_steps()),):
                return
            many, found = asyncio.run(_looked_at(_reading(connection)))
    except sqlite3.Error:
        return
    for one in found:
        yield bad(ABOUT, f"the log of {one.contest} is damaged: {one.why}", "restore a backup into a new folder")
    if not found:
        yield ok(ABOUT, f"the logs of all {many} can be followed")


async def _looked_at(log: SqliteContestLog) -> tuple[int, list[Damaged]]:
    """How many there are, and which are damaged."""
    many = sum([len(await log.lasts(kind)) for kind in (LADDER, TOURNAMENT)])
    return many, [one async for one in damaged(log, games())]


def _reading(connection: sqlite3.Connection) -> SqliteContestLog:
    async def write(_: ContestAppend) -> list[ContestEntry]:
        raise LogUnavailable("the doctor changes nothing")

    async def read(order: Callable[[sqlite3.Connection], Any]) -> Any:
        return order(connection)

    return SqliteContestLog(write, read)
