"""Checks of tokens: unused ones, administrator tokens that never expire, and bots whose owner has no token."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from referee.accounts.tokens import Role, Token, TokenFilter
from referee.maintenance.doctor.finding import Finding, ok, warn
from referee.maintenance.migrate import schema_version
from referee.storage.sqlite.accounts import select_tokens
from referee.storage.sqlite.database import BUSY_MS, migrations, open_for_reading

DAY_MS = 86_400_000
IDLE_MS = 90 * DAY_MS
MAX_ADMINS = 3
MAX_NAMED = 5

OWNERS = "SELECT name, owner FROM bots ORDER BY bot"

TO_REVOKE = "referee admin tokens revoke ID"


def tokens(database: Path, now_ms: int) -> Iterator[Finding]:
    """Check the tokens of a database of this release. Other databases are reported by `data`."""
    if not database.is_file():
        return
    try:
        if schema_version(database) != len(migrations()):
            return
        with closing(open_for_reading(database, BUSY_MS)) as connection:
            valid = select_tokens(connection, TokenFilter(valid_at_ms=now_ms))
            owner_of = dict(connection.execute(OWNERS).fetchall())
    except sqlite3.Error:
        return
    yield from _admins([token for token in valid if token.role is Role.ADMIN])
    yield from _idle([token for token in valid if (token.used_ms or token.created_ms) < now_ms - IDLE_MS])
    yield from _orphaned(valid, owner_of)
    yield ok("tokens", f"{len(valid)} valid tokens, {len(owner_of)} bots")


def _admins(admins: Sequence[Token]) -> Iterator[Finding]:
    if not admins:
        yield warn(
            "tokens",
            "there is no valid administrator token",
            "the next start of the server creates one and shows it once",
        )
    if len(admins) > MAX_ADMINS:
        yield warn("tokens", f"{len(admins)} administrator tokens", f"revoke those that are not needed ({TO_REVOKE})")
    if endless := [token for token in admins if token.expires_ms is None]:
        yield warn(
            "tokens",
            f"{len(endless)} administrator tokens never expire: {_names(endless)}",
            "create one that does (referee admin tokens make admin --days 90), and revoke them",
        )


def _idle(idle: Sequence[Token]) -> Iterator[Finding]:
    if idle:
        sentence = f"{len(idle)} tokens have not been used for 90 days: {_names(idle)}"
        yield warn("tokens", sentence, f"revoke them ({TO_REVOKE})")


def _orphaned(valid: Sequence[Token], owner_of: dict[str, str]) -> Iterator[Finding]:
    holders = {token.holder for token in valid if token.role in (Role.ORGANISER, Role.ADMIN)}
    left = sorted({token.bot for token in valid if token.bot and owner_of.get(token.bot) not in holders})
    if left:
        named = ", ".join(left[:MAX_NAMED])
        yield warn(
            "tokens",
            f"{len(left)} bots have valid tokens, but their owners have none: {named}",
            "create organiser tokens for the owners, or revoke those of the bots",
        )


def _names(some: Sequence[Token]) -> str:
    more = len(some) - MAX_NAMED
    return ", ".join(token.id for token in some[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
