"""Checks of the data directory: its files, permissions and disk, the database, and the logs of contests."""

import asyncio
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from engines.registry import games
from referee.hosting.contest_log import LADDER, TOURNAMENT, ContestEntry
from referee.live.ports import LogUnavailable
from referee.records.signing_key import KeyUnusable, fingerprint, load, public_hex
from referee.server.maintenance.doctor.finding import Finding, bad, ok, warn
from referee.server.maintenance.integrity_check import DamagedContest, find_damaged_contests
from referee.server.stores import DATABASE, KEY, PART
from referee.storage.encoded_appends import ContestAppend
from referee.storage.sqlite import match_summaries
from referee.storage.sqlite.contests import SqliteContestLog
from referee.storage.sqlite.database import BUSY_MS, migrations, open_for_reading

ABOUT = "contests"

GIB = 1024**3
MIB = 1024**2

LOW_FREE = 5 * GIB
MIN_FREE = GIB // 2
LARGE_WAL = 256 * MIB
"""It is checkpointed every few megabytes unless a reader holds it back."""

DAY_MS = 86_400_000
MIN_DAYS = 14
"""Days that the free disk space should last."""

SELECT_GROWTH = """
    SELECT count(DISTINCT match), coalesce(sum(length(line) + coalesce(length(request), 0)), 0)
    FROM match_summaries JOIN entries USING (match)
    WHERE created_ms > ?
"""

SHOWN_MATCHES = 5
"""How many of the matches with a wrong summary are named."""

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
    yield _write_ahead_log(data_dir / f"{DATABASE}-wal")


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
    found = [str(row[0]) for row in connection.execute("PRAGMA quick_check(3)")]
    if found == ["ok"]:
        yield ok("database", "quick check passed")
    else:
        yield bad("database", f"damaged: {'; '.join(found)}", "restore a backup into a new folder")


def _write_ahead_log(file: Path) -> Finding:
    size = file.stat().st_size if file.exists() else 0
    sentence = f"write-ahead log of {size / MIB:.1f} MiB"
    if size > LARGE_WAL:
        return warn("database", sentence, "a reader has held it back for long: look for a backup or a shell that hangs")
    return ok("database", sentence)


def contests(database: Path) -> Iterator[Finding]:
    """Check the contest logs of a database of this release. Other problems of the database are found by `data`."""
    if not database.is_file():
        return
    try:
        with closing(open_for_reading(database, BUSY_MS)) as connection:
            if connection.execute("PRAGMA user_version").fetchone() != (len(migrations()),):
                return
            count, damaged = asyncio.run(_check_contests(_read_only_log(connection)))
    except sqlite3.Error:
        return
    for one in damaged:
        yield bad(ABOUT, f"the log of {one.contest} is damaged: {one.why}", "restore a backup into a new folder")
    if not damaged:
        yield ok(ABOUT, f"all {count} logs can be read")


def summaries(database: Path) -> Iterator[Finding]:
    """Check the match summaries of a database of this release. Other problems of it are found by `data`."""
    if not database.is_file():
        return
    try:
        with closing(open_for_reading(database, BUSY_MS)) as connection:
            if connection.execute("PRAGMA user_version").fetchone() != (len(migrations()),):
                return
            connection.execute("BEGIN")
            wrong = list(match_summaries.find_wrong(connection))
    except sqlite3.Error:
        return
    if wrong:
        more = f" and {len(wrong) - SHOWN_MATCHES} more" if len(wrong) > SHOWN_MATCHES else ""
        sentence = f"lists of matches disagree with the log about {', '.join(wrong[:SHOWN_MATCHES])}{more}"
        yield bad("summaries", sentence, "report this bug, unless somebody has changed the database; the log is whole")
    else:
        yield ok("summaries", "lists of matches agree with the log")


def growth(database: Path, now_ms: int) -> Iterator[Finding]:
    """Report what the matches of the last day take in a database of this release, and how long the disk lasts so."""
    if not database.is_file():
        return
    try:
        with closing(open_for_reading(database, BUSY_MS)) as connection:
            if connection.execute("PRAGMA user_version").fetchone() != (len(migrations()),):
                return
            matches, written = connection.execute(SELECT_GROWTH, (now_ms - DAY_MS,)).fetchone()
    except sqlite3.Error:
        return
    free_bytes = shutil.disk_usage(database).free
    sentence = f"grew by {written / MIB:.1f} MiB in the last 24 hours, by {matches} matches"
    if written * MIN_DAYS > free_bytes:
        advice = "archive old matches (referee data archive), or play fewer (max_matches_per_hour of a ladder)"
        yield warn("growth", f"{sentence}: the disk is full in {free_bytes / written:.1f} days", advice)
    else:
        yield ok("growth", sentence)


async def _check_contests(log: SqliteContestLog) -> tuple[int, list[DamagedContest]]:
    """Return how many contests there are, and the damaged ones."""
    count = sum([len(await log.last_entries(kind)) for kind in (LADDER, TOURNAMENT)])
    return count, [one async for one in find_damaged_contests(log, games())]


def _read_only_log(connection: sqlite3.Connection) -> SqliteContestLog:
    async def write(_: ContestAppend) -> list[ContestEntry]:
        raise LogUnavailable("opened read-only")

    async def read(query: Callable[[sqlite3.Connection], Any]) -> Any:
        return query(connection)

    return SqliteContestLog(write, read)
