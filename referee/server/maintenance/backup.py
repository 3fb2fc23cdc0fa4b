"""Backup and restore: a copy of database and signing key, which may be taken while the server is running.

A manifest describes a backup: the SHA-256 of every other file, and of itself. It is written last, so a backup without
one is incomplete. Restoring copies the files into an empty data directory and checks every match and contest.
"""

import asyncio
import hashlib
import json
import shutil
import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from engines.api import Game
from referee.live.match_request import find_game
from referee.live.ports import StoreUnavailable
from referee.records.signing_key import KeyUnusable, load
from referee.server.maintenance.data_dir import (
    MaintenanceError,
    fill_folder,
    fsync,
    integrity_problem,
    require_data_dir,
)
from referee.server.maintenance.integrity_check import DamagedContest, MatchCheck, check_matches, find_damaged_contests
from referee.server.stores import DATABASE, KEY
from referee.storage.sqlite.database import BUSY_MS, NewerDatabase, open_for_reading
from referee.storage.sqlite.event_log import SqliteEventLog

MANIFEST = "manifest.json"
VERSION = 1

COUNTS = """
    SELECT
        (SELECT count(*) FROM matches),
        (SELECT count(*) FROM matches WHERE over = 0),
        (SELECT count(*) FROM entries)
"""


@dataclass(frozen=True, slots=True)
class FileChecksum:
    """Size and checksum of a file of a backup."""

    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """Contents of a backup. The fields are those of the JSON file."""

    referee: str
    """The release that made the backup."""
    at_ms: int
    """Time of the backup, by the wall clock."""
    schema: int
    """Version of the database."""
    matches: int
    unfinished: int
    entries: int
    files: Mapping[str, FileChecksum]


def back_up(data_dir: Path, to: Path, now_ms: int) -> Manifest:
    """Copy database and signing key into the empty or new folder `to`. Raises MaintenanceError."""
    require_data_dir(data_dir)
    try:
        with fill_folder(to, (KEY, DATABASE, MANIFEST)) as part:
            shutil.copy(data_dir / KEY, part / KEY)
            manifest = _copy_database(data_dir / DATABASE, part, now_ms)
            write_manifest(manifest, part)
            _verify_written(part)
    except (OSError, sqlite3.Error, KeyUnusable) as why:
        raise MaintenanceError(f"backup failed: {why}") from None
    return manifest


def checksum(file: Path) -> FileChecksum:
    """Return size and checksum of a file. Raises OSError."""
    with file.open("rb") as content:
        return FileChecksum(file.stat().st_size, hashlib.file_digest(content, "sha256").hexdigest())


def write_manifest(manifest: Manifest, folder: Path) -> None:
    body = {"backup": VERSION, **asdict(manifest)}
    text = json.dumps({**body, "sha256": _body_checksum(body)}, indent=2)
    (folder / MANIFEST).write_text(f"{text}\n", encoding="utf-8")


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a backup. Raises MaintenanceError if it is missing, invalid or modified."""
    file = folder / MANIFEST
    try:
        body = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise MaintenanceError(f"there is no {MANIFEST} in {folder}: not a backup, or an incomplete one") from None
    except (OSError, ValueError) as why:
        raise MaintenanceError(f"cannot read {file}: {why}") from None
    if not isinstance(body, dict) or body.get("backup") != VERSION:
        raise MaintenanceError(f"{file} is not the manifest of a backup that this release can read")
    expected = body.pop("sha256", None)
    if expected != _body_checksum(body):
        raise MaintenanceError(f"{file} has been modified: its checksum does not match")
    fields = {name: value for name, value in body.items() if name not in ("backup", "files")}
    return Manifest(**fields, files={name: FileChecksum(**entry) for name, entry in body["files"].items()})


def verify_files(manifest: Manifest, folder: Path) -> None:
    """Compare all files with the manifest. Raises MaintenanceError."""
    for name, expected in manifest.files.items():
        try:
            found = checksum(folder / name)
        except OSError as why:
            raise MaintenanceError(f"the backup is incomplete: cannot read {name}: {why.strerror}") from None
        if found.size_bytes != expected.size_bytes:
            sizes = f"{name} has {found.size_bytes} bytes, expected {expected.size_bytes}"
            raise MaintenanceError(f"the backup is damaged: {sizes}")
        if found.sha256 != expected.sha256:
            raise MaintenanceError(f"the backup is damaged: the checksum of {name} does not match")


def _verify_written(part: Path) -> None:
    """Read back what was written, as a restore will. Raises MaintenanceError, OSError or KeyUnusable."""
    for name in (DATABASE, KEY, MANIFEST):
        fsync(part / name)
    verify_files(read_manifest(part), part)
    load(part / KEY)
    _require_integrity(part / DATABASE, "backup failed: the copy of the database")


def _copy_database(database: Path, part: Path, now_ms: int) -> Manifest:
    (part / DATABASE).touch(0o600)
    with closing(open_for_reading(database, BUSY_MS)) as live, closing(sqlite3.connect(part / DATABASE)) as copy:
        # In one step: a copy page by page starts again whenever somebody writes.
        live.backup(copy)
        # Without a write-ahead log the copy is one file, so that no part of it can be forgotten.
        copy.execute("PRAGMA journal_mode = DELETE")
        matches, unfinished, entries = copy.execute(COUNTS).fetchone()
        (schema,) = copy.execute("PRAGMA user_version").fetchone()
    files = {name: checksum(part / name) for name in (DATABASE, KEY)}
    return Manifest(version("referee"), now_ms, schema, matches, unfinished, entries, files)


def _body_checksum(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


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
                _copy_file(backup / name, part / name)
            verify_files(manifest, part)
            _require_integrity(part / DATABASE, "restore failed: the database")
            return asyncio.run(_check_contents(manifest, part, games, lambda match: progress(manifest, match)))
    except (OSError, sqlite3.Error, StoreUnavailable, NewerDatabase, KeyUnusable) as why:
        raise MaintenanceError(f"restore failed: {why}") from None


async def _check_contents(
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


def _copy_file(source: Path, to: Path) -> None:
    to.touch(0o600)
    try:
        shutil.copyfile(source, to)
    except FileNotFoundError:
        raise MaintenanceError(f"the backup is incomplete: there is no {source.name}") from None


def _require_integrity(database: Path, what: str) -> None:
    with closing(open_for_reading(database, BUSY_MS)) as connection:
        if problem := integrity_problem(connection):
            raise MaintenanceError(f"{what} is damaged: {problem}")
