"""What is done by hand with a PostgreSQL database, whose own tools are for everything else. Needs asyncpg.

It is migrated for servers whose role may not change its schema, and lost credentials are replaced.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeVar

from referee.live.ports import StoreUnavailable
from referee.records.signing_key import KeyUnusable, create_pem, fingerprint, public_hex, read_pem
from referee.server.maintenance.data_dir import MaintenanceError
from referee.server.maintenance.migrate import MigrationPlan
from referee.server.maintenance.token_recovery import add_admin_token
from referee.server.postgres_stores import KEY_TABLE, database_of
from referee.server.settings import Settings
from referee.storage.postgres import schema
from referee.storage.postgres.database import BROKEN, Connection, PostgresDatabase
from referee.storage.postgres.database_lock import DatabaseInUse, DatabaseLock
from referee.storage.postgres.key_store import add_key, read_key
from referee.storage.sqlite.database import NewerDatabase
from referee.storage.stored_accounts import StoredTokens


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


T = TypeVar("T")


def create_admin_token(settings: Settings, now_ms: int, revoke_others: bool) -> str:
    """Create an administrator token and return its secret. Raises MaintenanceError.

    `revoke_others` revokes all earlier administrator tokens.
    """
    return _run(settings, lambda database: add_admin_token(StoredTokens(database), now_ms, revoke_others))


def create_signing_key(settings: Settings) -> str:
    """Create the missing signing key and return its fingerprint. Raises MaintenanceError, also if there is a key."""
    return _run(settings, _create_signing_key)


async def _create_signing_key(database: PostgresDatabase) -> str:
    if await database.read(read_key) is not None:
        raise MaintenanceError(f"there is a signing key: delete the row of {KEY_TABLE} first to replace it")
    pem = await database.write(partial(add_key, pem=create_pem()))
    return fingerprint(public_hex(read_pem(pem, KEY_TABLE)))


def _run(settings: Settings, work: Callable[[PostgresDatabase], Awaitable[T]]) -> T:
    """Do this with the open database, under the lock that a running server has. Raises MaintenanceError."""

    async def run() -> T:
        database = database_of(settings)
        lock = await DatabaseLock.acquire(database)
        try:
            await database.open()
            return await work(database)
        finally:
            await database.close()
            await lock.release()

    try:
        return asyncio.run(run())
    except (StoreUnavailable, NewerDatabase, DatabaseInUse, KeyUnusable) as why:
        raise MaintenanceError(f"cannot use {settings.database}: {why}") from None
