"""The book of all bots in SQLite."""

from collections.abc import Callable
from sqlite3 import Connection
from typing import Any

from referee.app.accounts import Bot, NamesAtMost, Pause, PauseCause, Registered, Version
from referee.app.refusals import NameTaken, TooManyNames, UnknownBot, UnknownVersion
from referee.app.tokens import Token
from referee.core.errors import RequestIdReused
from referee.storage.clerk import NO_LIMIT, Clerk
from referee.storage.tokens_sqlite import add_token, first_token

ADD_BOT = "INSERT INTO bots (name, owner, request_id, created_ms, description) VALUES (?, ?, ?, ?, ?)"

REQUESTED = "SELECT name FROM bots WHERE owner = ? AND request_id = ?"

COUNT = "SELECT count(*) FROM bots WHERE owner = ?"

BOTS = """
    SELECT name, owner, created_ms, description, pause_cause, pause_message, paused_ms,
        (SELECT versions.name FROM versions WHERE versions.bot = bots.bot ORDER BY version DESC LIMIT 1), faults
    FROM bots
"""

ONE = f"{BOTS} WHERE name = ?"

PAGE = f"{BOTS} WHERE (:owner = '' OR owner = :owner) AND name > :after ORDER BY name LIMIT :at_most"

CHANGE = """
    UPDATE bots SET description = ?, pause_cause = ?, pause_message = ?, paused_ms = ?, faults = ? WHERE name = ?
"""

ADD_VERSION = """
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
    LIMIT :at_most
"""


class SqliteAccounts:
    """Accounts by a clerk."""

    def __init__(self, clerk: Clerk) -> None:
        self._clerk = clerk

    async def register(self, request_id: str, bot: Bot, token: Token, at_most: NamesAtMost) -> Registered:
        return await self._clerk.write(lambda file: _registered(file, request_id, bot, token, at_most))

    async def bot(self, name: str) -> Bot:
        return await self._clerk.read(lambda file: _bot(file, name))

    async def bots(self, owner: str = "", after: str = "", at_most: int | None = None) -> list[Bot]:
        wishes = {"owner": owner, "after": after, "at_most": NO_LIMIT if at_most is None else at_most}
        return await self._clerk.read(lambda file: [_read_bot(row) for row in file.execute(PAGE, wishes)])

    async def change_bot(self, name: str, change: Callable[[Bot], Bot]) -> Bot:
        return await self._clerk.write(lambda file: _changed(file, name, change))

    async def add_version(self, version: Version, at_most: int) -> Version:
        return await self._clerk.write(lambda file: _with_version(file, version, at_most))

    async def versions(self, bot: str, before: str = "", at_most: int | None = None) -> list[Version]:
        return await self._clerk.read(lambda file: _versions(file, bot, before, at_most))


def _registered(file: Connection, request_id: str, bot: Bot, token: Token, at_most: NamesAtMost) -> Registered:
    before = file.execute(REQUESTED, (bot.owner, request_id)).fetchone()
    if before == (bot.name,):
        return Registered(_bot(file, bot.name), first_token(file, bot.name), again=True)
    if before:
        raise RequestIdReused(request_id)
    if file.execute(ONE, (bot.name,)).fetchone():
        raise NameTaken(bot.name)
    (many,) = file.execute(COUNT, (bot.owner,)).fetchone()
    if many >= at_most.bots:
        raise TooManyNames("bots", at_most.bots)
    add_token(file, token, at_most.tokens)
    file.execute(ADD_BOT, (bot.name, bot.owner, request_id, bot.created_ms, bot.description))
    return Registered(_bot(file, bot.name), token, again=False)


def _changed(file: Connection, name: str, change: Callable[[Bot], Bot]) -> Bot:
    changed = change(_bot(file, name))
    pause = (changed.pause.cause.value, changed.pause.message, changed.pause.since_ms) if changed.pause else (None,) * 3
    file.execute(CHANGE, (changed.description, *pause, changed.faults, name))
    return _bot(file, name)


def _with_version(file: Connection, version: Version, at_most: int) -> Version:
    _bot(file, version.bot)
    known = file.execute(VERSION, (version.bot, version.version)).fetchone()
    if known:
        return Version(version.bot, *known[1:])
    (many,) = file.execute(COUNT_VERSIONS, (version.bot,)).fetchone()
    if many >= at_most:
        raise TooManyNames("versions", at_most)
    file.execute(ADD_VERSION, (version.bot, version.version, version.created_ms, version.note))
    return version


def _versions(file: Connection, bot: str, before: str, at_most: int | None) -> list[Version]:
    _bot(file, bot)
    wishes = {
        "bot": bot,
        "before": _number(file, bot, before) if before else None,
        "at_most": NO_LIMIT if at_most is None else at_most,
    }
    return [Version(bot, *row) for row in file.execute(VERSIONS, wishes)]


def _number(file: Connection, bot: str, version: str) -> int:
    row = file.execute(VERSION, (bot, version)).fetchone()
    if not row:
        raise UnknownVersion(bot, version)
    number: int = row[0]
    return number


def _bot(file: Connection, name: str) -> Bot:
    row = file.execute(ONE, (name,)).fetchone()
    if not row:
        raise UnknownBot(name)
    return _read_bot(row)


def _read_bot(row: tuple[Any, ...]) -> Bot:
    name, owner, created_ms, description, cause, message, paused_ms, latest, faults = row
    pause = Pause(PauseCause(cause), message, paused_ms) if cause else None
    return Bot(name, owner, created_ms, description, pause, latest or "", faults)
