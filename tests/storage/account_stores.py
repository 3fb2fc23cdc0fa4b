"""The account stores that the contract suites run with: bots, tokens, quotas and bot logs."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from referee.accounts.bot_log import BotLog
from referee.accounts.bots import Accounts, Bot, MaxNames, Registration, Version
from referee.accounts.invitations import Invitations
from referee.accounts.tokens import Quotas, Role, Token, Tokens, sha256_of
from referee.storage.postgres.database import PostgresDatabase
from referee.storage.sql import Database
from referee.storage.sqlite.database import Durability, Place, in_memory
from referee.storage.sqlite.store import SqliteStore
from referee.storage.stored_accounts import StoredAccounts, StoredTokens
from referee.storage.stored_bot_log import StoredBotLog
from referee.storage.stored_invitations import StoredInvitations
from referee.storage.stored_quotas import StoredQuotas

NOON_MS = 1_750_000_000_000
MAX_LINES = 5
HIGH_LIMITS = MaxNames(bots=100, tokens=100)


async def nothing() -> None:
    """Open or close what is in memory."""


@dataclass(frozen=True)
class AccountStores:
    accounts: Accounts
    tokens: Tokens
    quotas: Quotas
    bot_log: BotLog
    invitations: Invitations
    open: Callable[[], Awaitable[None]] = nothing
    close: Callable[[], Awaitable[None]] = nothing

    async def register(self, name: str, owner: str = "ann", limit: MaxNames = HIGH_LIMITS, **more: Any) -> Registration:
        """Register a bot, with a request id that contains its name."""
        bot = Bot(name, owner, NOON_MS, **more)
        return await self.accounts.register(f"request {name}", bot, bot_token(name, owner), limit)

    async def add_versions(self, bot: str, *versions: str) -> None:
        for version in versions:
            await self.accounts.add_version(Version(bot, version, NOON_MS), 100)


def in_sqlite(place: Place) -> AccountStores:
    store = SqliteStore(place, Durability.NORMAL, busy_ms=0)
    return accounts_in(store, nothing, store.close)


def in_postgres(url: str) -> AccountStores:
    database = PostgresDatabase(url)
    return accounts_in(database, database.open, database.close)


def accounts_in(database: Database, *steps: Callable[[], Awaitable[None]]) -> AccountStores:
    return AccountStores(
        StoredAccounts(database),
        StoredTokens(database),
        StoredQuotas(database),
        StoredBotLog(database, MAX_LINES),
        StoredInvitations(database),
        *steps,
    )


ACCOUNT_STORES: dict[str, Callable[[pytest.FixtureRequest], AccountStores]] = {
    "memory": lambda _: in_sqlite(in_memory()),
    "sqlite": lambda request: in_sqlite(request.getfixturevalue("tmp_path") / "referee.db"),
    "postgres": lambda request: in_postgres(request.getfixturevalue("postgres_node_url")),
}


def bot_token(bot: str, holder: str = "ann", word: str = "first") -> Token:
    return Token(sha256_of(f"{word} of {bot}"), Role.BOT, holder, NOON_MS, bot)


def organiser_token(word: str, holder: str = "ann", **more: Any) -> Token:
    return Token(sha256_of(word), Role.ORGANISER, holder, NOON_MS, **more)
