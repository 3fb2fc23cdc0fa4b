"""Bots, their versions and tokens in a database. Of a token only its SHA-256 hash is stored.

Operations take turns for what a holder has, and lock the row of a bot for the bot and its versions.
"""

from collections.abc import Callable, Collection

from msgspec.structs import replace

from referee.accounts.account_errors import NameTaken, NoSuchBot, NoSuchToken, NoSuchVersion, TooManyNames
from referee.accounts.bots import Bot, MaxNames, Registration, Version
from referee.accounts.tokens import ALL_TOKENS, MAX_INVALID_TOKENS_PER_BOT, Token, TokenFilter
from referee.match.match_errors import RequestIdReused
from referee.storage.account_rows import TOKEN_COLUMNS, pause_columns, read_bot, read_row, row_of, write_consent
from referee.storage.sql import MAX_INTEGER, Database, SqlConnection, TurnKind, numbered, row_limit

INSERT_BOT = """
    INSERT INTO bots (name, owner, request_id, created_ms, description, consent) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (name) DO NOTHING
"""
"""Waits for another operation that inserts the same name; changes nothing if that one is committed."""

SELECT_REQUESTED = "SELECT name FROM bots WHERE owner = $1 AND request_id = $2"

COUNT_BOTS = "SELECT count(*) FROM bots WHERE owner = $1"

BOTS = """
    SELECT name, owner, created_ms, description, pause_cause, pause_message, paused_ms,
        (SELECT versions.name FROM versions WHERE versions.bot = bots.bot ORDER BY version DESC LIMIT 1), faults,
        consent
    FROM bots
"""

SELECT_BOT = f"{BOTS} WHERE name = $1"

SELECT_BOT_KEY = "SELECT bot FROM bots WHERE name = $1"

SELECT_PAGE = f"""
    {BOTS}
    WHERE ($1 = '' OR owner = $1) AND bots.name > $2
    ORDER BY bots.name
    LIMIT $3
"""

UPDATE_BOT = """
    UPDATE bots
    SET description = $2, pause_cause = $3, pause_message = $4, paused_ms = $5, faults = $6, consent = $7
    WHERE name = $1
"""

INSERT_VERSION = """
    INSERT INTO versions (bot, name, created_ms, note) VALUES ((SELECT bot FROM bots WHERE name = $1), $2, $3, $4)
"""

COUNT_VERSIONS = "SELECT count(*) FROM versions WHERE bot = (SELECT bot FROM bots WHERE name = $1)"

VERSION = """
    SELECT version, name, created_ms, note
    FROM versions
    WHERE bot = (SELECT bot FROM bots WHERE name = $1) AND name = $2
"""

VERSIONS = """
    SELECT name, created_ms, note
    FROM versions
    WHERE bot = (SELECT bot FROM bots WHERE name = $1) AND (CAST($2 AS bigint) IS NULL OR version < $2)
    ORDER BY version DESC
    LIMIT $3
"""

INSERT_TOKEN = f"INSERT INTO tokens (token_id, {TOKEN_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"

SELECT_BY_SHA256 = f"SELECT {TOKEN_COLUMNS} FROM tokens WHERE sha256 = $1"

SELECT_BY_ID = f"SELECT {TOKEN_COLUMNS} FROM tokens WHERE token_id = $1"

SELECT_FIRST_TOKEN = f"SELECT {TOKEN_COLUMNS} FROM tokens WHERE bot = $1 AND bot <> '' ORDER BY token LIMIT 1"

COUNT_VALID_TOKENS = """
    SELECT count(*) FROM tokens
    WHERE holder = $1 AND revoked = 0 AND (expires_ms IS NULL OR expires_ms > $2)
"""

DELETE_OLD_TOKENS = f"""
    DELETE FROM tokens
    WHERE token IN (
        SELECT token FROM tokens
        WHERE bot = $1 AND bot <> '' AND (revoked = 1 OR expires_ms <= $2)
            AND token > (SELECT min(token) FROM tokens WHERE bot = $1 AND bot <> '')
        ORDER BY token DESC
        LIMIT {MAX_INTEGER} OFFSET $3
    )
"""

