"""The storage adapters of one server: in the files of its data directory, in PostgreSQL, or in memory."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from referee.accounts.bot_log import BotLog
from referee.accounts.bots import Accounts
from referee.accounts.invitations import Invitations
from referee.accounts.tokens import Quotas, Tokens
from referee.cluster.membership.node_store import NodeStore
from referee.hosting.contest_log import ContestLog
from referee.live.outbox import UndeliveredEnds
from referee.live.ports import EventLog, StoreUnavailable, Time
from referee.records.signing_key import KeyUnusable, load_or_create
from referee.server.settings import Settings
from referee.storage.sql import Database
from referee.storage.sqlite.database import DataDirLock, NewerDatabase, Place, in_memory
from referee.storage.sqlite.event_log import SqliteEventLog
from referee.storage.sqlite.store import SqliteStore
from referee.storage.stored_accounts import StoredAccounts, StoredTokens
from referee.storage.stored_bot_log import StoredBotLog
from referee.storage.stored_event_log import StoredEventLog
from referee.storage.stored_invitations import StoredInvitations
from referee.storage.stored_quotas import StoredQuotas
from referee.storage.stored_undelivered_ends import StoredUndeliveredEnds

DATABASE = "referee.db"
KEY = "referee-key.pem"
PART = ".part"
"""Subdirectory in which a data directory is created. While it exists, the data directory is incomplete."""


class StartupError(Exception):
    """The server cannot start. `str()` is one sentence."""


@dataclass(frozen=True, slots=True)
class Stores:
    """One adapter for each storage port."""

    events: EventLog
    contests: ContestLog
    undelivered_ends: UndeliveredEnds
    accounts: Accounts
    tokens: Tokens
    quotas: Quotas
    bot_log: BotLog
    invitations: Invitations
    key: Callable[[], Ed25519PrivateKey]
    """Return the key that signs records, once the stores are open."""
    open: Callable[[], Awaitable[None]]
    """Open what must be opened asynchronously. Raises StartupError, and then everything is closed."""
    close: Callable[[], Awaitable[None]]
    nodes: NodeStore | None = None
    """The nodes that share the stores. None: they cannot be shared."""


def open_stores(
    settings: Settings,
    time: Time,
    committed: Callable[[int], None],
    lock_lost: Callable[[str], None] = lambda _why: None,
) -> Stores:
    """Return all stores, which `open` of the result completes. Raises StartupError.

    `committed` is called with the number of appends in each transaction of the match log. `lock_lost` is called with
    a sentence if another server takes the lock of the database, and thus its matches, after which this one must stop.
    """
    if settings.database:
        return _in_postgres(settings, time, committed, lock_lost)
    if settings.ephemeral:
        return _in_sqlite(settings, in_memory(), Ed25519PrivateKey.generate(), time, committed)
    if (settings.data_dir / PART).exists():
        raise StartupError(
            f"{settings.data_dir} is incomplete: wait for `referee restore` or `referee data migrate-to`, "
            "or empty it and repeat that"
        )
    try:
        # The directory holds the seeds of matches in play.
        settings.data_dir.mkdir(0o700, parents=True, exist_ok=True)
        lock = DataDirLock(settings.data_dir)
    except OSError as why:
        raise StartupError(f"cannot use {settings.data_dir}: {why}") from None
    try:
        return _on_disk(settings, time, committed, lock)
    except (OSError, StoreUnavailable, NewerDatabase, KeyUnusable) as why:
        lock.release()
        raise StartupError(f"cannot use {settings.data_dir}: {why}") from None


def _in_postgres(
    settings: Settings, time: Time, committed: Callable[[int], None], lock_lost: Callable[[str], None]
) -> Stores:
    try:
        from referee.server.postgres_stores import postgres_stores  # noqa: PLC0415  # Optional dependency.
    except ImportError as why:
        raise StartupError(f"database requires the package {why.name}: pip install 'referee[cluster]'") from None
    return postgres_stores(settings, time, committed, lock_lost)


async def _open_already() -> None:
    """Do nothing: the stores were opened when they were created."""


def _on_disk(settings: Settings, time: Time, committed: Callable[[int], None], lock: DataDirLock) -> Stores:
    file = settings.data_dir / DATABASE
    key = _signing_key(settings.data_dir / KEY, file)
    return _in_sqlite(settings, file, key, time, committed, lock.release)


def _in_sqlite(
    settings: Settings,
    place: Place,
    key: Ed25519PrivateKey,
    time: Time,
    committed: Callable[[int], None],
    release: Callable[[], None] = lambda: None,
) -> Stores:
    """Return stores that call `release` when they are closed."""
    events = SqliteEventLog(place, time.wall_ms, settings.durability, committed=committed)
    store = SqliteStore(place, settings.durability)

    async def close() -> None:
        await events.close()
        await store.close()
        release()

    return stores_in(store, events, settings, key=lambda: key, open=_open_already, close=close)


def stores_in(database: Database, events: StoredEventLog, settings: Settings, **more: Any) -> Stores:
    """Return the stores in a database to which these logs belong; `more` are the other fields of `Stores`."""
    return Stores(
        events,
        events.contests,
        StoredUndeliveredEnds(database),
        StoredAccounts(database),
        StoredTokens(database),
        StoredQuotas(database),
        StoredBotLog(database, settings.max_bot_log_lines),
        StoredInvitations(database),
        **more,
    )


def _signing_key(file: Path, database: Path) -> Ed25519PrivateKey:
    """Return the key, created only together with the database. Raises KeyUnusable.

    A new key beside an old database would sign records that nobody can verify against the published key.
    """
    if database.exists() and not file.exists():
        raise KeyUnusable(
            f"{file.name} is missing although {database.name} exists: restore it from a backup, "
            "or accept a new one with `referee data recover signing-key`"
        )
    return load_or_create(file)
