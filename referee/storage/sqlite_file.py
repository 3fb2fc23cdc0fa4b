"""A SQLite database of ours: opened, durable as wanted, and brought up to date.

Its version is the number of steps it has taken: the files of `migrations/sqlite`, in the order of their
names. A step holds statements parted by blank lines. Databases only go forward: a step that has been
released is never changed.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from functools import partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

PERMISSIONS = 0o777
OTHERS = 0o007
"""The permission bits of users who are neither the owner nor in the group."""


class Durability(Enum):
    """What a commit survives."""

    FULL = "full"
    """The death of the process, and a power cut."""
    NORMAL = "normal"
    """The death of the process. After a power cut the last moments may be missing, but nothing before them."""


class NewerDatabase(Exception):
    """A database of a later release than this one."""

    def __init__(self, version: int, known: int) -> None:
        super().__init__(f"the database has version {version}, and this release knows versions up to {known}")


def open_for_writing(path: Path, durability: Durability, busy_ms: int) -> sqlite3.Connection:
    """A connection for one writing thread. Raises NewerDatabase, sqlite3.Error or OSError."""
    _keep_private(path)
    connection = _connected(path, busy_ms)
    try:
        _keep_readers_apart(connection)
        connection.execute(f"PRAGMA synchronous = {durability.value}")
        migrate(connection, released_steps())
    except BaseException:
        connection.close()
        raise
    return connection


def open_for_reading(path: Path, busy_ms: int) -> sqlite3.Connection:
    """A connection for one reading thread, to a database that is being written. It sees what is committed."""
    connection = _connected(path, busy_ms)
    connection.execute("PRAGMA query_only = 1")
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All that is written within, or nothing. Nobody else writes meanwhile."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # After some errors, a full disk among them, SQLite itself has rolled back.
            connection.execute("ROLLBACK")
        raise


def released_steps() -> list[str]:
    return [step.read_text(encoding="utf-8") for step in _step_files()]


def step_names() -> list[str]:
    """Such as `0001_event_log`."""
    return [step.name.removesuffix(".sql") for step in _step_files()]


def migrate(connection: sqlite3.Connection, steps: Sequence[str]) -> None:
    """Take the steps that the database has not taken yet, all or none. Raises NewerDatabase."""
    with transaction(connection):
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version > len(steps):
            raise NewerDatabase(version, len(steps))
        for number, step in enumerate(steps[version:], version + 1):
            for statement in step.split("\n\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")


def _step_files() -> list[Traversable]:
    folder = files("referee.storage") / "migrations" / "sqlite"
    return sorted(folder.iterdir(), key=lambda step: step.name)


def _connected(path: Path, busy_ms: int) -> sqlite3.Connection:
    # Transactions are begun and ended by us alone; and the thread that uses it is not the one that opens it.
    connection = sqlite3.connect(path, timeout=busy_ms / 1000, isolation_level=None, check_same_thread=False)
    # What a disk has spoilt is for who reads that row. SQLite would fail as if the file were away, and quote the text,
    # which may hold a seed. A byte that is no text becomes `\xff`, which is no JSON either.
    connection.text_factory = partial(str, encoding="utf-8", errors="backslashreplace")
    return connection


def _keep_private(path: Path) -> None:
    """Create the file if it is missing, and let nobody but its owner and group read it, whatever the folder allows.

    It holds the seeds of matches in play. SQLite gives its write-ahead log the same permissions.
    """
    path.touch(0o600)
    for file in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        if file.exists() and file.stat().st_mode & OTHERS:
            file.chmod(file.stat().st_mode & ~OTHERS & PERMISSIONS)


def _keep_readers_apart(connection: sqlite3.Connection) -> None:
    """Readers and the writer do not wait for each other where there is a write-ahead log."""
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise sqlite3.OperationalError(f"there can be no write-ahead log here (but {mode})")
