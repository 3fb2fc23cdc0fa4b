"""A backup: the whole memory of a referee at one moment, while it goes on."""

import shutil
import sqlite3
from contextlib import closing
from importlib.metadata import version
from pathlib import Path

from referee.operating.filling import filled, synced
from referee.operating.manifest import MANIFEST, Manifest, check, noted, read, write
from referee.operating.memory import BUSY_MS, integrity_trouble, need_memory
from referee.operating.not_done import NotDone
from referee.storage.record.keys import KeyUnusable, load
from referee.storage.sqlite_file import open_for_reading
from referee.wiring.books import DATABASE, KEY

COUNTED = """
    SELECT
        (SELECT count(*) FROM matches),
        (SELECT count(*) FROM matches WHERE over = 0),
        (SELECT count(*) FROM entries)
"""


def back_up(data_dir: Path, to: Path, now_ms: int) -> Manifest:
    """Copy database and key into the folder `to`, which is made, or empty. Whoever serves does not notice.

    Raises NotDone.
    """
    need_memory(data_dir)
    try:
        with filled(to, (KEY, DATABASE, MANIFEST)) as part:
            shutil.copy(data_dir / KEY, part / KEY)
            manifest = _copied(data_dir / DATABASE, part, now_ms)
            write(manifest, part)
            _check_written(part)
    except (OSError, sqlite3.Error, KeyUnusable) as why:
        raise NotDone(f"there is no backup: {why}") from None
    return manifest


def _check_written(part: Path) -> None:
    """Read back what was written, as `restore` will. Raises NotDone, OSError or KeyUnusable."""
    for name in (DATABASE, KEY, MANIFEST):
        synced(part / name)
    check(read(part), part)
    load(part / KEY)
    with closing(open_for_reading(part / DATABASE, BUSY_MS)) as copy:
        if trouble := integrity_trouble(copy):
            raise NotDone(f"there is no backup: what was written is damaged: {trouble}")


def _copied(database: Path, part: Path, now_ms: int) -> Manifest:
    (part / DATABASE).touch(0o600)
    with closing(open_for_reading(database, BUSY_MS)) as live, closing(sqlite3.connect(part / DATABASE)) as copy:
        # In one step: whoever copies page by page begins anew whenever somebody writes.
        live.backup(copy)
        # A copy that is one file has nothing beside it that could be forgotten.
        copy.execute("PRAGMA journal_mode = DELETE")
        matches, unfinished, entries = copy.execute(COUNTED).fetchone()
        (schema,) = copy.execute("PRAGMA user_version").fetchone()
    files = {name: noted(part / name) for name in (DATABASE, KEY)}
    return Manifest(version("referee"), now_ms, schema, matches, unfinished, entries, files)
