"""Random rows for every table of a data directory, which follow its schema and nothing else."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from random import Random

from referee.server.maintenance.copied_tables import TABLES
from referee.server.stores import DATABASE

KEYS = {"match": "matches", "contest": "contests", "invitation": "invitations", "bot": "bots", "token_id": "tokens"}
"""Tables to which these columns of other tables refer."""
FLAGS = ("over", "revoked")
TEXTS = (
    "",
    " ",
    "null",
    "\\N",
    "\\.",
    'a"b\\',
    "\t\r\n\x01",
    "Ä ß é",
    "\u2028",
    "🂡" * 3,
    '{"v":1,"kind":"ä"}',
    "A",
    "a",
    "Z",
    "é",
)
WHOLE = (0, 1, -1, 2**31, 2**53 + 1, 2**63 - 1, -(2**63))

Column = tuple[str, str, bool]
"""Name, type, and whether it can be null."""


def add_any_rows(data_dir: Path, rng: Random, rows: int) -> None:
    """Add random rows to every table. Matches and contests may lack entries, and numbers of entries may be missing."""
    with closing(sqlite3.connect(data_dir / DATABASE, isolation_level=None)) as connection:
        for (trigger,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {trigger}")
        connection.execute("BEGIN")
        for table in TABLES:
            columns = _columns(connection, table.name)
            names, marks = ", ".join(name for name, *_ in columns), ", ".join("?" * len(columns))
            for _ in range(rows):
                row = [_value(connection, rng, table.name, column) for column in columns]
                connection.execute(f"INSERT OR IGNORE INTO {table.name} ({names}) VALUES ({marks})", row)
        connection.execute("COMMIT")


def _columns(connection: sqlite3.Connection, table: str) -> Sequence[Column]:
    found = connection.execute('SELECT name, type, "notnull" OR pk FROM pragma_table_info(?)', (table,))
    return [(name, kind, not required) for name, kind, required in found if name != "entry"]


def _value(connection: sqlite3.Connection, rng: Random, table: str, column: Column) -> object:
    name, kind, nullable = column
    refers_to = KEYS.get(name)
    if nullable and not rng.randrange(3):
        return None
    if name in FLAGS:
        return rng.randrange(2)
    if refers_to and refers_to != table and kind == _kind(connection, refers_to, name):
        return rng.choice(_values(connection, refers_to, name))
    if kind == "INTEGER":
        return rng.choice((*WHOLE, rng.randrange(1 << 40), rng.randrange(100)))
    if kind == "BLOB":
        return rng.randbytes(32)
    return rng.choice(TEXTS) + rng.choice(("", f"{rng.randrange(1 << 40):x}", chr(rng.randrange(1, 0xD800))))


def _kind(connection: sqlite3.Connection, table: str, column: str) -> str:
    return next(kind for name, kind, _ in _columns(connection, table) if name == column)


def _values(connection: sqlite3.Connection, table: str, column: str) -> Sequence[object]:
    return [value for (value,) in connection.execute(f"SELECT {column} FROM {table} ORDER BY {column}")]
