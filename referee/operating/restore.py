"""A restored memory: a backup in an empty folder, not believed before every match in it was played again.

And every contest was followed to the end of its log.
"""

import asyncio
import shutil
import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path

from engines.api import Game
from referee.app.ports import LogUnavailable
from referee.app.wish import find_game
from referee.operating.filling import filled
from referee.operating.manifest import Manifest, check, read
from referee.operating.memory import BUSY_MS, integrity_trouble
from referee.operating.not_done import NotDone
from referee.operating.proving import Proven, proven
from referee.operating.proving_contests import Damaged, damaged
from referee.storage.record.keys import KeyUnusable, load
from referee.storage.sqlite import SqliteEventLog
from referee.storage.sqlite_file import NewerDatabase, open_for_reading
from referee.wiring.books import DATABASE, KEY


@dataclass(frozen=True, slots=True)
class Restored:
    manifest: Manifest
    matches: int
    """As many as are in the log: those that were archived are not."""
    unfinished: int
    doubtful: tuple[Proven, ...]
    """Matches that could not be proven. They are restored as they were."""
    damaged: tuple[Damaged, ...]
    """The same of contests."""


def restore(
    backup: Path, data_dir: Path, games: Mapping[str, Game], proving: Callable[[Manifest, Proven], None]
) -> Restored:
    """Put a backup into the folder `data_dir`, which is made, or empty; `proving` is told of each match.

    The database is brought up to date. Raises NotDone, and then nothing is there.
    """
    manifest = read(backup)
    try:
        with filled(data_dir, (KEY, DATABASE)) as part:
            for name in (KEY, DATABASE):
                _copy(backup / name, part / name)
            check(manifest, part)
            _need_integrity(part / DATABASE)
            return asyncio.run(_proven(manifest, part, games, lambda one: proving(manifest, one)))
    except (OSError, sqlite3.Error, LogUnavailable, NewerDatabase, KeyUnusable) as why:
        raise NotDone(f"nothing is restored: {why}") from None


async def _proven(
    manifest: Manifest, part: Path, games: Mapping[str, Game], proving: Callable[[Proven], None]
) -> Restored:
    key, log = load(part / KEY), SqliteEventLog(part / DATABASE, lambda: time.time_ns() // 1_000_000)
    matches = unfinished = 0
    doubtful = []
    try:
        async for one in proven(log, key, version("referee"), partial(find_game, games)):
            proving(one)
            matches += 1
            unfinished += not one.over
            if one.doubt:
                doubtful.append(one)
        contests = [one async for one in damaged(log.contests, games)]
    finally:
        await log.close()
    return Restored(manifest, matches, unfinished, tuple(doubtful), tuple(contests))


def _copy(source: Path, to: Path) -> None:
    to.touch(0o600)
    try:
        shutil.copyfile(source, to)
    except FileNotFoundError:
        raise NotDone(f"the backup is not whole: there is no {source.name}") from None


def _need_integrity(database: Path) -> None:
    with closing(open_for_reading(database, BUSY_MS)) as connection:
        trouble = integrity_trouble(connection)
    if trouble:
        raise NotDone(f"nothing is restored: the database is damaged: {trouble}")
