"""Bots, their versions and tokens in SQLite. Of a token only its SHA-256 hash is stored."""

import json
from collections.abc import Callable, Collection
from sqlite3 import Connection

from referee.accounts.account_errors import NameTaken, NoSuchBot, NoSuchToken, NoSuchVersion, TooManyNames
from referee.accounts.bots import Bot, MaxNames, Registration, Version
from referee.accounts.tokens import ALL_TOKENS, MAX_INVALID_TOKENS_PER_BOT, Token, TokenFilter
from referee.match.match_errors import RequestIdReused
from referee.storage.account_rows import TOKEN_COLUMNS, pause_columns, read_bot, read_token, token_row, write_consent
from referee.storage.sqlite.store import SqliteStore, row_limit

INSERT_BOT = """
    INSERT INTO bots (name, owner, request_id, created_ms, description, consent) VALUES (?, ?, ?, ?, ?, ?)
"""

SELECT_REQUESTED = "SELECT name FROM bots WHERE owner = ? AND request_id = ?"

COUNT_BOTS = "SELECT count(*) FROM bots WHERE owner = ?"

BOTS = """
    SELECT name, owner, created_ms, description, pause_cause, pause_message, paused_ms,
        (SELECT versions.name FROM versions WHERE versions.bot = bots.bot ORDER BY version DESC LIMIT 1), faults,
        consent
    FROM bots
"""

SELECT_BOT = f"{BOTS} WHERE name = ?"

SELECT_PAGE = f"{BOTS} WHERE (:owner = '' OR owner = :owner) AND name > :after ORDER BY name LIMIT :limit"

UPDATE_BOT = """
    UPDATE bots
    SET description = ?, pause_cause = ?, pause_message = ?, paused_ms = ?, faults = ?, consent = ?
    WHERE name = ?
"""

INSERT_VERSION = """
    INSERT INTO versions (bot, name, created_ms, note)
    VALUES ((SELECT bot FROM bots WHERE name = ?), ?, ?, ?)
"""

COUNT_VERSIONS = "SELECT count(*) FROM versions WHERE bot = (SELECT bot FROM bots WHERE name = ?)"

VERSION = """
    SELECT version, name, created_ms, note
    FROM versions
    WHERE bot = (SELECT bot FROM bots WHERE name = ?) AND name = ?
"""

VERSIONS = """
    SELECT name, created_ms, note
    FROM versions
    WHERE bot = (SELECT bot FROM bots WHERE name = :bot) AND (:before IS NULL OR version < :before)
    ORDER BY version DESC
    LIMIT :limit
"""

INSERT_TOKEN = f"INSERT INTO tokens (token_id, {TOKEN_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

SELECT_BY_SHA256 = f"SELECT {TOKEN_COLUMNS} FROM tokens WHERE sha256 = ?"

SELECT_BY_ID = f"SELECT {TOKEN_COLUMNS} FROM tokens WHERE token_id = ?"

SELECT_FIRST_TOKEN = f"SELECT {TOKEN_COLUMNS} FROM tokens WHERE bot = ? AND bot <> '' ORDER BY token LIMIT 1"

COUNT_VALID_TOKENS = """
    SELECT count(*) FROM tokens
    WHERE holder = ? AND NOT revoked AND (expires_ms IS NULL OR expires_ms > ?)
"""

DELETE_OLD_TOKENS = """
    DELETE FROM tokens
    WHERE token IN (
        SELECT token FROM tokens
        WHERE bot = :bot AND bot <> '' AND (revoked OR expires_ms <= :now_ms)
            AND token > (SELECT min(token) FROM tokens WHERE bot = :bot AND bot <> '')
        ORDER BY token DESC
        LIMIT -1 OFFSET :kept
    )
"""
SELECT_TOKENS = f"""
    SELECT {TOKEN_COLUMNS} FROM tokens
    WHERE (:holder = '' OR holder = :holder)
        AND (:bot = '' OR bot = :bot)
        AND (:good_at_ms IS NULL OR NOT revoked AND (expires_ms IS NULL OR expires_ms > :good_at_ms))
        AND (:before = '' OR token < (SELECT token FROM tokens WHERE token_id = :before))
    ORDER BY token DESC
    LIMIT :limit
"""

SELECT_NOT_REVOKED = "SELECT token_id FROM json_each(?) JOIN tokens ON token_id = value WHERE NOT revoked"

UPDATE_TOKEN = "UPDATE tokens SET used_ms = ?, revoked = ? WHERE token_id = ?"


