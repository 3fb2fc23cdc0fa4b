"""The tables that `referee data migrate-to` copies from one database to another, and how their rows are compared.

A row is copied with its keys, so that the order in which matches, contests and accounts were created stays the same.
Each table follows those that it refers to.
"""

import hashlib
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

Row = tuple[int | str | bytes | None, ...]

BATCH_ROWS = 500
"""Number of rows that are in memory at a time."""
PROGRESS_ROWS = 100_000
"""Number of rows of a table after which progress is reported."""


@dataclass(frozen=True, slots=True)
class CopiedTable:
    """A table that both databases have."""

    name: str
    key: tuple[str, ...]
    """Columns by which rows are sorted; all of them are in `columns`."""
    columns: tuple[str, ...]
    """Columns that both databases store."""
    last_entry: str = ""
    """SQL expression for the column `last`, which only PostgreSQL stores. Empty: there is no such column."""

    @property
    def postgres_columns(self) -> tuple[str, ...]:
        return (*self.columns, "last") if self.last_entry else self.columns

    @property
    def order(self) -> str:
        return ", ".join(self.key)


def _table(name: str, key: str, others: str, last_entry: str = "") -> CopiedTable:
    keys = tuple(key.split())
    return CopiedTable(name, keys, (*keys, *others.split()), last_entry)


LAST_OF_MATCH = "coalesce((SELECT max(number) FROM entries WHERE entries.match = matches.match), -1)"
"""-1: its entries have been archived."""
LAST_OF_CONTEST = (
    "coalesce((SELECT max(number) FROM contest_entries WHERE contest_entries.contest = contests.contest), 0)"
)

TABLES = (
    _table("matches", "match", "match_id over", LAST_OF_MATCH),
    _table("entries", "match number", "at_ms line request"),
    _table("undelivered_ends", "match seat", "bot"),
    _table("match_summaries", "match", "created_ms game ladder tournament phase began ended"),
    _table("match_seats", "match seat", "bot"),
    _table("contests", "contest", "contest_id", LAST_OF_CONTEST),
    _table("contest_entries", "contest number", "at_ms line"),
    _table("stored_bytes", "holder", "bytes"),
    _table(
        "bots",
        "bot",
        "name owner request_id created_ms description pause_cause pause_message paused_ms faults consent",
    ),
    _table("versions", "version", "bot name created_ms note"),
    _table("tokens", "token", "token_id sha256 role holder created_ms bot label expires_ms used_ms revoked"),
    _table(
        "quotas",
        "holder",
        "max_matches max_streams calls_per_minute max_bots max_tokens max_stored_bytes max_authors max_bot_streams "
        "max_contests max_received_bytes",
    ),
    _table("bot_log", "line", "bot number at_ms version match_id seat ply what"),
    _table(
        "invitations",
        "invitation",
        "invitation_id sha256 organiser request_id created_ms expires_ms max_uses label revoked uses",
    ),
    _table("redemptions", "redemption", "invitation request_id holder token_id redeemed_ms"),
)

KEY_TABLE = "signing_key"
"""A table of PostgreSQL with one row. Beside SQLite, the key is in a file."""

UNCOPIED_TABLES = {
    "schema_version": "each database has its own",
    "writers": "connections of running servers",
    "nodes": "running nodes",
    "coordinator": "the node that is the coordinator, and the number of elections",
}
"""Tables of PostgreSQL whose rows stay behind, and what is in them."""


@dataclass(frozen=True, slots=True)
class TableDigest:
    """Number of rows of a table, and the SHA-256 of all of them."""

    table: str
    rows: int
    sha256: str


@dataclass(slots=True)
class TableDigester:
    """Digests the rows of a table, one after the other."""

    table: str
    rows: int = 0
    _sha256: "hashlib._Hash" = field(default_factory=hashlib.sha256)

    def add(self, rows: Iterable[Row]) -> None:
        for row in rows:
            self._sha256.update(msgspec.msgpack.encode(row))  # The encoding says where each value and row ends.
            self.rows += 1

    def digest(self) -> TableDigest:
        return TableDigest(self.table, self.rows, self._sha256.hexdigest())


class TableReader(Protocol):
    """A database from which tables are read."""

    def batches(self, table: CopiedTable) -> AsyncIterator[Sequence[Row]]:
        """Return all rows in the order of their keys, with `postgres_columns`, some at a time."""

    async def read_key(self) -> bytes | None:
        """Return the key that signs records, in PEM; None: there is none."""


class TableStore(TableReader, Protocol):
    """An empty database into which tables are written."""

    async def write(self, table: CopiedTable, rows: Sequence[Row]) -> None:
        """Add rows with `postgres_columns`."""

    async def write_key(self, pem: bytes) -> None:
        """Store the key that signs records."""


async def digest_rows(
    source: TableReader,
    table: CopiedTable,
    progress: Callable[[str], None],
    target: TableStore | None = None,
) -> TableDigest:
    """Return the digest of a table, and copy it if there is a target. `progress` is called with a line of text."""
    digester = TableDigester(table.name)
    verb = "copied" if target else "read back"
    reported = 0
    async for rows in source.batches(table):
        digester.add(rows)
        if target:
            await target.write(table, rows)
        if digester.rows - reported >= PROGRESS_ROWS:
            reported = digester.rows
            progress(f"rows of {table.name} {verb} so far: {reported}")
    progress(f"rows of {table.name} {verb}: {digester.rows}")
    return digester.digest()
