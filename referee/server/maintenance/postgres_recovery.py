"""Recovery of lost credentials in PostgreSQL, while no server uses the database. Needs the optional package asyncpg."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from referee.live.ports import StoreUnavailable
from referee.records.signing_key import KeyUnusable, create_pem, fingerprint, public_hex, read_pem
from referee.server.maintenance.data_dir import MaintenanceError
from referee.server.maintenance.token_recovery import add_admin_token
from referee.server.postgres_stores import KEY_TABLE, database_of
from referee.server.settings import Settings
from referee.storage.postgres.database import PostgresDatabase
from referee.storage.postgres.database_lock import DatabaseInUse, DatabaseLock
from referee.storage.postgres.key_store import add_key, read_key
from referee.storage.sqlite.database import NewerDatabase
from referee.storage.stored_accounts import StoredTokens

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
