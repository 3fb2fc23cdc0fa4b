"""The table of nodes in PostgreSQL.

It has a connection of its own, so that a renewal never waits for other queries of this process. A call that fails or is
cancelled ends the connection, since an answer may still be on its way; the next call opens another one.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

import asyncpg
from msgspec.structs import astuple

from referee.cluster.membership.compatibility import IncompatibleNode, check_compatibility
from referee.cluster.membership.node_store import ClusterState, Node, NodeStore
from referee.storage.postgres.database import BROKEN, PostgresDatabase, unavailable

CHANNEL = "referee_nodes"

JOIN_LOCK = 7_700_003
"""Key of the advisory lock under which nodes join, one after the other. Not that of the lock of the database."""

SET_UP = "SET idle_in_transaction_session_timeout = '3s'"
"""So that a node that is paused while it joins does not keep others from joining."""

STATE = """
SELECT c.epoch, coalesce(c.node, ''), n.id, n.address, n.version, n.oldest_protocol, n.newest_protocol, n.lease_us,
       n.draining, n.renewals
FROM coordinator c LEFT JOIN nodes n ON true
ORDER BY n.id COLLATE "C"
"""

# The columns are in the order of the fields of `Node`.
ADD = f"""
WITH added AS (
    INSERT INTO nodes (id, address, version, oldest_protocol, newest_protocol, lease_us, draining, renewals)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (id) DO UPDATE SET renewals = greatest(nodes.renewals, excluded.renewals)
    RETURNING id
)
SELECT pg_notify('{CHANNEL}', '') FROM added
"""

# A renewal that a crash of PostgreSQL undoes does no harm: the next one has a count that nobody has seen before, and no
# node compares counts from before the crash with later ones (`NodeWatch.restart`). Not waiting for the disk keeps
# renewals cheap. Nothing else here may be undone.
RENEW = f"""
WITH renewed AS (
    UPDATE nodes SET renewals = greatest(renewals, $2), renewed = clock_timestamp(), draining = $3
    WHERE id = $1
    RETURNING set_config('synchronous_commit', 'off', true)
), state AS ({STATE})
SELECT state.* FROM renewed, state
"""

REMOVE = f"""
WITH removed AS (DELETE FROM nodes WHERE id = $1 AND renewals = coalesce($2, renewals) RETURNING id)
SELECT pg_notify('{CHANNEL}', '') FROM removed
"""

ELECT = f"""
WITH elected AS (
    UPDATE coordinator SET node = $1, epoch = epoch + 1, elected = clock_timestamp() WHERE node IS NULL RETURNING epoch
)
SELECT pg_notify('{CHANNEL}', '') FROM elected
"""

RESIGN = f"""
WITH resigned AS (UPDATE coordinator SET node = NULL WHERE node = $1 RETURNING epoch)
SELECT pg_notify('{CHANNEL}', '') FROM resigned
"""

T = TypeVar("T")


class PostgresNodes(NodeStore):
    """For one event loop."""

    def __init__(self, database: PostgresDatabase) -> None:
        """`database` is open, and is closed after this."""
        self._database = database
        self._connection: Any = None
        self._lock = asyncio.Lock()
        self._listeners: list[Callable[[], None]] = []

    async def read(self) -> ClusterState:
        return await self._call(_read)

    async def join(self, node: Node) -> None:
        async def add(connection: Any) -> None:
            async with connection.transaction():
                await connection.execute("SELECT pg_advisory_xact_lock($1)", JOIN_LOCK)
                check_compatibility(node, (await _read(connection)).nodes)
                await connection.execute(ADD, *astuple(node))

        await self._call(add)

    async def renew(self, node_id: str, renewals: int, draining: bool) -> ClusterState | None:
        rows = await self._call(lambda connection: connection.fetch(RENEW, node_id, renewals, draining))
        return _state_of(rows) if rows else None

    async def remove(self, node: Node) -> bool:
        return bool(await self._call(lambda connection: connection.fetch(REMOVE, node.id, node.renewals)))

    async def leave(self, node_id: str) -> None:
        await self._call(lambda connection: connection.fetch(REMOVE, node_id, None))

    async def elect(self, node_id: str) -> bool:
        async def elect(connection: Any) -> bool:
            try:
                return bool(await connection.fetch(ELECT, node_id))
            except asyncpg.ForeignKeyViolationError:  # It is no member any more.
                return False

        return await self._call(elect)

    async def resign(self, node_id: str) -> None:
        await self._call(lambda connection: connection.fetch(RESIGN, node_id))

    def on_change(self, changed: Callable[[], None]) -> None:
        self._listeners.append(changed)

    async def close(self) -> None:
        """Close the connection."""
        connection, self._connection = self._connection, None
        if connection:
            with suppress(*BROKEN):
                await connection.close()

    async def _call(self, query: Callable[[Any], Awaitable[T]]) -> T:
        async with self._lock:
            try:
                if self._connection is None:
                    self._connection = await self._connect()
                return await query(self._connection)
            except IncompatibleNode:
                raise
            except BaseException as cause:
                if self._connection is not None:
                    self._connection.terminate()
                    self._connection = None
                if isinstance(cause, BROKEN):
                    raise unavailable(cause) from cause
                raise

    async def _connect(self) -> Any:
        connection: Any = await self._database.connect()
        try:
            await connection.execute(SET_UP)
            await connection.add_listener(CHANNEL, self._on_notification)
        except BaseException:
            connection.terminate()
            raise
        return connection

    def _on_notification(self, *_: object) -> None:
        for listener in self._listeners:
            listener()


async def _read(connection: Any) -> ClusterState:
    return _state_of(await connection.fetch(STATE))


def _state_of(rows: list[Any]) -> ClusterState:
    epoch, coordinator = rows[0][:2]
    return ClusterState(tuple(Node(*row[2:]) for row in rows if row[2] is not None), coordinator, epoch)
