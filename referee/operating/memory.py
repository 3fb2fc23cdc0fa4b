"""Where a referee remembers: its database, and the key that signs its records, in one folder."""

import sqlite3
from contextlib import closing
from pathlib import Path

from referee.operating.not_done import NotDone
from referee.storage.sqlite_file import open_for_reading, released_steps
from referee.wiring.books import DATABASE, KEY

BUSY_MS = 5_000
"""How long to wait for others on the same file."""


def need_memory(data_dir: Path) -> None:
    """Raises NotDone if there is not all of it."""
    for name in (DATABASE, KEY):
        if not (data_dir / name).is_file():
            raise NotDone(f"there is no {name} in {data_dir}: is it the data directory of a referee?")


def version_of(database: Path) -> int:
    """How many steps the database has taken. Raises sqlite3.Error."""
    with closing(open_for_reading(database, BUSY_MS)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def need_current(database: Path) -> None:
    """For who writes beside a server: it must be of the same release. Raises NotDone."""
    try:
        version, known = version_of(database), len(released_steps())
    except sqlite3.Error as why:
        raise NotDone(f"cannot read {database}: {why}") from None
    if version != known:
        raise NotDone(
            f"the database has version {version}, and this release works with version {known}: "
            "use the release that serves, or stop it and run `referee migrate`"
        )


def integrity_trouble(connection: sqlite3.Connection) -> str:
    """What SQLite finds wrong with a whole database, in its words; empty: nothing."""
    found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(3)")]
    return "" if found == ["ok"] else "; ".join(found)
