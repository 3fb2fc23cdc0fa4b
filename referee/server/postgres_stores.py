"""The storage adapters of one server in PostgreSQL. Needs the optional package asyncpg."""

from collections.abc import Callable
from functools import partial

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from referee.cluster.membership.postgres_nodes import PostgresNodes
from referee.live.ports import StoreUnavailable, Time
from referee.records.signing_key import KeyUnusable, create_pem, read_pem
from referee.server.settings import Settings
from referee.server.stores import StartupError, Stores, stores_in
from referee.storage.postgres.database import PostgresDatabase
from referee.storage.postgres.database_lock import DatabaseInUse, DatabaseLockKeeper
from referee.storage.postgres.database_time import read_now
from referee.storage.postgres.event_log import PostgresEventLog
from referee.storage.postgres.key_store import add_key, has_matches, read_key
from referee.storage.shared_time import SharedTime
from referee.storage.sqlite.database import NewerDatabase

KEY_TABLE = "the table signing_key"


def database_of(settings: Settings) -> PostgresDatabase:
    return PostgresDatabase(settings.database.text, password_file=settings.database_password_file)


def postgres_stores(
    settings: Settings, time: Time, committed: Callable[[int], None], lock_lost: Callable[[str], None]
) -> Stores:
    """Return stores that connect when they are opened. See `open_stores`."""
    database = database_of(settings)
    lock = DatabaseLockKeeper(database, lock_lost, shared=bool(settings.nats))
    nodes = PostgresNodes(database)
    events = PostgresEventLog(database, committed)
    key: Ed25519PrivateKey | None = None

    async def open_all() -> None:
        nonlocal key
        try:
            await lock.open()  # First: a server that is refused must not change the schema.
            await database.open()
            if isinstance(time, SharedTime):
                await time.open(lambda: database.read(read_now))
            key = await signing_key(database)
        except (StoreUnavailable, NewerDatabase, DatabaseInUse, KeyUnusable) as why:
            await close()
            raise StartupError(f"cannot use {settings.database}: {why}") from None

    async def close() -> None:
        if isinstance(time, SharedTime):
            time.close()
        await nodes.close()
        await events.close()
        await database.close()
        await lock.close()

    def opened_key() -> Ed25519PrivateKey:
        assert key
        return key

    return stores_in(database, events, settings, key=opened_key, open=open_all, close=close, nodes=nodes)


async def signing_key(database: PostgresDatabase) -> Ed25519PrivateKey:
    """Return the key of an open database, which is created before the first match. Raises KeyUnusable.

    A new key beside old matches would sign records that nobody can verify against the published key.
    """
    pem = await database.read(read_key)
    if pem is None and await database.read(has_matches):
        raise KeyUnusable(
            "the signing key is missing although there are matches: restore it from a backup, "
            "or accept a new key with `referee data recover signing-key`"
        )
    if pem is None:
        pem = await database.write(partial(add_key, pem=create_pem()))
    return read_pem(pem, KEY_TABLE)
