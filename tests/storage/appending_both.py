"""A process that appends to matches, with a co-append to one contest, until it is killed.

python -m tests.storage.appending_both PATH
"""

import asyncio
import sys
from pathlib import Path

from referee.live.ports import CoAppend
from referee.storage.sqlite.event_log import SqliteEventLog
from tests.storage.contests import LADDER, matches_started
from tests.storage.stores import noon_ms, notes

MATCHES = ("a", "b", "c")
AT_ONCE = 40
"""Events of a match, and of the contest, in one transaction: enough to fill some pages."""


async def append_until_killed(log: SqliteEventLog, match_id: str, contest: asyncio.Lock) -> None:
    last = 0
    while True:
        async with contest:
            written = len(await log.contests.read(LADDER))
            co_append = CoAppend(LADDER, written, tuple(matches_started(written + 1, written + AT_ONCE)))
            await log.append(match_id, last, notes(last + 1, last + AT_ONCE), None, co_append)
        last += AT_ONCE
        sys.stdout.write(f"{match_id} {last}\n")
        sys.stdout.flush()


async def main(path: str) -> None:
    log, contest = SqliteEventLog(Path(path), noon_ms), asyncio.Lock()
    await asyncio.gather(*(append_until_killed(log, match_id, contest) for match_id in MATCHES))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
