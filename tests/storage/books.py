"""The books of accounts that keep the contract: bots, tokens, quotas and private logs."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from referee.app.accounts import Accounts, Bot, NamesAtMost, Registered, Version
from referee.app.bot_log import BotLog
from referee.app.quotas import Quotas
from referee.app.tokens import Role, Token, Tokens, sha256_of
from referee.storage.accounts_memory import MemoryAccounts, MemoryQuotas, MemoryTokens
from referee.storage.accounts_sqlite import SqliteAccounts
from referee.storage.bot_log_memory import MemoryBotLog
from referee.storage.bot_log_sqlite import SqliteBotLog
from referee.storage.clerk import Clerk
from referee.storage.quotas_sqlite import SqliteQuotas
from referee.storage.sqlite_file import Durability
from referee.storage.tokens_sqlite import SqliteTokens

NOON_MS = 1_750_000_000_000
LINES_AT_MOST = 5
PLENTY = NamesAtMost(bots=100, tokens=100)


@dataclass(frozen=True)
class Books:
    accounts: Accounts
    tokens: Tokens
    quotas: Quotas
    bot_log: BotLog
    clerk: Clerk | None = None

    async def register(self, name: str, owner: str = "ann", at_most: NamesAtMost = PLENTY, **more: Any) -> Registered:
        """A bot, by a request named like the bot."""
        bot = Bot(name, owner, NOON_MS, **more)
        return await self.accounts.register(f"request {name}", bot, bot_token(name, owner), at_most)

    async def add_versions(self, bot: str, *versions: str) -> None:
        for version in versions:
            await self.accounts.add_version(Version(bot, version, NOON_MS), 100)

    async def close(self) -> None:
        if self.clerk:
            await self.clerk.close()


def in_memory() -> Books:
    tokens = MemoryTokens()
    return Books(MemoryAccounts(tokens), tokens, MemoryQuotas(), MemoryBotLog(LINES_AT_MOST))


def in_sqlite(path: Path) -> Books:
    clerk = Clerk(path, Durability.NORMAL, busy_ms=0)
    log = SqliteBotLog(clerk, LINES_AT_MOST)
    return Books(SqliteAccounts(clerk), SqliteTokens(clerk), SqliteQuotas(clerk), log, clerk)


BOOKS: dict[str, Callable[[Path], Books]] = {
    "memory": lambda _: in_memory(),
    "sqlite": lambda folder: in_sqlite(folder / "referee.db"),
}

Story = Callable[[Books], Coroutine[Any, Any, None]]


def with_all_books(story: Story) -> Callable[[str, Path], None]:
    """A test that tells its story to empty books of every make."""

    @pytest.mark.parametrize("make", BOOKS)
    def test(make: str, tmp_path: Path) -> None:
        tell(BOOKS[make](tmp_path), story)

    test.__name__ = story.__name__
    return test


def tell(books: Books, *stories: Story) -> None:
    """Tell the stories one after the other, and close the books."""

    async def told() -> None:
        try:
            for story in stories:
                await story(books)
        finally:
            await books.close()

    asyncio.run(told())


def bot_token(bot: str, holder: str = "ann", word: str = "first") -> Token:
    return Token(sha256_of(f"{word} of {bot}"), Role.BOT, holder, NOON_MS, bot)


def organiser_token(word: str, holder: str = "ann", **more: Any) -> Token:
    return Token(sha256_of(word), Role.ORGANISER, holder, NOON_MS, **more)