SELECT_TOKENS = f"""
    SELECT {TOKEN_COLUMNS} FROM tokens
    WHERE ($1 = '' OR holder = $1)
        AND ($2 = '' OR bot = $2)
        AND (CAST($3 AS bigint) IS NULL OR revoked = 0 AND (expires_ms IS NULL OR expires_ms > $3))
        AND ($4 = '' OR token < (SELECT token FROM tokens WHERE token_id = $4))
    ORDER BY token DESC
    LIMIT $5
"""

SELECT_NOT_REVOKED = "SELECT token_id FROM tokens WHERE token_id IN ({}) AND revoked = 0"

IDS_PER_QUERY = 500

UPDATE_TOKEN = "UPDATE tokens SET used_ms = $2, revoked = $3 WHERE token_id = $1"


class StoredAccounts:
    """An Accounts port in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def register(self, request_id: str, bot: Bot, token: Token, limits: MaxNames) -> Registration:
        return await self._database.write(lambda connection: _register(connection, request_id, bot, token, limits))

    async def bot(self, name: str) -> Bot:
        return await self._database.read(lambda connection: _bot(connection, name))

    async def bots(self, owner: str = "", after: str = "", limit: int | None = None) -> list[Bot]:
        rows = await self._database.read(
            lambda connection: connection.fetch(SELECT_PAGE, owner, after, row_limit(limit))
        )
        return [read_bot(row) for row in rows]

    async def change_bot(self, name: str, change: Callable[[Bot], Bot]) -> Bot:
        return await self._database.write(lambda connection: _change_bot(connection, name, change))

    async def add_version(self, version: Version, limit: int) -> Version:
        return await self._database.write(lambda connection: _add_version(connection, version, limit))

    async def versions(self, bot: str, before: str = "", limit: int | None = None) -> list[Version]:
        return await self._database.read(lambda connection: _versions(connection, bot, before, limit))


async def lock_holders(connection: SqlConnection, *holders: str) -> None:
    """Wait until no other operation changes what these holders have: bots, tokens, and invitations.

    Names that differ in upper and lower case take turns, since the name of a new author must differ in more.
    """
    await connection.take_turns(TurnKind.HOLDER, *{holder.lower() for holder in holders})


async def _register(
    connection: SqlConnection, request_id: str, bot: Bot, token: Token, limits: MaxNames
) -> Registration:
    await lock_holders(connection, bot.owner, token.holder)
    before = await connection.fetchval(SELECT_REQUESTED, bot.owner, request_id)
    if before == bot.name:
        first = read_row(Token, await connection.fetchrow(SELECT_FIRST_TOKEN, bot.name))
        return Registration(await _bot(connection, bot.name), first, repeated=True)
    if before:
        raise RequestIdReused(request_id)
    if await connection.fetchrow(SELECT_BOT, bot.name):
        raise NameTaken(bot.name)
    if await connection.fetchval(COUNT_BOTS, bot.owner) >= limits.bots:
        raise TooManyNames("bots", limits.bots)
    await _add_token(connection, token, limits.tokens)
    row = (bot.name, bot.owner, request_id, bot.created_ms, bot.description, write_consent(bot.consent))
    if not await connection.change(INSERT_BOT, *row):  # Another owner has just registered it.
        raise NameTaken(bot.name)
    return Registration(await _bot(connection, bot.name), token, repeated=False)


async def _change_bot(connection: SqlConnection, name: str, change: Callable[[Bot], Bot]) -> Bot:
    await connection.lock_row(SELECT_BOT_KEY, name)
    before = await _bot(connection, name)
    after = change(before)
    pause, consent = pause_columns(after.pause), write_consent(after.consent)
    await connection.change(UPDATE_BOT, name, after.description, *pause, after.faults, consent)
    return replace(before, description=after.description, pause=after.pause, faults=after.faults, consent=after.consent)


async def _add_version(connection: SqlConnection, version: Version, limit: int) -> Version:
    await connection.lock_row(SELECT_BOT_KEY, version.bot)
    await _bot(connection, version.bot)
    known = await connection.fetchrow(VERSION, version.bot, version.version)
    if known:
        return Version(version.bot, *known[1:])
    if await connection.fetchval(COUNT_VERSIONS, version.bot) >= limit:
        raise TooManyNames("versions", limit)
    await connection.change(INSERT_VERSION, version.bot, version.version, version.created_ms, version.note)
    return version


async def _versions(connection: SqlConnection, bot: str, before: str, limit: int | None) -> list[Version]:
    await _bot(connection, bot)
    key = await _version_key(connection, bot, before) if before else None
    return [Version(bot, *row) for row in await connection.fetch(VERSIONS, bot, key, row_limit(limit))]


async def _version_key(connection: SqlConnection, bot: str, version: str) -> int:
    key: int | None = await connection.fetchval(VERSION, bot, version)
    if key is None:
        raise NoSuchVersion(bot, version)
    return key


async def _bot(connection: SqlConnection, name: str) -> Bot:
    row = await connection.fetchrow(SELECT_BOT, name)
    if not row:
        raise NoSuchBot(name)
    return read_bot(row)


class StoredTokens:
    """A Tokens port in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add_token(self, token: Token, max_valid: int) -> None:
        await self._database.write(lambda connection: _lock_and_add_token(connection, token, max_valid))

    async def find_token(self, sha256: bytes) -> Token | None:
        return await self._database.read(lambda connection: _find_token(connection, SELECT_BY_SHA256, sha256))

    async def tokens(self, wanted: TokenFilter = ALL_TOKENS, before: str = "", limit: int | None = None) -> list[Token]:
        return await self._database.read(lambda connection: _select_tokens(connection, wanted, before, limit))

    async def revoked(self, token_ids: Collection[str]) -> set[str]:
        return set(token_ids) - await self._database.read(lambda connection: _select_valid(connection, token_ids))

    async def change_token(self, token_id: str, change: Callable[[Token], Token]) -> Token:
        return await self._database.write(lambda connection: _change_token(connection, token_id, change))


