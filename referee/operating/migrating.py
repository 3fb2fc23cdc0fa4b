"""Bringing a database up to date by hand, before the server that needs it starts; it would do the same by itself."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from referee.operating.memory import need_memory, version_of
from referee.operating.not_done import NotDone
from referee.storage.data_lock import DataDirLock
from referee.storage.sqlite_file import Durability, NewerDatabase, open_for_writing, released_steps, step_names
from referee.wiring.books import DATABASE


@dataclass(frozen=True, slots=True)
class Plan:
    version: int
    """What the database is."""
    known: int
    """What this release works with."""
    steps: tuple[str, ...]
    """The names of those that are still to be taken, in order."""


def planned(data_dir: Path) -> Plan:
    """Nothing is changed. Raises NotDone."""
    need_memory(data_dir)
    try:
        version = version_of(data_dir / DATABASE)
    except sqlite3.Error as why:
        raise NotDone(f"cannot read the database: {why}") from None
    known = len(released_steps())
    if version > known:
        raise NotDone(str(NewerDatabase(version, known)))
    return Plan(version, known, tuple(step_names()[version:]))


def migrate(data_dir: Path) -> Plan:
    """Take all steps, or none; what was done. Raises NotDone."""
    plan = planned(data_dir)
    if not plan.steps:
        return plan
    try:
        with DataDirLock(data_dir):
            _need_nobody_there(data_dir / DATABASE)
            open_for_writing(data_dir / DATABASE, Durability.FULL, busy_ms=0).close()
    except (OSError, sqlite3.Error) as why:
        raise NotDone(f"nothing is migrated: {why}") from None
    return plan


def _need_nobody_there(database: Path) -> None:
    """A server of an older release must not find itself on a newer database. Raises NotDone."""
    with closing(sqlite3.connect(database, timeout=0, isolation_level=None)) as connection:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as why:
            raise NotDone(f"somebody uses the database ({why}): stop the server first") from None
        connection.execute("ROLLBACK")
