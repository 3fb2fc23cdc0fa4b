"""Archiving: old matches become records in files, and leave the database, while a server uses it.

A match leaves only when its record is on the disk and has been verified, and by a small transaction of its own, so
that no move waits for many. Its row stays, without entries: nobody can make the same match again, and whoever asks
for it is told that it is archived.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from sqlite3 import Connection

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from referee.app.contests.log import TOURNAMENT, ContestEntry, ContestLog
from referee.app.faults import UNREADABLE, LogDamaged
from referee.app.ports import Entry, LogUnavailable
from referee.app.wish import MAKER
from referee.contest.tournament_events import Ended
from referee.core.events import Opened
from referee.operating.filling import synced
from referee.operating.memory import need_current, need_memory
from referee.operating.not_done import NotDone
from referee.operating.proving import FindGame
from referee.storage.clerk import Clerk
from referee.storage.data_lock import ARCHIVE_LOCK, DataDirLock
from referee.storage.record.keys import KeyUnusable, load, public_hex
from referee.storage.record.verdict import Status
from referee.storage.record.verifying import verify
from referee.storage.record.writing import written
from referee.storage.sqlite import SqliteEventLog
from referee.storage.sqlite_file import Durability
from referee.wiring.books import DATABASE, KEY

OVER_BEFORE = """
    SELECT match_id
    FROM matches JOIN entries USING (match)
    WHERE over = 1
        AND number = (SELECT max(number) FROM entries AS others WHERE others.match = matches.match)
        AND at_ms < ?
    ORDER BY match
"""

OF_MATCH = "match = (SELECT match FROM matches WHERE match_id = ? AND over = 1)"

FREE_BYTES = "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size"


@dataclass(frozen=True, slots=True)
class Old:
    """What became of one old match."""

    match_id: str
    stays: str
    """Why it is still in the database; empty: its record is in the folder, and it has left."""


@dataclass(frozen=True, slots=True)
class Archived:
    left: int
    stayed: tuple[Old, ...]
    free_bytes: int
    """Within the file of the database: for what comes."""


def archive(data_dir: Path, before_ms: int, to: Path, find_game: FindGame) -> Archived:
    """Write every match that was over before that moment as a record into the folder `to`, and remove it.

    Raises NotDone; what was done until then stays done, and can be gone on with.
    """
    need_memory(data_dir)
    need_current(data_dir / DATABASE)
    try:
        to.mkdir(0o700, parents=True, exist_ok=True)
        key = load(data_dir / KEY)
        with DataDirLock(data_dir, ARCHIVE_LOCK):
            return asyncio.run(_archive(data_dir / DATABASE, before_ms, _Shelf(to, key, find_game)))
    except (OSError, LogUnavailable, KeyUnusable) as why:
        raise NotDone(f"the archive is not complete: {why}") from None


async def _archive(database: Path, before_ms: int, shelf: "_Shelf") -> Archived:
    log = SqliteEventLog(database, lambda: time.time_ns() // 1_000_000)
    # It may be removed again after a power cut, and no move waits for this to be on the disk.
    clerk = Clerk(database, Durability.NORMAL)
    try:
        old = [one async for one in _each(log, clerk, before_ms, shelf)]
        free_bytes = await clerk.read(lambda file: int(file.execute(FREE_BYTES).fetchone()[0]))
    finally:
        await clerk.close()
        await log.close()
    stayed = tuple(one for one in old if one.stays)
    return Archived(len(old) - len(stayed), stayed, free_bytes)


async def _each(log: SqliteEventLog, clerk: Clerk, before_ms: int, shelf: "_Shelf") -> AsyncIterator[Old]:
    going_on = await _tournaments_going_on(log.contests)
    for match_id in await clerk.read(lambda file: [row[0] for row in file.execute(OVER_BEFORE, (before_ms,))]):
        stays = await _why_it_stays(log, match_id, going_on, shelf)
        if not stays:
            await clerk.write(partial(_remove, match_id))
        yield Old(match_id, stays)


async def _why_it_stays(log: SqliteEventLog, match_id: str, going_on: Collection[str], shelf: "_Shelf") -> str:
    """Empty: it can leave, for its record is in the folder."""
    try:
        entries = await log.read(match_id)
        return _needed(entries[0], going_on) or shelf.trouble_with(entries)
    except (OSError, LogUnavailable):
        raise
    except LogDamaged as why:
        return str(why)
    except Exception as why:  # What a damaged log tells may be anything, and concerns no other match.
        return f"{type(why).__name__}: {why}"


async def _tournaments_going_on(contests: ContestLog) -> set[str]:
    lasts = await contests.lasts(TOURNAMENT)
    over = {last.contest for last in lasts if isinstance(last, ContestEntry) and isinstance(last.event, Ended)}
    return {last.contest for last in lasts} - over


def _needed(opening: Entry, going_on: Collection[str]) -> str:
    """Why the match cannot leave yet; empty: it can. A tournament may still have to look at its matches."""
    if not isinstance(opening.event, Opened):
        raise LogDamaged(opening.match_id, 1, UNREADABLE)
    maker = dict(opening.event.setup.labels).get(MAKER, "")
    return f"{maker} is not over" if maker in going_on else ""


def _remove(match_id: str, file: Connection) -> None:
    for table in ("unheard_ends", "match_seats", "match_summaries", "entries"):
        file.execute(f"DELETE FROM {table} WHERE {OF_MATCH}", (match_id,))


class _Shelf:
    """A folder of records."""

    def __init__(self, folder: Path, key: Ed25519PrivateKey, find_game: FindGame) -> None:
        self._folder = folder
        self._key = key
        self._find_game = find_game

    def trouble_with(self, entries: Sequence[Entry]) -> str:
        """Have the record of a match in the folder; why it is no proof. Raises OSError or LogDamaged."""
        record = b"".join(written(entries, self._key, version("referee")))
        file = self._folder / f"{entries[0].match_id}.jsonl"
        part = file.with_suffix(".part")
        part.write_bytes(record)
        verdict = verify(part, public_hex(self._key), self._find_game)
        if verdict.status is not Status.FINE:
            part.unlink()
            return str(verdict)
        synced(part)
        part.rename(file)
        synced(self._folder)
        return ""
