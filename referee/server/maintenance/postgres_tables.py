"""A PostgreSQL database from which `referee data migrate-to` copies all tables, or into which it copies them.

Either is one transaction, on the connection that holds the lock of the database: if the lock is lost, so is the
transaction. Needs the optional package asyncpg.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Protocol, cast

import asyncpg

from referee.live.ports import StoreUnavailable
from referee.server.maintenance.copied_tables import BATCH_ROWS, KEY_TABLE, TABLES, UNCOPIED_TABLES, CopiedTable, Row
from referee.server.maintenance.data_dir import MaintenanceError
from referee.server.postgres_stores import database_of
from referee.server.settings import Settings
from referee.storage.postgres import schema
from referee.storage.postgres.database import BROKEN, Connection
from referee.storage.postgres.database_lock import SERVER_LOCK, TRY_LOCK, DatabaseInUse, acquire_after_predecessor
from referee.storage.postgres.key_store import INSERT_KEY, read_key
from referee.storage.sqlite.database import NewerDatabase

COPY_TIMEOUT_S = 600
"""Maximum time to write one batch of rows."""

WITHOUT_TIMEOUTS = ("SET LOCAL statement_timeout = 0", "SET LOCAL idle_in_transaction_session_timeout = 0")

SELECT_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"

SELECT_SEQUENCE = "SELECT pg_get_serial_sequence($1, $2)"

EXPECTED_TABLES = {KEY_TABLE, *UNCOPIED_TABLES, *(table.name for table in TABLES)}


class CopyConnection(Connection, Protocol):
    """A connection that can write many rows at once."""

    async def copy_records_to_table(
        self, table_name: str, *, records: Sequence[Row], columns: Sequence[str], timeout: float
    ) -> str:
        """Add rows to a table."""


class PostgresTables:
    """The tables of a database, on one connection, within a transaction."""

    def __init__(self, connection: CopyConnection) -> None:
        self._connection = connection

    async def batches(self, table: CopiedTable) -> AsyncIterator[Sequence[Row]]:
        select = f"SELECT {', '.join(table.postgres_columns)} FROM {table.name} ORDER BY {table.order}"
        rows: list[Row] = []
        async for record in self._connection.cursor(select, prefetch=BATCH_ROWS):
            rows.append(tuple(record))
            if len(rows) == BATCH_ROWS:
                yield rows
                rows = []
        if rows:
            yield rows

    async def read_key(self) -> bytes | None:
        return await read_key(self._connection)

    async def write(self, table: CopiedTable, rows: Sequence[Row]) -> None:
        try:
            await self._connection.copy_records_to_table(
                table.name, records=rows, columns=table.postgres_columns, timeout=COPY_TIMEOUT_S
            )
        except asyncpg.CharacterNotInRepertoireError:
            raise MaintenanceError(
                f"a text in the table {table.name} contains the character NUL, which PostgreSQL cannot store"
            ) from None

    async def write_key(self, pem: bytes) -> None:
        await self._connection.execute(INSERT_KEY, pem.decode())

    async def continue_sequences(self) -> None:
        """Let the keys of new rows follow those that were copied."""
        for table in TABLES:
            key = table.key[0]
            sequence = await self._connection.fetchval(SELECT_SEQUENCE, table.name, key)
            if sequence:
                await self._connection.execute(
                    f"SELECT setval('{sequence}', max({key})) FROM {table.name} HAVING max({key}) > 0"
                )


@asynccontextmanager
async def open_source_database(settings: Settings) -> AsyncIterator[PostgresTables]:
    """Return the tables of a referee, which no server uses until the end. Raises MaintenanceError."""
    async with _locked(settings) as connection, connection.transaction(isolation="repeatable_read", readonly=True):
        await _remove_timeouts(connection)
        await _require_current_schema(connection, await _tables(connection))
        yield PostgresTables(connection)


@asynccontextmanager
async def open_target_database(settings: Settings) -> AsyncIterator[PostgresTables]:
    """Return tables without rows, which are created if there are none. Raises MaintenanceError.

    What was written is committed at the end. If anything is raised, the database is left as it was.
    """
    async with _locked(settings) as connection:
        transaction = connection.transaction()
        await transaction.start()
        try:
            await _remove_timeouts(connection)
            await _require_empty(connection)
            tables = PostgresTables(connection)
            yield tables
            await tables.continue_sequences()
        except BaseException:
            with suppress(*BROKEN):
                await transaction.rollback()
            raise
        try:
            await transaction.commit()
        except BROKEN as why:
            raise MaintenanceError(
                f"the connection failed at the commit ({why}): repeat the command, which is refused if all was copied"
            ) from None


@asynccontextmanager
async def _locked(settings: Settings) -> AsyncIterator[CopyConnection]:
    """Connect, and lock the database as a server does. Raises MaintenanceError for whatever is wrong with it."""
    try:
        connection = cast(CopyConnection, await database_of(settings).connect(is_writer=False))
        try:
            await acquire_after_predecessor(partial(_lock, connection))
            yield connection
        finally:
            connection.terminate()
    except asyncpg.InsufficientPrivilegeError as why:
        raise MaintenanceError(f"cannot use {settings.database}: {why}: use the role that owns the tables") from None
    except (StoreUnavailable, NewerDatabase, DatabaseInUse, *BROKEN) as why:
        raise MaintenanceError(f"cannot use {settings.database}: {why}") from None


async def _lock(connection: Connection) -> None:
    if not await connection.fetchval(TRY_LOCK, SERVER_LOCK):
        raise DatabaseInUse


async def _remove_timeouts(connection: Connection) -> None:
    """Let statements, and the reading of the other database between them, take as long as they need."""
    for statement in WITHOUT_TIMEOUTS:
        await connection.execute(statement)


async def _tables(connection: Connection) -> set[str]:
    return {name for (name,) in await connection.fetch(SELECT_TABLES)}


async def _require_current_schema(connection: Connection, tables: set[str]) -> None:
    """Raise MaintenanceError or NewerDatabase unless these tables are those of this release."""
    if not {"schema_version", "matches", "writers"} <= tables:
        raise MaintenanceError("the database is not that of a referee: there are none of its tables")
    version, known = (await schema.schema_version(connection)).number, len(schema.migrations())
    if version > known:  # It may be usable, but it has columns and tables that would not be copied.
        raise NewerDatabase(version, known)
    if version < known:
        raise MaintenanceError(
            f"the database has version {version}, and this release requires version {known}: run `referee data migrate`"
        )


async def _require_empty(connection: Connection) -> None:
    """Create all tables if there are none. Raise MaintenanceError if there are other ones, or any of them has rows."""
    tables = await _tables(connection)
    if not tables:
        await schema.migrate(connection, schema.migrations())
        return
    await _require_current_schema(connection, tables)
    if others := sorted(tables - EXPECTED_TABLES):
        raise MaintenanceError(f"the database has tables of somebody else ({', '.join(others)}): choose an empty one")
    for name in (*(table.name for table in TABLES), KEY_TABLE):
        if await connection.fetchval(f"SELECT EXISTS (SELECT FROM {name})"):
            raise MaintenanceError(
                f"the database is not empty (table {name}): choose an empty one, so that nothing is overwritten"
            )
