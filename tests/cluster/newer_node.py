"""The program `referee` of a later release, whose messages between nodes and whose tables have a field more.

`--protocols 1,2` are the oldest and the newest protocol between nodes that it understands.
"""

import asyncio
import sys
from typing import Any

import asyncpg
import msgspec

from referee.cluster import messages
from referee.cluster.membership import compatibility
from referee.storage.postgres import schema

FLAG = "--protocols"

MIGRATIONS = [
    *schema.migrations(),
    "-- Additive: where nodes and matches are.\n"
    "ALTER TABLE nodes ADD COLUMN zone text; ALTER TABLE matches ADD COLUMN zone text NOT NULL DEFAULT 'here'",
]
"""Those of the later release."""


def migrate(url: str) -> None:
    """Do what `referee data migrate` of the later release does."""

    async def run() -> None:
        connection = await asyncpg.connect(url)
        await schema.migrate(connection, MIGRATIONS)
        await connection.close()

    asyncio.run(run())


def encode_newer(message: Any) -> bytes:
    """Encode a message with a field that this release does not know."""
    fields = msgspec.to_builtins(message, builtin_types=(bytes,))
    return msgspec.msgpack.encode(fields | {"added_later": ["what it says"]})


def become_newer(oldest_protocol: int, newest_protocol: int) -> None:
    """Must be called before the modules that use these names are imported."""
    compatibility.OLDEST_PROTOCOL, compatibility.NEWEST_PROTOCOL = oldest_protocol, newest_protocol
    messages.encode = encode_newer
    schema.migrations = lambda: MIGRATIONS


if __name__ == "__main__":
    at = sys.argv.index(FLAG)
    become_newer(*map(int, sys.argv[at + 1].split(",")))
    del sys.argv[at : at + 2]
    from referee.cli import main

    main()
