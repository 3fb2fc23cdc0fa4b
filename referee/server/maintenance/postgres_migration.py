"""Migration of a PostgreSQL database by hand, for servers whose role may not change its schema. Needs asyncpg."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from referee.live.ports import StoreUnavailable
from referee.server.maintenance.data_dir import MaintenanceError
from referee.server.maintenance.migrate import MigrationPlan
from referee.server.postgres_stores import database_of
from referee.server.settings import Settings
from referee.storage.postgres import schema
from referee.storage.postgres.database import BROKEN, Connection, PostgresDatabase
from referee.storage.postgres.database_lock import DatabaseInUse, DatabaseLock
from referee.storage.sqlite.database import NewerDatabase


def plan_migration(settings: Settings) -> MigrationPlan:
    """Return what has to be done, without changing anything. Raises MaintenanceError."""

    async def plan() -> MigrationPlan:
        async with _connected(database_of(settings), settings) as connection:
            return await _plan(connection)

    return asyncio.run(plan())


def migrate(settings: Settings) -> MigrationPlan:
    """Apply all pending migrations or none, and return what was done. Raises MaintenanceError.

    Nodes of a cluster may be running, as when a node of a new release starts.
    """

    async def migrate() -> MigrationPlan:
        database = database_of(settings)
        async with _connected(database, settings) as connection:
            lock = await DatabaseLock.acquire(database, shared=True)
            try:
                plan = await _plan(connection)
                await schema.migrate(connection, schema.migrations())
            finally:
                await lock.release()
            return plan

    return asyncio.run(migrate())


async def _plan(connection: Connection) -> MigrationPlan:
    """Raises NewerDatabase."""
    names = schema.migration_names()
    version = await schema.schema_version(connection)
    version.require_usable(len(names))
    return MigrationPlan(version.number, len(names), tuple(names[version.number :]))


@asynccontextmanager
async def _connected(database: PostgresDatabase, settings: Settings) -> AsyncIterator[Connection]:
    """Connect, and raise MaintenanceError for whatever is wrong with the database."""
    try:
        connection = await database.connect(is_writer=False)
        try:
            yield connection
        finally:
            connection.terminate()
    except (StoreUnavailable, NewerDatabase, DatabaseInUse, *BROKEN) as why:
        raise MaintenanceError(f"cannot use {settings.database}: {why}") from None
