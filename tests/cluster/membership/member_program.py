"""A process that is a member of a cluster, and writes what it considers itself to be, many times a second.

python -m tests.cluster.membership.member_program NAME WALL_CLOCK_SHIFT_S

The URL of the database is the first line of its input. Each line that it writes is `time node epoch`: its monotonic
clock in microseconds, its id (`-`: it is no member), and the epoch in which it is the coordinator (0: it is not). The
clock is the same for all processes of a machine. At SIGTERM it resigns, leaves and ends.
"""

import asyncio
import logging
import signal
import sys
from collections.abc import Awaitable, Callable
from itertools import count

import structlog

from referee.cluster.membership.membership import Membership
from referee.cluster.membership.node_store import Node
from referee.cluster.membership.postgres_nodes import PostgresNodes
from referee.live.match_timing import LoopTime
from referee.live.ports import StoreUnavailable
from referee.match.clock import MS
from referee.storage.postgres.database import PostgresDatabase
from tests.cluster.changed_node import shift_wall_clock
from tests.cluster.membership.members import RecordingObserver

LEASE_US, RENEWAL_US = 1_000 * MS, 200 * MS
"""Short, so that many leases end while a test runs."""
INTERVAL_S = 0.01
RETRY_S = 0.05


async def main(url: str, name: str) -> None:
    database = PostgresDatabase(url, max_connections=1)
    await retry(database.open)
    nodes = PostgresNodes(database)
    time, numbers = LoopTime(), count(1)
    profile = Node("", f"{name}:1", "0.1.0", 1, 1, LEASE_US)
    membership = Membership(
        nodes, time, profile, RecordingObserver(), lambda: f"{name}.{next(numbers)}", renewal_us=RENEWAL_US
    )
    terminated = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, terminated.set)
    await retry(membership.open)
    writing = asyncio.create_task(write_states(membership, time))
    await terminated.wait()
    await membership.resign()
    await membership.close()
    await nodes.close()
    await database.close()
    writing.cancel()


async def retry(open_it: Callable[[], Awaitable[None]]) -> None:
    while True:
        try:
            return await open_it()
        except StoreUnavailable:
            await asyncio.sleep(RETRY_S)


async def write_states(membership: Membership, time: LoopTime) -> None:
    while True:
        sys.stdout.write(f"{describe(membership, time)}\n")
        sys.stdout.flush()
        await asyncio.sleep(INTERVAL_S)


def describe(membership: Membership, time: LoopTime) -> str:
    """The clock is read first: what is true when the membership looks at it later was true then too."""
    at_us = time.monotonic_us()
    node = membership.node.id if membership.node and membership.is_member_now() else "-"
    return f"{at_us} {node} {membership.status().epoch if membership.is_coordinator_now() else 0}"


if __name__ == "__main__":
    _, name, shift = sys.argv
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    shift_wall_clock(shift)
    asyncio.run(main(sys.stdin.readline().strip(), name))