async def _lock_and_add_token(connection: SqlConnection, token: Token, max_valid: int) -> None:
    await lock_holders(connection, token.holder)
    await _add_token(connection, token, max_valid)


async def _add_token(connection: SqlConnection, token: Token, max_valid: int) -> None:
    """Insert the token of a holder that is locked."""
    if await connection.fetchval(COUNT_VALID_TOKENS, token.holder, token.created_ms) >= max_valid:
        raise TooManyNames("tokens", max_valid)
    await insert_token(connection, token)
    await connection.change(DELETE_OLD_TOKENS, token.bot, token.created_ms, MAX_INVALID_TOKENS_PER_BOT)


async def insert_token(connection: SqlConnection, token: Token) -> None:
    await connection.change(INSERT_TOKEN, token.id, *row_of(token))


async def _select_tokens(connection: SqlConnection, wanted: TokenFilter, before: str, limit: int | None) -> list[Token]:
    if before:
        await token_of_id(connection, before)
    values = wanted.holder, wanted.bot, wanted.valid_at_ms, before, row_limit(limit)
    return [read_row(Token, row) for row in await connection.fetch(SELECT_TOKENS, *values)]


async def _select_valid(connection: SqlConnection, token_ids: Collection[str]) -> set[str]:
    """Return those of the tokens that are not revoked."""
    valid: set[str] = set()
    all_ids = list(token_ids)
    for begin in range(0, len(all_ids), IDS_PER_QUERY):
        ids = all_ids[begin : begin + IDS_PER_QUERY]
        rows = await connection.fetch(SELECT_NOT_REVOKED.format(numbered(ids)), *ids)
        valid.update(token_id for (token_id,) in rows)
    return valid


async def _change_token(connection: SqlConnection, token_id: str, change: Callable[[Token], Token]) -> Token:
    await connection.lock_row(SELECT_BY_ID, token_id)
    token = await token_of_id(connection, token_id)
    changed = change(token)
    await connection.change(UPDATE_TOKEN, token_id, changed.used_ms, int(changed.revoked))
    return replace(token, used_ms=changed.used_ms, revoked=changed.revoked)


async def token_of_id(connection: SqlConnection, token_id: str) -> Token:
    token = await _find_token(connection, SELECT_BY_ID, token_id)
    if not token:
        raise NoSuchToken(token_id)
    return token


async def _find_token(connection: SqlConnection, query: str, key: bytes | str) -> Token | None:
    row = await connection.fetchrow(query, key)
    return read_row(Token, row) if row else None
