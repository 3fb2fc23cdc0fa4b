"""A process that appends to a log until it is killed, and prints what was acknowledged as `match number` lines.

python -m tests.storage.appending LOG DURABILITY EVENTS_AT_ONCE

LOG is the path of a database of SQLite, or the URL of one of PostgreSQL, which has a durability of its own.
"""

import asyncio
import sys
from pathlib import Path

from referee.live.ports import EventLog
from referee.storage.sqlite.database import Durability
from referee.storage.sqlite.event_log import SqliteEventLog
from tests.storage.stores import OwningPostgresLog, noon_ms, notes

MATCHES = ("a", "b", "c")


async def append_until_killed(log: EventLog, match_id: str, at_once: int) -> None:
    last = len(await log.read(match_id))
    while True:
        entries = await log.append(match_id, last, notes(last + 1, last + at_once))
        last = entries[-1].number
        sys.stdout.write(f"{match_id} {last}\n")
        sys.stdout.flush()


async def main(where: str, durability: str, at_once: str) -> None:
    log: EventLog
    if "://" in where:
        log = OwningPostgresLog(where)
        await log.open()
    else:
        log = SqliteEventLog(Path(where), noon_ms, Durability(durability))
    await asyncio.gather(*(append_until_killed(log, match_id, int(at_once)) for match_id in MATCHES))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
