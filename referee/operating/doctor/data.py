"""The data directory: is everything there, sound, and with room to grow; and can nobody else read it?"""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from referee.operating.doctor.finding import Finding, bad, ok, warn
from referee.operating.memory import BUSY_MS
from referee.storage.record.keys import KeyUnusable, fingerprint, load, public_hex
from referee.storage.sqlite_file import open_for_reading, released_steps
from referee.wiring.books import DATABASE, KEY, PART

GIB = 1024**3
MIB = 1024**2

LITTLE_ROOM = 5 * GIB
NO_ROOM = GIB // 2
LONG_WAL = 256 * MIB
"""It is copied into the database every few megabytes, unless somebody reads for very long."""

OTHERS = 0o077
REMOTE = {"nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "ceph", "glusterfs"}
"""File systems on which SQLite's locks cannot be trusted."""


def data(data_dir: Path) -> Iterator[Finding]:
    if data_dir.exists() and not data_dir.is_dir():
        yield bad("data", f"{data_dir} is a file, and no folder", "give the folder that the server is to use")
        return
    if not data_dir.exists():
        yield warn("data", f"{data_dir} is not there yet", "the first `referee serve` makes it; is the path right?")
        return
    if (data_dir / PART).exists():
        yield bad("data", f"{data_dir} is half restored", "wait for `referee restore`, or empty it and restore again")
    yield _permissions(data_dir)
    yield _room(data_dir)
    yield from _file_system(data_dir)
    yield _key(data_dir / KEY)
    if not (data_dir / DATABASE).is_file():
        yield warn("database", f"there is no {DATABASE} yet", "the first `referee serve` makes it; is the path right?")
        return
    try:
        with closing(open_for_reading(data_dir / DATABASE, BUSY_MS)) as connection:
            yield from _database(connection)
    except sqlite3.Error as why:
        yield bad("database", f"it cannot be read: {why}", "restore a backup into a new folder")
    yield _write_ahead_log(data_dir / f"{DATABASE}-wal")


def _permissions(data_dir: Path) -> Finding:
    open_to_others = [path for path in (data_dir, *data_dir.iterdir()) if path.stat().st_mode & OTHERS]
    if data_dir.stat().st_mode & OTHERS:
        names = ", ".join(path.name for path in open_to_others)
        return warn("data", f"others on this machine can look into {data_dir} ({names})", f"chmod -R go= {data_dir}")
    if not os.access(data_dir, os.W_OK | os.X_OK):
        return bad("data", f"this user cannot write to {data_dir}", "run as the user of the server, or chown it")
    return ok("data", f"{data_dir} is ours alone")


def _room(data_dir: Path) -> Finding:
    usage = shutil.disk_usage(data_dir)
    sentence = f"{usage.free / GIB:.1f} GiB are free on its disk"
    if usage.free < NO_ROOM:
        return bad("disk", sentence, "make room now: matches stand still when nothing can be written")
    if usage.free < LITTLE_ROOM:
        return warn("disk", sentence, "make room, or archive old matches (referee archive)")
    return ok("disk", sentence)


def _file_system(data_dir: Path) -> Iterator[Finding]:
    kind = _kind_of_file_system(data_dir)
    if kind in REMOTE:
        yield bad("disk", f"the data directory lies on {kind}", "put it on a disk of this machine: SQLite locks files")
    elif kind == "tmpfs":
        yield warn(
            "disk", "the data directory lies in memory (tmpfs)", "put it on a disk, or it is gone with the machine"
        )


def _kind_of_file_system(path: Path) -> str:
    """Of the longest mount point above it; empty where nobody knows."""
    mounts = Path("/proc/mounts")
    if not mounts.exists():
        return ""
    rows = [line.split() for line in mounts.read_text(encoding="utf-8").splitlines()]
    above = {point: kind for _, point, kind, *_ in rows if path.resolve().is_relative_to(point)}
    return above[max(above, key=len)] if above else ""


def _key(file: Path) -> Finding:
    if not file.exists():
        restore = "restore it from a backup, or accept a new one with `referee recover signing-key`"
        return bad("key", f"{file.name} is missing", restore)
    try:
        key = load(file)
    except KeyUnusable as why:
        return bad("key", str(why), "put back the key from a backup: records signed by another are not known as ours")
    return ok("key", f"records are signed by {fingerprint(public_hex(key))}")


def _database(connection: sqlite3.Connection) -> Iterator[Finding]:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    known = len(released_steps())
    if version > known:
        yield bad("database", f"it has version {version}; known here: up to {known}", "install the newer release again")
    elif version < known:
        yield warn("database", f"it has version {version}, this release {known}", "stop the server; referee migrate")
    else:
        yield ok("database", f"it has version {version}, as this release")
    found = [str(row[0]) for row in connection.execute("PRAGMA quick_check(3)")]
    if found == ["ok"]:
        yield ok("database", "its pages are sound (quick check)")
    else:
        yield bad("database", f"it is damaged: {'; '.join(found)}", "restore a backup into a new folder")


def _write_ahead_log(file: Path) -> Finding:
    size = file.stat().st_size if file.exists() else 0
    sentence = f"{size / MIB:.1f} MiB wait to be copied into the database"
    if size > LONG_WAL:
        return warn("database", sentence, "something reads it for very long: a backup or a shell that hangs?")
    return ok("database", sentence)
