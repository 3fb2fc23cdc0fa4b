"""Migration of a stopped referee between a data directory and PostgreSQL, in both directions. Needs asyncpg.

Every table is read back from the target before it can be used, and compared with what was read from the source.
"""

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

from referee.records.signing_key import KeyUnusable, read_pem
from referee.server.maintenance.copied_tables import (
    KEY_TABLE,
    TABLES,
    TableDigest,
    TableReader,
    TableStore,
    digest_rows,
)
from referee.server.maintenance.data_dir import MaintenanceError
from referee.server.maintenance.postgres_tables import open_source_database, open_target_database
from referee.server.maintenance.sqlite_tables import open_source_folder, open_target_folder
from referee.server.settings import Settings

Progress = Callable[[str], None]


def migrate_to_postgres(data_dir: Path, target: Settings, progress: Progress) -> Sequence[TableDigest]:
    """Copy a data directory into the empty database of `target`, and return what was copied.

    Raises MaintenanceError; then the database is left as it was. The data directory never changes.
    """

    async def copy() -> Sequence[TableDigest]:
        with open_source_folder(data_dir) as source:
            async with open_target_database(target) as tables:
                return await _copy_all(source, tables, progress)

    return asyncio.run(copy())


def migrate_to_folder(source: Settings, folder: Path, progress: Progress) -> Sequence[TableDigest]:
    """Copy the database of `source` into a new or empty data directory, and return what was copied.

    Raises MaintenanceError; then the folder is left as it was. The database never changes.
    """

    async def copy() -> Sequence[TableDigest]:
        # The database is the inner one, so that it is closed before the folder is complete.
        with open_target_folder(folder) as tables:
            async with open_source_database(source) as reader:
                return await _copy_all(reader, tables, progress)

    return asyncio.run(copy())


async def _copy_all(source: TableReader, target: TableStore, progress: Progress) -> Sequence[TableDigest]:
    copied = [await _copy_key(source, target)]
    copied += [await digest_rows(source, table, progress, target) for table in TABLES]
    for digest, table in zip(copied[1:], TABLES, strict=True):
        if await digest_rows(target, table, progress) != digest:
            raise MaintenanceError(
                f"the table {table.name} was not copied exactly: nothing is left; please report this bug"
            )
    return copied


async def _copy_key(source: TableReader, target: TableStore) -> TableDigest:
    pem = await source.read_key()
    if pem is None:
        raise MaintenanceError("there is no key that signs records: start a server once, or restore the key")
    try:
        read_pem(pem, "the source")
        pem.decode()
    except (KeyUnusable, UnicodeDecodeError) as why:
        raise MaintenanceError(f"the key that signs records cannot be copied: {why}") from None
    await target.write_key(pem)
    if await target.read_key() != pem:
        raise MaintenanceError("the key that signs records was not copied exactly: nothing is left")
    return TableDigest(KEY_TABLE, 1, hashlib.sha256(pem).hexdigest())
