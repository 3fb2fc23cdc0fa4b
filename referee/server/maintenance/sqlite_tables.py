"""The database of a data directory, from or into which `referee data migrate-to` copies all tables."""

import sqlite3
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from referee.server.maintenance.copied_tables import BATCH_ROWS, CopiedTable, Row
from referee.server.maintenance.data_dir import MaintenanceError, fill_folder, integrity_problem, require_data_dir
from referee.server.maintenance.migrate import require_current_schema
from referee.server.stores import DATABASE, KEY
from referee.storage.sqlite.database import (
    ARCHIVE_LOCK,
    BUSY_MS,
    DataDirLock,
    Durability,
    open_for_reading,
    open_for_writing,
)

IS_REFEREE = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'matches')"

SELECT_TRIGGERS = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"


class SqliteTables:
    """The tables and the key of a data directory, on one connection."""

    def __init__(self, connection: sqlite3.Connection, folder: Path) -> None:
        self._connection = connection
        self._folder = folder
        # Text is copied exactly or not at all; the usual connection escapes what is not UTF-8. SQLite's own error would
        # quote the text, which may contain a seed.
        connection.text_factory = partial(str, encoding="utf-8")

    async def batches(self, table: CopiedTable) -> AsyncIterator[Sequence[Row]]:
        columns = [*table.columns, table.last_entry] if table.last_entry else table.columns
        found = self._connection.execute(f"SELECT {', '.join(columns)} FROM {table.name} ORDER BY {table.order}")
        try:
            while rows := found.fetchmany(BATCH_ROWS):
                yield rows
        except UnicodeDecodeError:
            raise MaintenanceError(f"a text in the table {table.name} is not UTF-8, so it cannot be copied") from None

    async def read_key(self) -> bytes | None:
        return (self._folder / KEY).read_bytes()

    async def write(self, table: CopiedTable, rows: Sequence[Row]) -> None:
        count = len(table.columns)
        insert = f"INSERT INTO {table.name} ({', '.join(table.columns)}) VALUES ({', '.join('?' * count)})"
        self._connection.executemany(insert, [row[:count] for row in rows])

    async def write_key(self, pem: bytes) -> None:
        file = self._folder / KEY
        file.touch(0o600)
        file.write_bytes(pem)


@contextmanager
def open_source_folder(data_dir: Path) -> Iterator[SqliteTables]:
    """Return the tables of a stopped server, which nobody can change until the end. Raises MaintenanceError."""
    require_data_dir(data_dir)
    try:
        with (
            DataDirLock(data_dir),
            DataDirLock(data_dir, ARCHIVE_LOCK),
            closing(open_for_reading(data_dir / DATABASE, BUSY_MS)) as connection,
        ):
            connection.execute("BEGIN")
            _require_sound(connection, data_dir)
            yield SqliteTables(connection, data_dir)
    except (OSError, sqlite3.Error) as why:
        raise MaintenanceError(f"cannot use {data_dir}: {why}") from None


def _require_sound(connection: sqlite3.Connection, data_dir: Path) -> None:
    if not connection.execute(IS_REFEREE).fetchone()[0]:
        raise MaintenanceError(f"{DATABASE} in {data_dir} is not the database of a referee")
    require_current_schema(data_dir / DATABASE)
    if problem := integrity_problem(connection):
        raise MaintenanceError(f"the database in {data_dir} is damaged: {problem}")


@contextmanager
def open_target_folder(folder: Path) -> Iterator[SqliteTables]:
    """Return tables without rows, which become a data directory at the end. Raises MaintenanceError.

    Nothing is left if anything is raised. After a kill, the folder is not empty, and no server starts in it.
    """
    try:
        with (
            fill_folder(folder, (KEY, DATABASE)) as part,
            closing(open_for_writing(part / DATABASE, Durability.NORMAL, BUSY_MS)) as connection,
        ):
            # There is nothing to roll back to, and the file is synchronized once, at the end. Without a write-ahead log
            # it is the only file; a server that opens it creates the log again.
            connection.execute("PRAGMA journal_mode = OFF")
            connection.execute("PRAGMA synchronous = OFF")
            with _without_triggers(connection):
                yield SqliteTables(connection, part)
    except (OSError, sqlite3.Error) as why:
        raise MaintenanceError(f"cannot use {folder}: {why}") from None


@contextmanager
def _without_triggers(connection: sqlite3.Connection) -> Iterator[None]:
    """Remove all triggers until the end: what they would count is copied."""
    triggers = connection.execute(SELECT_TRIGGERS).fetchall()
    connection.execute("BEGIN")
    for name, _ in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    yield
    for _, sql in triggers:
        connection.execute(sql)
    connection.execute("COMMIT")
