"""The program `referee` as a test changes it: each of these flags is taken from the arguments, with its value."""

import asyncio
import sys
import time
from typing import Any

import asyncpg
import msgspec

from referee.cluster import messages
from referee.cluster.membership import compatibility
from referee.storage.postgres import schema

WALL_CLOCK_SHIFT_S = "--wall-clock-shift-s"
PROTOCOLS = "--protocols"
UNFENCED = "--unfenced"


def shift_wall_clock(seconds: str) -> None:
    """Let `time.time` and `time.time_ns` be ahead by this much, or behind if it is negative.

    Only the clock that Python reads is shifted. It is the only one by which a node writes times.
    """
    true_time, true_time_ns, shift_s = time.time, time.time_ns, float(seconds)
    time.time = lambda: true_time() + shift_s
    time.time_ns = lambda: true_time_ns() + round(shift_s * 1e9)


def become_newer(protocols: str) -> None:
    """Be a later release, whose tables and messages between nodes have a field more.

    `protocols` are the oldest and the newest protocol between nodes that it understands, such as `1,2`.
    """
    migrations = newer_migrations()
    compatibility.OLDEST_PROTOCOL, compatibility.NEWEST_PROTOCOL = map(int, protocols.split(","))
    messages.encode = _encode_newer
    schema.migrations = lambda: migrations


def _encode_newer(message: Any) -> bytes:
    """Encode a message with a field that this release does not know."""
    fields = msgspec.to_builtins(message, builtin_types=(bytes,))
    return msgspec.msgpack.encode(fields | {"added_later": ["what it says"]})


def newer_migrations() -> list[str]:
    added = (
        "-- Additive: where nodes and matches are.\n"
        "ALTER TABLE nodes ADD COLUMN zone text; ALTER TABLE matches ADD COLUMN zone text NOT NULL DEFAULT 'here'"
    )
    return [*schema.migrations(), added]


def migrate_to_newer(url: str) -> None:
    """Do what `referee data migrate` of the later release does."""

    async def run() -> None:
        connection = await asyncpg.connect(url)
        await schema.migrate(connection, newer_migrations())
        await connection.close()

    asyncio.run(run())


FENCE = {
    "heads.last = append.after": "heads.last >= append.after",
    "SET last = append.last,": "SET last = heads.last + append.last - append.after,",
    "matches.match, append.ordinal": "matches.match, append.ordinal, heads.last - append.after AS ahead",
    "entry.number, stamp.at_ms": "entry.number + continued.ahead, stamp.at_ms",
}
"""Parts of the statement that appends, each with what takes its place."""


def remove_fence(_: str) -> None:
    """Let an append continue its log in PostgreSQL wherever that ends by now, also of a node that has missed entries.

    It shows what the check of numbers prevents, and that the checker of histories notices when it is missing.
    """
    from referee.storage.postgres import group_commit  # noqa: PLC0415  # It keeps what `become_newer` changes.

    unfenced = group_commit.APPEND
    for fenced, replacement in FENCE.items():
        assert fenced in unfenced, "the statement has changed"
        unfenced = unfenced.replace(fenced, replacement)
    group_commit.APPEND = unfenced
    group_commit._conflict = _ignore_conflict


def _ignore_conflict(append: object, heads: object) -> None:
    """Return None: there is no conflict."""


CHANGES = {WALL_CLOCK_SHIFT_S: shift_wall_clock, PROTOCOLS: become_newer, UNFENCED: remove_fence}


if __name__ == "__main__":
    for flag in CHANGES.keys() & set(sys.argv):
        at = sys.argv.index(flag)
        CHANGES[flag](sys.argv[at + 1])
        del sys.argv[at : at + 2]
    # Not imported before: its modules keep some of the names that were changed.
    from referee.cli import main

    main()
