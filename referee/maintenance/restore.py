"""Restore: copies a backup into an empty data directory, and checks every match and contest in it."""

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
from referee.live.match_request import find_game
from referee.live.ports import LogUnavailable
from referee.maintenance.backup import Manifest, read_manifest, verify_files
from referee.maintenance.data_dir import MaintenanceError, fill_folder, integrity_problem
from referee.maintenance.integrity_check import DamagedContest, MatchCheck, check_matches, find_damaged_contests
from referee.records.signing_key import KeyUnusable, load
from referee.server.stores import DATABASE, KEY
from referee.storage.sqlite.database import BUSY_MS, NewerDatabase, open_for_reading
from referee.storage.sqlite.event_log import SqliteEventLog


@dataclass(frozen=True, slots=True)
class Restored:
    """Result of a restore."""

    manifest: Manifest
    matches: int
    """Number of matches in the log, without archived ones."""
    unfinished: int
    unverified: tuple[MatchCheck, ...]
    """Matches that could not be verified. They are restored as they were."""
    damaged: tuple[DamagedContest, ...]
    """Contests whose logs cannot be read to their end. They are restored as they were, too."""


def restore(
    backup: Path, data_dir: Path, games: Mapping[str, Game], progress: Callable[[Manifest, MatchCheck], None]
) -> Restored:
    """Copy a backup into the empty or new folder `data_dir`, and migrate its database.

    `progress` is called after each match. Raises MaintenanceError; then the folder is left as it was.
    """
    manifest = read_manifest(backup)
    try:
        with fill_folder(data_dir, (KEY, DATABASE)) as part:
            for name in (KEY, DATABASE):
                _copy(backup / name, part / name)
            verify_files(manifest, part)
            _require_integrity(part / DATABASE)
            return asyncio.run(_check(manifest, part, games, lambda match: progress(manifest, match)))
    except (OSError, sqlite3.Error, LogUnavailable, NewerDatabase, KeyUnusable) as why:
        raise MaintenanceError(f"restore failed: {why}") from None


async def _check(
    manifest: Manifest, part: Path, games: Mapping[str, Game], progress: Callable[[MatchCheck], None]
) -> Restored:
    key, log = load(part / KEY), SqliteEventLog(part / DATABASE, lambda: time.time_ns() // 1_000_000)
    matches = unfinished = 0
    unverified = []
    try:
        async for match in check_matches(log, key, version("referee"), partial(find_game, games)):
            progress(match)
            matches += 1
            unfinished += not match.over
            if match.problem:
                unverified.append(match)
        contests = [contest async for contest in find_damaged_contests(log.contests, games)]
    finally:
        await log.close()
    return Restored(manifest, matches, unfinished, tuple(unverified), tuple(contests))


def _copy(source: Path, to: Path) -> None:
    to.touch(0o600)
    try:
        shutil.copyfile(source, to)
    except FileNotFoundError:
        raise MaintenanceError(f"the backup is incomplete: there is no {source.name}") from None


def _require_integrity(database: Path) -> None:
    with closing(open_for_reading(database, BUSY_MS)) as connection:
        problem = integrity_problem(connection)
    if problem:
        raise MaintenanceError(f"restore failed: the database is damaged: {problem}")
