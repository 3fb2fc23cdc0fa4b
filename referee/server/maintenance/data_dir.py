"""Data directories: what must be in one, whether its database is sound, and how to fill an empty one atomically."""

import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from referee.server.settings import Settings
from referee.server.stores import DATABASE, KEY, PART


class MaintenanceError(Exception):
    """An operation on a data directory failed. `str()` is one sentence that says why and what to do."""


def require_files(settings: Settings, instead: str) -> None:
    """Raise MaintenanceError, with what to do instead, if the data is in PostgreSQL."""
    if settings.database:
        raise MaintenanceError(f"the data is in PostgreSQL (setting database): {instead}")


def require_data_dir(data_dir: Path) -> None:
    """Raise MaintenanceError unless the directory has a database and a signing key."""
    for name in (DATABASE, KEY):
        if not (data_dir / name).is_file():
            raise MaintenanceError(f"there is no {name} in {data_dir}: is it the data directory of a referee?")


def integrity_problem(connection: sqlite3.Connection) -> str:
    """Return what SQLite's integrity check reports; empty if the database is sound."""
    found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(3)")]
    return "" if found == ["ok"] else "; ".join(found)


@contextmanager
def fill_folder(folder: Path, names: Sequence[str]) -> Iterator[Path]:
    """Fill an empty or new folder atomically: yield a subdirectory for the files, and move them up at the end.

    They are moved in the order of `names`, so that whoever finds the last one finds all. If anything is raised, the
    folder is left as it was. Raises MaintenanceError if the folder is not empty.
    """
    created = _create_empty(folder)
    part = folder / PART
    try:
        part.mkdir(0o700)
        yield part
        for name in names:
            fsync(part / name)
            (part / name).rename(folder / name)
        fsync(folder)
    except BaseException:
        for name in names:
            (folder / name).unlink(missing_ok=True)
        raise
    finally:
        shutil.rmtree(part, ignore_errors=True)
        if created and not any(folder.iterdir()):
            folder.rmdir()


def fsync(path: Path) -> None:
    """Return when the file or folder is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _create_empty(folder: Path) -> bool:
    """Return whether the folder was created. Raises MaintenanceError if it is not empty."""
    try:
        folder.mkdir(0o700, parents=True)
    except FileExistsError:
        if not folder.is_dir():
            raise MaintenanceError(f"{folder} is not a directory") from None
        if any(folder.iterdir()):
            raise MaintenanceError(
                f"{folder} is not empty: choose a new folder, so that nothing is overwritten"
            ) from None
        return False
    return True
