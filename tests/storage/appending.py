"""A process that appends to a log until it is killed, and prints what was acknowledged as `match number` lines.

python -m tests.storage.appending LOG DURABILITY EVENTS_AT_ONCE [contest]

LOG is the path of a database of SQLite, or the URL of one of PostgreSQL, which has a durability of its own. With
`contest`, each append also writes as many entries of one contest.
"""

import asyncio
import sys
from pathlib import Path

from referee.live.ports import CoAppend
from referee.storage.sqlite.database import Durability
from referee.storage.sqlite.event_log import SqliteEventLog
from tests.storage.stores import LADDER, OwningPostgresLog, Store, matches_started, noon_ms, notes

MATCHES = ("a", "b", "c")
BEFORE_THE_NEXT = asyncio.Lock()
"""An append to the contest begins when the one before it has ended."""


async def append_until_killed(log: Store, match_id: str, at_once: int) -> None:
    last = len(await log.read(match_id))
    while True:
        await log.append(match_id, last, notes(last + 1, last + at_once))
        last = print_acknowledged(match_id, last + at_once)


async def append_both_until_killed(log: Store, match_id: str, at_once: int) -> None:
    last = 0
    while True:
        async with BEFORE_THE_NEXT:
            written = len(await log.contests.read(LADDER))
            co_append = CoAppend(LADDER, written, tuple(matches_started(written + 1, written + at_once)))
            await log.append(match_id, last, notes(last + 1, last + at_once), None, co_append)
        last = print_acknowledged(match_id, last + at_once)


def print_acknowledged(match_id: str, last: int) -> int:
    sys.stdout.write(f"{match_id} {last}\n")
    sys.stdout.flush()
    return last


async def main(where: str, durability: str, at_once: str, *contest: str) -> None:
    log: Store
    if "://" in where:
        log = OwningPostgresLog(where)
        await log.open()
    else:
        log = SqliteEventLog(Path(where), noon_ms, Durability(durability))
    append = append_both_until_killed if contest else append_until_killed
    await asyncio.gather(*(append(log, match_id, int(at_once)) for match_id in MATCHES))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
