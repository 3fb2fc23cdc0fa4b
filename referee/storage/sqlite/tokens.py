"""Bearer tokens in SQLite: their SHA-256 hashes, never the tokens."""

from collections.abc import Callable
from sqlite3 import Connection
from typing import Any

from referee.accounts.account_errors import TooManyNames, UnknownToken
from referee.accounts.tokens import ALL_TOKENS, Role, Token, TokenFilter
from referee.storage.sqlite.store import NO_LIMIT, SqliteStore

COLUMNS = "sha256, role, holder, created_ms, bot, label, expires_ms, used_ms, revoked"

INSERT = f"INSERT INTO tokens (token_id, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

BY_SHA256 = f"SELECT {COLUMNS} FROM tokens WHERE sha256 = ?"

BY_ID = f"SELECT {COLUMNS} FROM tokens WHERE token_id = ?"

FIRST_OF_BOT = f"SELECT {COLUMNS} FROM tokens WHERE bot = ? AND bot <> '' ORDER BY token LIMIT 1"

COUNT_VALID = """
    SELECT count(*) FROM tokens
    WHERE holder = ? AND NOT revoked AND (expires_ms IS NULL OR expires_ms > ?)
"""

SELECT_TOKENS = f"""
    SELECT {COLUMNS} FROM tokens
    WHERE (:holder = '' OR holder = :holder)
        AND (:bot = '' OR bot = :bot)
        AND (:good_at_ms IS NULL OR NOT revoked AND (expires_ms IS NULL OR expires_ms > :good_at_ms))
        AND (:before = '' OR token < (SELECT token FROM tokens WHERE token_id = :before))
    ORDER BY token DESC
    LIMIT :at_most
"""

UPDATE = "UPDATE tokens SET used_ms = ?, revoked = ? WHERE token_id = ?"


class SqliteTokens:
    """A Tokens port in SQLite."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store

    async def add_token(self, token: Token, good_at_most: int) -> None:
        await self._store.write(lambda file: add_token(file, token, good_at_most))

    async def find_token(self, sha256: bytes) -> Token | None:
        return await self._store.read(lambda file: _find(file, BY_SHA256, sha256))

    async def tokens(
        self, wanted: TokenFilter = ALL_TOKENS, before: str = "", at_most: int | None = None
    ) -> list[Token]:
        return await self._store.read(lambda file: select_tokens(file, wanted, before, at_most))

    async def change_token(self, token_id: str, change: Callable[[Token], Token]) -> Token:
        return await self._store.write(lambda file: _change(file, token_id, change))


def add_token(file: Connection, token: Token, good_at_most: int) -> None:
    (valid,) = file.execute(COUNT_VALID, (token.holder, token.created_ms)).fetchone()
    if valid >= good_at_most:
        raise TooManyNames("tokens", good_at_most)
    file.execute(INSERT, (token.id, *_row(token)))


def first_token(file: Connection, bot: str) -> Token:
    """Return the token that was issued when the bot was registered."""
    return _token(file.execute(FIRST_OF_BOT, (bot,)).fetchone())


def select_tokens(
    file: Connection, wanted: TokenFilter = ALL_TOKENS, before: str = "", at_most: int | None = None
) -> list[Token]:
    """Return tokens as `Tokens.tokens` does."""
    if before:
        _get(file, before)
    values = {
        "holder": wanted.holder,
        "bot": wanted.bot,
        "good_at_ms": wanted.valid_at_ms,
        "before": before,
        "at_most": NO_LIMIT if at_most is None else at_most,
    }
    return [_token(row) for row in file.execute(SELECT_TOKENS, values)]


def _change(file: Connection, token_id: str, change: Callable[[Token], Token]) -> Token:
    changed = change(_get(file, token_id))
    file.execute(UPDATE, (changed.used_ms, changed.revoked, token_id))
    return _get(file, token_id)


def _get(file: Connection, token_id: str) -> Token:
    token = _find(file, BY_ID, token_id)
    if not token:
        raise UnknownToken(token_id)
    return token


def _find(file: Connection, query: str, key: bytes | str) -> Token | None:
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
