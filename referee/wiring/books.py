"""Everything that is remembered: in the files of one folder, or in memory."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from referee.app.accounts import Accounts
from referee.app.bot_log import BotLog
from referee.app.contests.log import ContestLog
from referee.app.ends import UnheardEnds
from referee.app.ports import EventLog, LogUnavailable, Time
from referee.app.quotas import Quotas
from referee.app.tokens import Tokens
from referee.settings.declared import Settings
from referee.storage.accounts_memory import MemoryAccounts, MemoryQuotas, MemoryTokens
from referee.storage.accounts_sqlite import SqliteAccounts
from referee.storage.bot_log_memory import MemoryBotLog
from referee.storage.bot_log_sqlite import SqliteBotLog
from referee.storage.clerk import Clerk
from referee.storage.data_lock import DataDirLock
from referee.storage.memory import MemoryEventLog
from referee.storage.quotas_sqlite import SqliteQuotas
from referee.storage.record.keys import KeyUnusable, load_or_create
from referee.storage.sqlite import SqliteEventLog
from referee.storage.sqlite_file import NewerDatabase
from referee.storage.tokens_sqlite import SqliteTokens
from referee.storage.unheard_memory import MemoryUnheardEnds
from referee.storage.unheard_sqlite import SqliteUnheardEnds

DATABASE = "referee.db"
KEY = "referee-key.pem"
PART = ".part"
"""Where a memory is put together that is restored: while it is there, there is half of one at most."""


class CannotStart(Exception):
    """`str()` is one sentence."""


@dataclass(frozen=True, slots=True)
class Books:
    events: EventLog
    contests: ContestLog
    unheard: UnheardEnds
    accounts: Accounts
    tokens: Tokens
    quotas: Quotas
    bot_log: BotLog
    key: Ed25519PrivateKey
    close: Callable[[], Awaitable[None]]


def open_books(settings: Settings, time: Time, committed: Callable[[int], None]) -> Books:
    """`committed` hears of each transaction of the log. Raises CannotStart."""
    if settings.ephemeral:
        return _in_memory(settings, time)
    if (settings.data_dir / PART).exists():
        raise CannotStart(
            f"{settings.data_dir} is half restored: wait for `referee restore`, or empty it and restore again"
        )
    try:
        # The directory holds the seeds of matches in play.
        settings.data_dir.mkdir(0o700, parents=True, exist_ok=True)
        lock = DataDirLock(settings.data_dir)
    except OSError as why:
        raise CannotStart(f"cannot use {settings.data_dir}: {why}") from None
    try:
        return _on_disk(settings, settings.data_dir / DATABASE, time, committed, lock)
    except (OSError, LogUnavailable, NewerDatabase, KeyUnusable) as why:
        lock.release()
        raise CannotStart(f"cannot use {settings.data_dir}: {why}") from None


def _in_memory(settings: Settings, time: Time) -> Books:
    events, tokens = MemoryEventLog(time.wall_ms), MemoryTokens()
    return Books(
        events,
        events.contests,
        MemoryUnheardEnds(events),
        MemoryAccounts(tokens),
        tokens,
        MemoryQuotas(),
        MemoryBotLog(settings.bot_log_lines_at_most),
        Ed25519PrivateKey.generate(),
        events.close,
    )


def _on_disk(settings: Settings, path: Path, time: Time, committed: Callable[[int], None], lock: DataDirLock) -> Books:
    key = _signing_key(settings.data_dir / KEY, path)
    events = SqliteEventLog(path, time.wall_ms, settings.durability, committed=committed)
    clerk = Clerk(path, settings.durability)

    async def close() -> None:
        await events.close()
        await clerk.close()
        lock.release()

    return Books(
        events,
        events.contests,
        SqliteUnheardEnds(clerk),
        SqliteAccounts(clerk),
        SqliteTokens(clerk),
        SqliteQuotas(clerk),
        SqliteBotLog(clerk, settings.bot_log_lines_at_most),
        key,
        close,
    )


def _signing_key(file: Path, database: Path) -> Ed25519PrivateKey:
    """Return the key, created only together with the database. Raises KeyUnusable.

    A new key beside an old database would sign records that nobody can verify against the published key.
    """
    if database.exists() and not file.exists():
        raise KeyUnusable(
            f"{file.name} is missing although {database.name} exists: restore it from a backup, "
            "or accept a new one with `referee recover signing-key`"
        )
    return load_or_create(file)
