"""Schema of a PostgreSQL database: its version and its migrations.

The version is the number of migrations that have been applied: the files of `migrations/postgres` in the order of their
names. There are no downgrades, and a released migration never changes.
"""

from collections.abc import Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import asyncpg

from referee.live.ports import LogUnavailable
from referee.storage.sqlite.database import NewerDatabase

MIGRATION_LOCK = 7_700_001
"""Key of the advisory lock under which the schema is changed."""


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

    Raises NewerDatabase, or LogUnavailable if the role of the connection may not change the schema.
    """
    async with connection.transaction():
        await connection.execute(
            "SET LOCAL statement_timeout = 0"
        )  # Another process may be migrating a large database.
        await connection.execute("SELECT pg_advisory_xact_lock($1)", MIGRATION_LOCK)
        version = await schema_version(connection)
        if version > len(migrations):
            raise NewerDatabase(version, len(migrations))
        if version == len(migrations):  # A role that may not change the schema gets this far.
            return
        try:
            for migration in migrations[version:]:
                await connection.execute(migration)
        except asyncpg.InsufficientPrivilegeError as why:
            raise LogUnavailable(
                f"the role of this server may not upgrade the database from version {version} to {len(migrations)} "
                f"({why}): run `referee data migrate` with the role that owns the tables"
            ) from None
        await connection.execute("UPDATE schema_version SET version = $1", len(migrations))


async def schema_version(connection: Any) -> int:
    """Return the number of migrations that the database has had."""
    if await connection.fetchval("SELECT to_regclass('schema_version')") is None:
        return 0
    version: int = await connection.fetchval("SELECT version FROM schema_version")
    return version
