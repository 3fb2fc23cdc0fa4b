"""Backup: a snapshot of database and signing key, taken while the server may be running.

A manifest describes the backup: the SHA-256 of every other file, and of itself. It is written last, so a backup without
one is incomplete.
"""

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from referee.maintenance.data_dir import MaintenanceError, fill_folder, fsync, integrity_problem, require_data_dir
from referee.records.signing_key import KeyUnusable, load
from referee.server.stores import DATABASE, KEY
from referee.storage.sqlite.database import BUSY_MS, open_for_reading

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
    with closing(open_for_reading(part / DATABASE, BUSY_MS)) as copy:
        if problem := integrity_problem(copy):
            raise MaintenanceError(f"backup failed: the copy of the database is damaged: {problem}")


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
