"""Checks of a data directory: its disk and permissions, its lock, the schema of its database, and its key."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from referee.records.signing_key import KeyUnusable, fingerprint, load, public_hex
from referee.server.maintenance.doctor.finding import Finding, bad, ok, warn
from referee.server.stores import DATABASE, KEY, PART
from referee.storage.sqlite.database import BUSY_MS, SERVER_LOCK, migrations, open_for_reading

GIB = 1024**3

LOW_FREE = 5 * GIB
MIN_FREE = GIB // 2

MIB = 1024**2
GROWTH = """
    SELECT count(DISTINCT match), coalesce(sum(length(line)), 0) FROM match_summaries JOIN entries USING (match)
    WHERE created_ms > (strftime('%s', 'now') - 86400) * 1000
"""

OTHERS = 0o077
REMOTE = {"nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "ceph", "glusterfs"}
"""File systems on which the locks of SQLite are unreliable."""


def data(data_dir: Path) -> Iterator[Finding]:
    if data_dir.exists() and not data_dir.is_dir():
        yield bad("data", f"{data_dir} is a file, not a directory", "pass the data directory of the server")
        return
    if not data_dir.exists():
        yield _missing(data_dir)
        return
    if (data_dir / PART).exists():
        yield bad(
            "data",
            f"{data_dir} is incomplete",
            "wait for `referee restore` or `referee data migrate-to`, or empty it and repeat that",
        )
    yield _permissions(data_dir)
    yield _disk_space(data_dir)
    yield from _file_system(data_dir)
    yield _lock(data_dir / SERVER_LOCK)
    yield _key(data_dir / KEY)
    if not (data_dir / DATABASE).is_file():
        yield warn(
            "database", f"there is no {DATABASE} yet", "`referee serve` creates it; check that the path is right"
        )
        return
    try:
        with closing(open_for_reading(data_dir / DATABASE, BUSY_MS)) as connection:
            yield from _database(connection)
    except sqlite3.Error as why:
        yield bad("database", f"cannot be read: {why}", "restore a backup into a new folder")


def _missing(data_dir: Path) -> Finding:
    nearest = next(path for path in data_dir.absolute().parents if path.exists())
    if not (nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)):
        return bad("data", f"{data_dir} cannot be created in {nearest}", "create it for the user of the server")
    return warn("data", f"{data_dir} does not exist yet", "`referee serve` creates it; check that the path is right")


def _permissions(data_dir: Path) -> Finding:
    open_to_others = [path for path in (data_dir, *data_dir.iterdir()) if path.stat().st_mode & OTHERS]
    if data_dir.stat().st_mode & OTHERS:
        names = ", ".join(path.name for path in open_to_others)
        return warn("data", f"other users can read {data_dir} ({names})", f"chmod -R go= {data_dir}")
    if not os.access(data_dir, os.W_OK | os.X_OK):
        return bad("data", f"not writable by this user: {data_dir}", "run as the user of the server, or chown it")
    return ok("data", f"{data_dir} is private")


def _disk_space(data_dir: Path) -> Finding:
    usage = shutil.disk_usage(data_dir)
    sentence = f"{usage.free / GIB:.1f} GiB free"
    if usage.free < MIN_FREE:
        return bad("disk", sentence, "free disk space now: matches stop when nothing can be written")
    if usage.free < LOW_FREE:
        return warn("disk", sentence, "free disk space, or archive old matches (referee data archive)")
    return ok("disk", sentence)


def _file_system(data_dir: Path) -> Iterator[Finding]:
    kind = _file_system_type(data_dir)
    if kind in REMOTE:
        yield bad("disk", f"the data directory is on {kind}", "use a local disk: SQLite needs reliable file locks")
    elif kind == "tmpfs":
        yield warn(
            "disk", "the data directory is in memory (tmpfs)", "use a disk, or it is lost at a restart of the machine"
        )


def _file_system_type(path: Path) -> str:
    """Return the type of the file system that contains the path; empty if it is unknown."""
    mounts = Path("/proc/mounts")
    if not mounts.exists():
        return ""
    rows = [line.split() for line in mounts.read_text(encoding="utf-8").splitlines()]
    above = {point: kind for _, point, kind, *_ in rows if path.resolve().is_relative_to(point)}
    return above[max(above, key=len)] if above else ""


def _lock(file: Path) -> Finding:
    """Report who holds the lock of a server. It is tried by a shared lock, which is released at once."""
    import fcntl  # noqa: PLC0415  # POSIX only, and other commands run elsewhere too.

    if not file.exists():
        return ok("lock", "no server has used the directory yet")
    with file.open(encoding="ascii", errors="replace") as opened:
        try:
            fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return ok("lock", f"held by process {opened.read().strip() or 'unknown'}")
        except OSError as why:
            return bad("lock", f"the file system has no locks: {why}", "use a local disk")
    return ok("lock", "free: no server is running")


def _key(file: Path) -> Finding:
    if not file.exists():
        advice = "restore it from a backup, or accept a new one with `referee data recover signing-key`"
        return bad("key", f"{file.name} is missing", advice)
    try:
        key = load(file)
    except KeyUnusable as why:
        return bad("key", str(why), "restore the key from a backup: records with other signatures do not verify")
    return ok("key", f"records are signed with {fingerprint(public_hex(key))}")


def _database(connection: sqlite3.Connection) -> Iterator[Finding]:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    known = len(migrations())
    if version > known:
        yield bad(
            "database",
            f"version {version} is newer than this release supports ({known})",
            "install the newer release again",
        )
    elif version < known:
        yield warn(
            "database",
            f"version {version} is older than that of this release ({known})",
            "stop the server, then run `referee data migrate`",
        )
    else:
        yield ok("database", f"version {version} is that of this release")
        matches, written = connection.execute(GROWTH).fetchone()
        yield ok("disk", f"{matches} matches of the last 24 hours take {written / MIB:.1f} MiB")
    found = [str(row[0]) for row in connection.execute("PRAGMA quick_check(3)")]
    if found == ["ok"]:
        yield ok("database", "quick check passed")
    else:
        yield bad("database", f"damaged: {'; '.join(found)}", "restore a backup into a new folder")
