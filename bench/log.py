"""Cost of an event in the log, with one commit per event and with group commit: CPU time of all threads.

For PostgreSQL, that of its server is written as well.

python -m bench.log
"""

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import click

from bench.cluster_stage import SharedServers, run_shared_servers
from referee.live.ports import EventLog
from referee.match.clock import Clock
from referee.match.clock_charge import ClockCharge
from referee.match.events import MovePlayed, MoveSource
from referee.storage.codec import MATCH_CODEC
from referee.storage.postgres.database import PostgresDatabase
from referee.storage.postgres.event_log import PostgresEventLog
from referee.storage.sqlite.database import Durability, in_memory
from referee.storage.sqlite.event_log import SqliteEventLog

EVENTS = 10_000
AT_ONCE = 100
ROW = ClockCharge(1_000_000, 1_250_000, 3_000, 3_000, 10, 246_990, Clock(60_000_000), Clock(59_753_010), late=False)
MOVE = MovePlayed(1_250_000, 1, "17.1.3f9a52c07b1d", "c3-d4", MoveSource.BOT, ROW, "request 17")


async def one_by_one(log: EventLog) -> None:
    for number in range(EVENTS):
        await log.append("one by one", number, [MOVE])


async def in_groups(log: EventLog) -> None:
    for number in range(EVENTS // AT_ONCE):
        await asyncio.gather(*(log.append(f"match {match}", number, [MOVE]) for match in range(AT_ONCE)))


async def measured_us(play: Callable[[EventLog], Awaitable[None]], log: EventLog, cpu_s: Callable[[], float]) -> float:
    started = cpu_s()
    await play(log)
    return (cpu_s() - started) / EVENTS * 1e6


async def measure_log(name: str, log: EventLog, cpu_s: Callable[[], float] = time.process_time) -> None:
    alone = await measured_us(one_by_one, log, cpu_s)
    grouped = await measured_us(in_groups, log, cpu_s)
    click.echo(f"{name:24} {alone:6.1f} µs one by one, {grouped:6.1f} µs in groups of {AT_ONCE}: {alone / grouped:.1f}")


def measure_codec() -> None:
    line = MATCH_CODEC.encode(MOVE)
    started = time.process_time()
    for _ in range(EVENTS):
        MATCH_CODEC.encode(MOVE)
    encoded = time.process_time()
    for _ in range(EVENTS):
        MATCH_CODEC.decode(line)
    decoded = time.process_time()
    click.echo(
        f"{'codec':24} {(encoded - started) / EVENTS * 1e6:6.1f} µs to encode a move, "
        f"{(decoded - encoded) / EVENTS * 1e6:.1f} µs to decode it ({len(line)} characters)"
    )


def wall_ms() -> int:
    return time.time_ns() // 1_000_000


async def measure_logs(folder: Path) -> None:
    await measure_log("SQLite in memory", SqliteEventLog(in_memory(), wall_ms))
    for durability in Durability:
        path = folder / f"{durability.value}.db"
        log = SqliteEventLog(path, wall_ms, durability)
        await measure_log(f"SQLite {durability.value}", log)
        await log.close()


async def measure_postgres(servers: SharedServers) -> None:
    for name, cpu_s in (("PostgreSQL, client", time.process_time), ("PostgreSQL, server", servers.postgres_cpu_s)):
        database = PostgresDatabase(await servers.create_database())
        await database.open()
        log = PostgresEventLog(database)
        await log.heads(["any"])  # So that no connection is opened or closed while it is measured.
        await measure_log(name, log, cpu_s)
        await log.close()
        await database.close()


def main() -> None:
    measure_codec()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure_logs(Path(folder)))
        with run_shared_servers(Path(folder)) as servers:
            asyncio.run(measure_postgres(servers))


if __name__ == "__main__":
    main()
