"""Several nodes with PostgreSQL and NATS, together with a load generator, and what each of them uses."""

import asyncio
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import asyncpg

from bench.crowd import crowd
from bench.figures import NotMeasured
from bench.measurement import Scope
from bench.process import cpu_s
from bench.stage import NO_QUOTAS, Stage, Work, open_bots
from deploy.cluster_demo.nats_server import NatsMissing, PrivateNats
from deploy.cluster_demo.postgres_server import PostgresMissing, PrivatePostgres, create_folder
from tests.e2e.server import create_organiser_token, run_server

NODES, POSTGRES, NATS = "nodes", "PostgreSQL", "NATS"


class SharedServers:
    """PostgreSQL, which syncs each commit to the disk as usual, and NATS."""

    def __init__(self, postgres: PrivatePostgres, nats: PrivateNats) -> None:
        self._postgres = postgres
        self._nats = nats
        self._numbers = count(1)

    async def create_database(self) -> str:
        """Create a database without tables, and return its URL."""
        name = f"bench_{next(self._numbers)}"
        await self._fetch(f"CREATE DATABASE {name}")
        return self._postgres.url(name)

    def create_flags(self, *, nats: bool) -> tuple[str, ...]:
        """Return flags of nodes that share a new database, and with NATS form a new cluster."""
        url = asyncio.run(self.create_database())
        flags = ("--database", url)
        if not nats:
            return flags
        access = ("--nats-credentials", str(self._nats.credentials_file), "--nats-cluster", url.rpartition("/")[2])
        return (*flags, "--nats", self._nats.url, *access)

    def postgres_cpu_s(self) -> float:
        """Return the CPU time of all processes of PostgreSQL. A connection must not end while it is compared."""
        parent = self._postgres.running_pid
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        return sum(_cpu_s_if_running(pid) for pid in (parent, *map(int, children)))

    def nats_cpu_s(self) -> float:
        return cpu_s(self._nats.running_pid)

    def written_bytes(self) -> int:
        """Return the size of the write-ahead log since PostgreSQL was set up."""
        return int(asyncio.run(self._fetch("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")))

    async def _fetch(self, statement: str) -> Any:
        connection = await asyncpg.connect(self._postgres.url())
        found = await connection.fetchval(statement)
        await connection.close()
        return found


def _cpu_s_if_running(pid: int) -> float:
    """Return the CPU time of a process; 0 if it has ended since it was listed, as autovacuum's do."""
    try:
        return cpu_s(pid)
    except OSError:
        return 0


@contextmanager
def run_shared_servers(folder: Path) -> Iterator[SharedServers]:
    """Run both, with files of NATS in `folder`. Raises NotMeasured if one of them is missing."""
    data = create_folder()
    try:
        with PrivatePostgres(data) as postgres, PrivateNats(folder) as nats:
            yield SharedServers(postgres, nats)
    except (PostgresMissing, NatsMissing) as why:
        raise NotMeasured(str(why)) from None
    finally:
        shutil.rmtree(data)


@dataclass(frozen=True, slots=True)
class ClusterStage(Stage):
    """Bots of a match are connected to different nodes."""

    pids: Sequence[int] = ()

    def cpu_s(self) -> float:
        return sum(map(cpu_s, self.pids))


@dataclass(frozen=True, slots=True)
class Use:
    """What one round of play used, for each move."""

    rate: float
    """Moves per second."""
    cpu_us: dict[str, float]
    written_bytes: float
    """Size of what PostgreSQL has written ahead."""


def use(stage: Stage, servers: SharedServers, matches: int, moves: int, seconds: float, rate: float = 0) -> Use:
    """Play in that many matches, which all bots have in common, and return what a move used."""
    stage.prepare(matches, moves)
    written, postgres, nats = servers.written_bytes(), servers.postgres_cpu_s(), servers.nats_cpu_s()
    cost = stage.cost(moves, seconds, rate)
    played = cost.played.moves
    parts = {
        NODES: cost.us_per_move,
        POSTGRES: (servers.postgres_cpu_s() - postgres) / played * 1e6,
        NATS: (servers.nats_cpu_s() - nats) / played * 1e6,
    }
    return Use(cost.played.rate, parts, (servers.written_bytes() - written) / played)


@contextmanager
def clustered(
    scope: Scope, name: str, work: Work, servers: SharedServers, nodes: int, *, nats: bool
) -> Iterator[Stage]:
    """Run nodes with default settings but without quotas, and connected bots. Without NATS there can be one only."""
    flags = servers.create_flags(nats=nats)
    with ExitStack() as stack:
        rooms = [scope.room(f"{name} {number}") for number in range(nodes)]
        running = [stack.enter_context(run_server(room, *NO_QUOTAS, *flags)) for room in rooms]
        with running[0].channel() as channel:
            secret = create_organiser_token(channel, running[0].admin_token)
        bots = stack.enter_context(crowd(",".join(node.address for node in running)))
        open_bots(scope, bots, work, secret)
        pids = [node.process.pid for node in running]
        yield ClusterStage(pids[0], running[0].address, bots, rooms[0], pids=pids)