class SqliteAccounts:
    """An Accounts port in SQLite."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store

    async def register(self, request_id: str, bot: Bot, token: Token, limits: MaxNames) -> Registration:
        return await self._store.write(lambda file: _register(file, request_id, bot, token, limits))

    async def bot(self, name: str) -> Bot:
        return await self._store.read(lambda file: _bot(file, name))

    async def bots(self, owner: str = "", after: str = "", limit: int | None = None) -> list[Bot]:
        values = {"owner": owner, "after": after, "limit": row_limit(limit)}
        return await self._store.read(lambda file: [read_bot(row) for row in file.execute(SELECT_PAGE, values)])

    async def change_bot(self, name: str, change: Callable[[Bot], Bot]) -> Bot:
        return await self._store.write(lambda file: _change_bot(file, name, change))

    async def add_version(self, version: Version, limit: int) -> Version:
        return await self._store.write(lambda file: _add_version(file, version, limit))

    async def versions(self, bot: str, before: str = "", limit: int | None = None) -> list[Version]:
        return await self._store.read(lambda file: _versions(file, bot, before, limit))


def _register(file: Connection, request_id: str, bot: Bot, token: Token, limits: MaxNames) -> Registration:
    before = file.execute(SELECT_REQUESTED, (bot.owner, request_id)).fetchone()
    if before == (bot.name,):
        return Registration(_bot(file, bot.name), _first_token(file, bot.name), repeated=True)
    if before:
        raise RequestIdReused(request_id)
    if file.execute(SELECT_BOT, (bot.name,)).fetchone():
        raise NameTaken(bot.name)
    (count,) = file.execute(COUNT_BOTS, (bot.owner,)).fetchone()
    if count >= limits.bots:
        raise TooManyNames("bots", limits.bots)
    _add_token(file, token, limits.tokens)
    row = (bot.name, bot.owner, request_id, bot.created_ms, bot.description, write_consent(bot.consent))
    file.execute(INSERT_BOT, row)
    return Registration(_bot(file, bot.name), token, repeated=False)


def _change_bot(file: Connection, name: str, change: Callable[[Bot], Bot]) -> Bot:
    changed = change(_bot(file, name))
    pause, consent = pause_columns(changed.pause), write_consent(changed.consent)
    file.execute(UPDATE_BOT, (changed.description, *pause, changed.faults, consent, name))
    return _bot(file, name)


def _add_version(file: Connection, version: Version, limit: int) -> Version:
    _bot(file, version.bot)
    known = file.execute(VERSION, (version.bot, version.version)).fetchone()
    if known:
        return Version(version.bot, *known[1:])
    (count,) = file.execute(COUNT_VERSIONS, (version.bot,)).fetchone()
    if count >= limit:
        raise TooManyNames("versions", limit)
    file.execute(INSERT_VERSION, (version.bot, version.version, version.created_ms, version.note))
    return version


def _versions(file: Connection, bot: str, before: str, limit: int | None) -> list[Version]:
    _bot(file, bot)
    values = {
        "bot": bot,
        "before": _version_key(file, bot, before) if before else None,
        "limit": row_limit(limit),
    }
    return [Version(bot, *row) for row in file.execute(VERSIONS, values)]


def _version_key(file: Connection, bot: str, version: str) -> int:
    row = file.execute(VERSION, (bot, version)).fetchone()
    if not row:
        raise NoSuchVersion(bot, version)
    number: int = row[0]
    return number


def _bot(file: Connection, name: str) -> Bot:
    row = file.execute(SELECT_BOT, (name,)).fetchone()
    if not row:
        raise NoSuchBot(name)
    return read_bot(row)


class SqliteTokens:
    """A Tokens port in SQLite."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store

    async def add_token(self, token: Token, max_valid: int) -> None:
        await self._store.write(lambda file: _add_token(file, token, max_valid))

    async def find_token(self, sha256: bytes) -> Token | None:
        return await self._store.read(lambda file: _find_token(file, SELECT_BY_SHA256, sha256))

    async def tokens(self, wanted: TokenFilter = ALL_TOKENS, before: str = "", limit: int | None = None) -> list[Token]:
        return await self._store.read(lambda file: select_tokens(file, wanted, before, limit))

    async def revoked(self, token_ids: Collection[str]) -> set[str]:
        ids = (json.dumps(list(token_ids)),)
        valid = await self._store.read(lambda file: {token_id for (token_id,) in file.execute(SELECT_NOT_REVOKED, ids)})
        return set(token_ids) - valid

    async def change_token(self, token_id: str, change: Callable[[Token], Token]) -> Token:
        return await self._store.write(lambda file: _change_token(file, token_id, change))


def _add_token(file: Connection, token: Token, max_valid: int) -> None:
    (valid,) = file.execute(COUNT_VALID_TOKENS, (token.holder, token.created_ms)).fetchone()
    if valid >= max_valid:
        raise TooManyNames("tokens", max_valid)
    insert_token(file, token)
    kept = {"bot": token.bot, "now_ms": token.created_ms, "kept": MAX_INVALID_TOKENS_PER_BOT}
    file.execute(DELETE_OLD_TOKENS, kept)


def insert_token(file: Connection, token: Token) -> None:
    file.execute(INSERT_TOKEN, (token.id, *token_row(token)))


def _first_token(file: Connection, bot: str) -> Token:
    """Return the token that was issued when the bot was registered."""
    return read_token(file.execute(SELECT_FIRST_TOKEN, (bot,)).fetchone())


def select_tokens(
    file: Connection, wanted: TokenFilter = ALL_TOKENS, before: str = "", limit: int | None = None
) -> list[Token]:
    """Return tokens as `Tokens.tokens` does."""
    if before:
        token_of_id(file, before)
    values = {
        "holder": wanted.holder,
        "bot": wanted.bot,
        "good_at_ms": wanted.valid_at_ms,
        "before": before,
        "limit": row_limit(limit),
    }
    return [read_token(row) for row in file.execute(SELECT_TOKENS, values)]


def _change_token(file: Connection, token_id: str, change: Callable[[Token], Token]) -> Token:
    changed = change(token_of_id(file, token_id))
    file.execute(UPDATE_TOKEN, (changed.used_ms, changed.revoked, token_id))
    return token_of_id(file, token_id)


def token_of_id(file: Connection, token_id: str) -> Token:
    token = _find_token(file, SELECT_BY_ID, token_id)
    if not token:
        raise NoSuchToken(token_id)
    return token


def _find_token(file: Connection, query: str, key: bytes | str) -> Token | None:
    row = file.execute(query, (key,)).fetchone()
    return read_token(row) if row else None
