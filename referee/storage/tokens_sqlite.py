"""The book of all tokens in SQLite."""

from collections.abc import Callable
from sqlite3 import Connection
from typing import Any

from referee.app.refusals import TooManyNames, UnknownToken
from referee.app.tokens import EVERY_TOKEN, Role, Token, WantedTokens
from referee.storage.clerk import NO_LIMIT, Clerk

COLUMNS = "sha256, role, holder, created_ms, bot, label, expires_ms, used_ms, revoked"

ADD = f"INSERT INTO tokens (token_id, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

BY_SHA256 = f"SELECT {COLUMNS} FROM tokens WHERE sha256 = ?"

BY_ID = f"SELECT {COLUMNS} FROM tokens WHERE token_id = ?"

FIRST_OF_BOT = f"SELECT {COLUMNS} FROM tokens WHERE bot = ? AND bot <> '' ORDER BY token LIMIT 1"

GOOD = """
    SELECT count(*) FROM tokens
    WHERE holder = ? AND NOT revoked AND (expires_ms IS NULL OR expires_ms > ?)
"""

LISTED = f"""
    SELECT {COLUMNS} FROM tokens
    WHERE (:holder = '' OR holder = :holder)
        AND (:bot = '' OR bot = :bot)
        AND (:good_at_ms IS NULL OR NOT revoked AND (expires_ms IS NULL OR expires_ms > :good_at_ms))
        AND (:before = '' OR token < (SELECT token FROM tokens WHERE token_id = :before))
    ORDER BY token DESC
    LIMIT :at_most
"""

CHANGE = "UPDATE tokens SET used_ms = ?, revoked = ? WHERE token_id = ?"


class SqliteTokens:
    """Tokens by a clerk."""

    def __init__(self, clerk: Clerk) -> None:
        self._clerk = clerk

    async def add_token(self, token: Token, good_at_most: int) -> None:
        await self._clerk.write(lambda file: add_token(file, token, good_at_most))

    async def token_of(self, sha256: bytes) -> Token | None:
        return await self._clerk.read(lambda file: _found(file, BY_SHA256, sha256))

    async def tokens(
        self, wanted: WantedTokens = EVERY_TOKEN, before: str = "", at_most: int | None = None
    ) -> list[Token]:
        return await self._clerk.read(lambda file: listed(file, wanted, before, at_most))

    async def change_token(self, token_id: str, change: Callable[[Token], Token]) -> Token:
        return await self._clerk.write(lambda file: _changed(file, token_id, change))


def add_token(file: Connection, token: Token, good_at_most: int) -> None:
    (good,) = file.execute(GOOD, (token.holder, token.created_ms)).fetchone()
    if good >= good_at_most:
        raise TooManyNames("tokens", good_at_most)
    file.execute(ADD, (token.id, *_row(token)))


def first_token(file: Connection, bot: str) -> Token:
    """The token that was made when the bot was registered."""
    return _token(file.execute(FIRST_OF_BOT, (bot,)).fetchone())


def listed(
    file: Connection, wanted: WantedTokens = EVERY_TOKEN, before: str = "", at_most: int | None = None
) -> list[Token]:
    """As `Tokens.tokens`."""
    if before:
        _known(file, before)
    wishes = {
        "holder": wanted.holder,
        "bot": wanted.bot,
        "good_at_ms": wanted.good_at_ms,
        "before": before,
        "at_most": NO_LIMIT if at_most is None else at_most,
    }
    return [_token(row) for row in file.execute(LISTED, wishes)]


def _changed(file: Connection, token_id: str, change: Callable[[Token], Token]) -> Token:
    changed = change(_known(file, token_id))
    file.execute(CHANGE, (changed.used_ms, changed.revoked, token_id))
    return _known(file, token_id)


def _known(file: Connection, token_id: str) -> Token:
    token = _found(file, BY_ID, token_id)
    if not token:
        raise UnknownToken(token_id)
    return token


def _found(file: Connection, query: str, key: bytes | str) -> Token | None:
    row = file.execute(query, (key,)).fetchone()
    return _token(row) if row else None


def _row(token: Token) -> tuple[Any, ...]:
    return (
        token.sha256,
        token.role.value,
        token.holder,
        token.created_ms,
        token.bot,
        token.label,
        token.expires_ms,
        token.used_ms,
        token.revoked,
    )


def _token(row: tuple[Any, ...]) -> Token:
    sha256, role, holder, created_ms, bot, label, expires_ms, used_ms, revoked = row
    return Token(sha256, Role(role), holder, created_ms, bot, label, expires_ms, used_ms, bool(revoked))
