"""Cost of an event in the log, with one commit per event and with group commit: CPU time of all threads.

python -m bench.log
"""

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import click

from referee.live.ports import EventLog
from referee.match.clock import Clock
from referee.match.clock_charge import ClockCharge
from referee.match.events import MovePlayed, MoveSource
from referee.storage.codec import MATCH_CODEC
from referee.storage.memory import MemoryEventLog
from referee.storage.sqlite.database import Durability
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


async def measured_us(play: Callable[[EventLog], Awaitable[None]], log: EventLog) -> float:
    started = time.process_time()
    await play(log)
    return (time.process_time() - started) / EVENTS * 1e6


async def measure_log(name: str, log: EventLog) -> None:
    alone = await measured_us(one_by_one, log)
    grouped = await measured_us(in_groups, log)
    await log.close()
    click.echo(f"{name:14} {alone:6.1f} µs one by one, {grouped:6.1f} µs in groups of {AT_ONCE}: {alone / grouped:.1f}")


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
        f"{'codec':14} {(encoded - started) / EVENTS * 1e6:6.1f} µs to encode a move, "
        f"{(decoded - encoded) / EVENTS * 1e6:.1f} µs to decode it ({len(line)} characters)"
    )


def wall_ms() -> int:
    return time.time_ns() // 1_000_000


async def measure_logs(folder: Path) -> None:
    await measure_log("memory", MemoryEventLog(wall_ms))
    for durability in Durability:
        path = folder / f"{durability.value}.db"
        await measure_log(f"SQLite {durability.value}", SqliteEventLog(path, wall_ms, durability))


def main() -> None:
    measure_codec()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure_logs(Path(folder)))


if __name__ == "__main__":
    main()
