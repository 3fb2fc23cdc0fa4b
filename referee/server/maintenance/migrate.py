"""The schema version of a database, and migration by hand: applies what a server would apply at its start."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from referee.server.maintenance.data_dir import MaintenanceError, require_data_dir
from referee.server.stores import DATABASE
from referee.storage.sqlite.database import (
    BUSY_MS,
    DataDirLock,
    Durability,
    NewerDatabase,
    migration_names,
    migrations,
    open_for_reading,
    open_for_writing,
)


def schema_version(database: Path) -> int:
    """Return the number of migrations that the database has had. Raises sqlite3.Error."""
    with closing(open_for_reading(database, BUSY_MS)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def require_current_schema(database: Path) -> None:
    """Raise MaintenanceError unless the database has the version of this release.

    Needed by everything that writes while a server may be running.
    """
    try:
        version, known = schema_version(database), len(migrations())
    except sqlite3.Error as why:
        raise MaintenanceError(f"cannot read {database}: {why}") from None
    if version != known:
        raise MaintenanceError(
            f"the database has version {version}, and this release requires version {known}: "
            "use the release of the server, or stop it and run `referee data migrate`"
        )


@dataclass(frozen=True, slots=True)
class MigrationPlan:
    """What a migration has to do."""

    version: int
    """Version of the database."""
    known: int
    """Version that this release requires."""
    pending: tuple[str, ...]
    """Names of the migrations to apply, in order."""


def plan_migration(data_dir: Path) -> MigrationPlan:
    """Return what has to be done, without changing anything. Raises MaintenanceError."""
    require_data_dir(data_dir)
    try:
        version = schema_version(data_dir / DATABASE)
    except sqlite3.Error as why:
        raise MaintenanceError(f"cannot read the database: {why}") from None
    known = len(migrations())
    if version > known:
        raise MaintenanceError(str(NewerDatabase(version, known)))
    return MigrationPlan(version, known, tuple(migration_names()[version:]))


def migrate(data_dir: Path) -> MigrationPlan:
    """Apply all pending migrations or none, and return what was done. Raises MaintenanceError."""
    plan = plan_migration(data_dir)
    if not plan.pending:
        return plan
    try:
        with DataDirLock(data_dir):
            _require_unused(data_dir / DATABASE)
            open_for_writing(data_dir / DATABASE, Durability.FULL, busy_ms=0).close()
    except (OSError, sqlite3.Error) as why:
        raise MaintenanceError(f"migration failed: {why}") from None
    return plan


def _require_unused(database: Path) -> None:
    """Raise MaintenanceError if a process, such as a server of an older release, uses the database."""
    with closing(sqlite3.connect(database, timeout=0, isolation_level=None)) as connection:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as why:
            raise MaintenanceError(f"the database is in use ({why}): stop the server first") from None
        connection.execute("ROLLBACK")
