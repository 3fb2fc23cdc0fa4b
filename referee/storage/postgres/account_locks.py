"""Locks by which nodes take turns where they check something and then write: how much a holder has, or a last number.

PostgreSQL has many writers, and a count of rows cannot be locked by locking rows. These locks belong to a transaction
and end with it. Every transaction takes its locks of this module first, in one statement and in the order of their
keys, so that no two transactions wait for each other; rows are locked after that.
"""

from enum import IntEnum
from zlib import crc32

from referee.storage.postgres.database import Connection

TAKE_LOCKS = """
    SELECT pg_advisory_xact_lock($1, key) FROM (SELECT unnest($2::int[]) AS key ORDER BY key) AS keys
"""


class LockKind(IntEnum):
    """First half of the key of a lock. Locks with a key of one number are other ones."""

    HOLDER = 1
    BOT_LOG = 2


async def lock_holders(connection: Connection, *holders: str) -> None:
    """Wait until no other transaction changes what these holders have: bots, tokens, and invitations.

    Names that differ in upper and lower case share a lock, since the name of a new author must differ in more.
    """
    await _take(connection, LockKind.HOLDER, {holder.lower() for holder in holders})


async def lock_bot_log(connection: Connection, bot: str) -> None:
    """Wait until no other transaction appends to the log of the bot."""
    await _take(connection, LockKind.BOT_LOG, {bot})


async def _take(connection: Connection, kind: LockKind, names: set[str]) -> None:
    # Two names can have the same key; then they only wait for each other.
    await connection.fetch(TAKE_LOCKS, kind.value, list({_key(name) for name in names}))


def _key(name: str) -> int:
    """Return a signed number of 32 bits."""
    return crc32(name.encode("utf-8", "surrogatepass")) - 2**31
