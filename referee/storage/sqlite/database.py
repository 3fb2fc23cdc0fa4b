"""SQLite database, of a data directory or in memory: its lock, connections, transactions and migrations.

The version of the schema is the number of migrations that have been applied: the files of `migrations/sqlite` in the
order of their names, with blank lines between statements. There are no downgrades, and a released migration never
changes.
"""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from functools import partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from time import monotonic, sleep
from typing import TypeAlias
from uuid import uuid4

SERVER_LOCK = "referee.lock"
"""Held by whatever may run matches or change the schema."""
ARCHIVE_LOCK = "referee-archive.lock"
"""Held by `referee data archive`, which works beside a server."""

BUSY_MS = 5_000
"""Default time to wait for a lock of another process, in milliseconds."""

RETRY_S = 0.01
"""Time between attempts where SQLite does not wait for a lock itself, in seconds."""

Place: TypeAlias = Path | str
"""Where a database is: its file, or its name in memory (see `in_memory`)."""

PERMISSIONS = 0o777
OTHERS = 0o007
"""Permission bits of users who are neither the owner nor in the group."""


class DataDirLocked(OSError):
    """Another process holds the lock. `str()` is one sentence."""

    def __init__(self, file: Path, owner: str) -> None:
        super().__init__(f"process {owner or 'unknown'} already uses it (lock file {file.name})")


class DataDirLock:
    """An exclusive lock on a data directory, so that no two processes run the same matches.

    It is held from construction to `release`, or to the end of a `with` block. It is advisory (`flock`) and belongs to
    an open file: the system releases it when the process ends, however it ends. The lock file stays; only the lock on
    it counts.
    """

    def __init__(self, data_dir: Path, name: str = SERVER_LOCK) -> None:
        """Acquire the lock without waiting. Raises DataDirLocked, or another OSError if there can be no lock file."""
        import fcntl  # noqa: PLC0415  # POSIX only, and commands that need no data directory run elsewhere too.

        file = data_dir / name
        self._handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.pread(self._handle, 20, 0).decode("ascii", "replace").strip()
            os.close(self._handle)
            raise DataDirLocked(file, owner) from None
        except OSError:
            os.close(self._handle)
            raise
        os.ftruncate(self._handle, 0)
        os.pwrite(self._handle, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Release the lock. Idempotent."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def __enter__(self) -> "DataDirLock":
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


class Durability(Enum):
    """What a commit survives."""

    FULL = "full"
    """A crash of the process, and a power cut."""
    NORMAL = "normal"
    """A crash of the process. A power cut may undo the last commits, but none before them."""


class NewerDatabase(Exception):
    """A database of a later release than this one."""

    def __init__(self, version: int, known: int) -> None:
        super().__init__(f"the database has version {version}, and this release supports versions up to {known}")


class OpenedFiles:
    """The files of an open database, to detect that they have been removed or replaced.

    A process that has a removed file open can still write to it, but nobody can ever open that file again: commits that
    were acknowledged would be lost when the process ends. SQLite does not check this.
    """

    def __init__(self, place: Place) -> None:
        files = (place, Path(f"{place}-wal")) if isinstance(place, Path) else ()
        self._opened = {file: _identity(file) for file in files}

    def check_unchanged(self) -> None:
        """Raise sqlite3.OperationalError if a file was removed or replaced. Call this before each write."""
        for file, opened in self._opened.items():
            if _identity(file) != opened:
                raise sqlite3.OperationalError(f"{file.name} has been removed or replaced since it was opened")


def in_memory() -> Place:
    """Return the place of a new database in memory, which all connections of this process can share.

    It exists from its first connection to the end of its last one.
    """
    return f"file:/{uuid4()}?vfs=memdb"


def open_for_writing(place: Place, durability: Durability, busy_ms: int) -> sqlite3.Connection:
    """Open or create the database, apply missing migrations and return a connection for one writing thread.

    Raises NewerDatabase, sqlite3.Error or OSError.
    """
    if isinstance(place, Path):
        _restrict_permissions(place)
    connection = _connect(place, busy_ms)
    try:
        if isinstance(place, Path):
            _enable_wal(connection, busy_ms)
        connection.execute(f"PRAGMA synchronous = {durability.value}")
        migrate(connection, migrations())
    except BaseException:
        connection.close()
        raise
    return connection


def open_for_reading(place: Place, busy_ms: int) -> sqlite3.Connection:
    """Return a read-only connection for one thread. It sees what other connections have committed."""
    connection = _connect(place, busy_ms)
    connection.execute("PRAGMA query_only = 1")
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit at the end, or roll back if anything is raised. No other connection can write meanwhile."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # After some errors, such as a full disk, SQLite has rolled back already.
            connection.execute("ROLLBACK")
        raise


def migration_files() -> list[Traversable]:
    folder = files("referee.storage") / "migrations" / "sqlite"
    return sorted(folder.iterdir(), key=lambda file: file.name)


def migrations() -> list[str]:
    """Return the SQL of every migration, in order."""
    return [file.read_text(encoding="utf-8") for file in migration_files()]


def migration_names() -> list[str]:
    """Return the names of all migrations in order, such as `0001_initial`."""
    return [file.name.removesuffix(".sql") for file in migration_files()]


def migrate(connection: sqlite3.Connection, migrations: Sequence[str]) -> None:
    """Apply all migrations that the database has not had yet, in one transaction. Raises NewerDatabase."""
    with transaction(connection):
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version > len(migrations):
            raise NewerDatabase(version, len(migrations))
        for number, migration in enumerate(migrations[version:], version + 1):
            for statement in migration.split("\n\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")


def _connect(place: Place, busy_ms: int) -> sqlite3.Connection:
    # Transactions are explicit (isolation_level), and another thread than the one that connects uses the connection.
    connection = sqlite3.connect(
        place, timeout=busy_ms / 1000, isolation_level=None, check_same_thread=False, uri=isinstance(place, str)
    )
    # A row with invalid UTF-8 concerns only its reader. By default SQLite would fail as if the whole file were unusable
    # and quote the text, which may contain a seed. Escaped as `\xff` it is invalid JSON, and reported as such.
    connection.text_factory = partial(str, encoding="utf-8", errors="backslashreplace")
    return connection


def _restrict_permissions(path: Path) -> None:
    """Create the file if it is missing, and remove the permissions of users outside of its group.

    It holds the seeds of matches in play. SQLite gives its write-ahead log the same permissions.
    """
    path.touch(0o600)
    for file in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        if file.exists() and file.stat().st_mode & OTHERS:
            file.chmod(file.stat().st_mode & ~OTHERS & PERMISSIONS)


def _enable_wal(connection: sqlite3.Connection, busy_ms: int) -> None:
    """Use a write-ahead log, with which readers and the writer do not block each other."""
    deadline = monotonic() + busy_ms / 1000
    mode = None
    while mode is None:
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError as error:
            # SQLite itself does not wait here for a connection that writes, such as one that creates the same database.
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or monotonic() >= deadline:
                raise
            sleep(RETRY_S)
    if mode != "wal":
        raise sqlite3.OperationalError(f"no write-ahead log is possible here (journal mode {mode})")


def _identity(file: Path) -> tuple[int, int] | None:
    """Return device and inode; None if the file is missing or inaccessible."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
