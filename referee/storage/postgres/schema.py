"""Schema of a PostgreSQL database: its version and its migrations.

The version is the number of migrations that have been applied: the files of `migrations/postgres` in the order of their
names. There are no downgrades, and a released migration never changes. A release can use the tables of a later one if
all migrations that it does not know are additive, so nodes of both run and start during a rolling upgrade.
"""

from collections.abc import Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, NamedTuple

import asyncpg

from referee.live.ports import StoreUnavailable
from referee.storage.sqlite.database import NewerDatabase

MIGRATION_LOCK = 7_700_001
"""Key of the advisory lock under which the schema is changed."""

LOCK_TIMEOUT_S = 1
"""How long a migration waits for the lock of a table. Whatever else needs the table waits behind it, and a node that
cannot renew its membership for four seconds loses it."""

ADDITIVE = "-- Additive:"
"""Beginning of a migration that only adds tables, indexes, and columns that are null or have a default."""

SELECT_VERSION = "SELECT version, compatible_from FROM schema_version"

SET_VERSION = "UPDATE schema_version SET version = $1, compatible_from = $2"


class SchemaVersion(NamedTuple):
    """The version of a database."""

    number: int = 0
    """The number of migrations that it has had."""
    compatible_from: int = 0
    """The number of migrations that a release must know to use it."""

    def require_usable(self, known: int) -> None:
        """Raise NewerDatabase if a release that knows this many migrations cannot use the database."""
        if self.compatible_from > known:
            raise NewerDatabase(self.number, known)


def migrations() -> list[str]:
    """Return the SQL of every migration, in order."""
    return [file.read_text(encoding="utf-8") for file in _migration_files()]


def migration_names() -> list[str]:
    """Return the names of all migrations, in order."""
    return [file.name.removesuffix(".sql") for file in _migration_files()]


def _migration_files() -> list[Traversable]:
    folder = files("referee.storage") / "migrations" / "postgres"
    return sorted(folder.iterdir(), key=lambda file: file.name)


async def migrate(connection: Any, migrations: Sequence[str]) -> None:
    """Apply all migrations that the database has not had yet, in one transaction.

    Raises NewerDatabase, or StoreUnavailable if the role of the connection may not change the schema, or if another
    transaction uses a table for too long.
    """
    async with connection.transaction():
        await connection.execute(
            "SET LOCAL statement_timeout = 0"
        )  # Another process may be migrating a large database.
        await connection.execute("SELECT pg_advisory_xact_lock($1)", MIGRATION_LOCK)
        version, known = await schema_version(connection), len(migrations)
        version.require_usable(known)
        if version.number >= known:  # A role that may not change the schema gets this far.
            return
        # Not before: another process may hold the advisory lock for longer.
        await connection.execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT_S}s'")
        try:
            for migration in migrations[version.number :]:
                await connection.execute(migration)
        except asyncpg.InsufficientPrivilegeError as why:
            raise StoreUnavailable(
                f"the role of this server may not upgrade the database from version {version.number} to {known} "
                f"({why}): run `referee data migrate` with the role that owns the tables"
            ) from None
        except asyncpg.LockNotAvailableError:
            raise StoreUnavailable(
                f"another transaction has used a table for more than {LOCK_TIMEOUT_S} s, so the database was not "
                "upgraded: repeat this when long transactions, such as that of pg_dump, have ended"
            ) from None
        await connection.execute(SET_VERSION, known, _compatible_from(migrations))


async def schema_version(connection: Any) -> SchemaVersion:
    if await connection.fetchval("SELECT to_regclass('schema_version')") is None:
        return SchemaVersion()
    return SchemaVersion(*await connection.fetchrow(SELECT_VERSION))


def _compatible_from(migrations: Sequence[str]) -> int:
    """Return the number of the last migration that is not additive."""
    return max(number for number, sql in enumerate(migrations, 1) if not sql.startswith(ADDITIVE))
