"""Checks of a PostgreSQL database: whether it can be reached, its schema, and whether it keeps what is committed.

Needs the optional package asyncpg.
"""

import asyncio
from collections.abc import Iterator
from contextlib import suppress

from referee.live.ports import StoreUnavailable
from referee.records.signing_key import KeyUnusable, fingerprint, public_hex, read_pem
from referee.server.maintenance.doctor.finding import Finding, bad, ok, warn
from referee.server.postgres_stores import KEY_TABLE, database_of
from referee.server.settings import Settings
from referee.storage.postgres.database import BROKEN, Connection
from referee.storage.postgres.key_store import has_matches, read_key
from referee.storage.postgres.schema import migrations, schema_version

ABOUT = "database"

OLDEST_VERSION = 15

LOSES_COMMITS = "set it to on in postgresql.conf"

SELECT_SETTINGS = """
    SELECT current_setting('server_version_num')::integer / 10000 AS version,
        current_setting('fsync') AS fsync,
        current_setting('full_page_writes') AS full_page_writes,
        current_setting('synchronous_commit') AS synchronous_commit
"""


def database(settings: Settings) -> Iterator[Finding]:
    yield from asyncio.run(_findings(settings))


async def _findings(settings: Settings) -> list[Finding]:
    try:
        connection = await database_of(settings).connect(is_writer=False)
    except StoreUnavailable as why:
        return [bad(ABOUT, f"{settings.database}: {why}", "check the URL and the password, and that PostgreSQL runs")]
    try:
        return [*await _server(connection), *await _content(connection)]
    except BROKEN as why:
        return [bad(ABOUT, f"cannot be read: {why}", "give the role of the referee all rights in its database")]
    finally:
        with suppress(*BROKEN):
            await connection.close()


async def _server(connection: Connection) -> list[Finding]:
    row = await connection.fetchrow(SELECT_SETTINGS)
    version = f"PostgreSQL {row['version']}"
    if row["version"] < OLDEST_VERSION:
        findings = [bad(ABOUT, version, f"upgrade to PostgreSQL {OLDEST_VERSION} or newer")]
    else:
        findings = [ok(ABOUT, version)]
    for name in ("fsync", "full_page_writes"):
        if row[name] == "off":
            findings.append(bad(ABOUT, f"{name} is off: a power cut may destroy the database", LOSES_COMMITS))
    if row["synchronous_commit"] == "off":
        findings.append(warn(ABOUT, "a crash may lose acknowledged moves (synchronous_commit is off)", LOSES_COMMITS))
    return findings


async def _content(connection: Connection) -> list[Finding]:
    version, known = await schema_version(connection), len(migrations())
    number = version.number
    if version.compatible_from > known:
        return [bad(ABOUT, f"version {number} is newer than this release ({known})", "use the release of the server")]
    if number < known:
        state = f"version {number}, this release requires {known}" if number else "empty"
        return [warn(ABOUT, state, "`referee serve` upgrades it when it starts")]
    return [ok(ABOUT, f"version {number}"), await _key(connection)]


async def _key(connection: Connection) -> Finding:
    pem = await read_key(connection)
    if pem is None:
        if await has_matches(connection):
            return bad("key", "the signing key is missing", "restore it, or run `referee data recover signing-key`")
        return ok("key", "`referee serve` creates it when it starts")
    try:
        return ok("key", f"fingerprint {fingerprint(public_hex(read_pem(pem, KEY_TABLE)))}")
    except KeyUnusable as why:
        return bad("key", str(why), "restore it from a backup")
