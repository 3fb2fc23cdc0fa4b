"""Archive: writes old matches as record files and removes them from the database, while a server may be running.

A match is removed after its record has been verified and is on the disk, in a small transaction of its own, so that
moves do not wait for long. Its row stays without entries: its id cannot be used again, and a request for the match is
answered with the error that it is archived.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from referee.contests.tournament.events import ScoreCorrected, TournamentEnded
from referee.hosting.contest_log import TOURNAMENT, ContestEntry, ContestLog, UnreadableContest
from referee.live.match_request import MAKER
from referee.live.ports import UNREADABLE, Entry, LogDamaged, StoreUnavailable
from referee.match.events import MatchCreated
from referee.records.record_format import format_record
from referee.records.record_reader import RecordStatus
from referee.records.signing_key import KeyUnusable, load, public_hex
from referee.records.verify import verify
from referee.server.maintenance.data_dir import MaintenanceError, fsync, require_data_dir
from referee.server.maintenance.integrity_check import FindGame
from referee.server.maintenance.migrate import require_current_schema
from referee.server.stores import DATABASE, KEY
from referee.storage.sql import SqlConnection
from referee.storage.sqlite.database import ARCHIVE_LOCK, DataDirLock, Durability
from referee.storage.sqlite.event_log import SqliteEventLog
from referee.storage.sqlite.store import SqliteStore

SELECT_OVER_BEFORE = """
    SELECT match_id
    FROM matches JOIN entries USING (match)
    WHERE over = 1
        AND number = (SELECT max(number) FROM entries AS others WHERE others.match = matches.match)
        AND at_ms < $1
    ORDER BY match
"""

OF_MATCH = "match = (SELECT match FROM matches WHERE match_id = $1 AND over = 1)"

FREE_BYTES = "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size"


@dataclass(frozen=True, slots=True)
class ArchivedMatch:
    """Result of archiving one match."""

    match_id: str
    kept_because: str
    """Why it is still in the database; empty if it was archived and removed."""


@dataclass(frozen=True, slots=True)
class ArchiveResult:
    """Result of archiving."""

    removed: int
    """Number of matches that were archived and removed."""
    kept: tuple[ArchivedMatch, ...]
    free_bytes: int
    """Free space within the database file."""


def archive(data_dir: Path, before_ms: int, to: Path, find_game: FindGame) -> ArchiveResult:
    """Write every match that ended before `before_ms` as a record into the folder `to`, and remove it.

    Raises MaintenanceError. Matches that were archived until then stay archived, and the command can be repeated.
    """
    require_data_dir(data_dir)
    require_current_schema(data_dir / DATABASE)
    try:
        to.mkdir(0o700, parents=True, exist_ok=True)
        key = load(data_dir / KEY)
        with DataDirLock(data_dir, ARCHIVE_LOCK):
            return asyncio.run(_archive(data_dir / DATABASE, before_ms, _RecordFolder(to, key, find_game)))
    except (OSError, StoreUnavailable, KeyUnusable) as why:
        raise MaintenanceError(f"archiving stopped: {why}") from None


async def _archive(database: Path, before_ms: int, folder: "_RecordFolder") -> ArchiveResult:
    log = SqliteEventLog(database, lambda: time.time_ns() // 1_000_000)
    # After a power cut, matches may have to be removed again; moves do not wait for an fsync.
    store = SqliteStore(database, Durability.NORMAL)
    try:
        old = [match async for match in _each(log, store, before_ms, folder)]
        free_bytes = await store.read(lambda connection: connection.fetchval(FREE_BYTES))
    finally:
        await store.close()
        await log.close()
    kept = tuple(match for match in old if match.kept_because)
    return ArchiveResult(len(old) - len(kept), kept, free_bytes)


async def _each(
    log: SqliteEventLog, store: SqliteStore, before_ms: int, folder: "_RecordFolder"
) -> AsyncIterator[ArchivedMatch]:
    active = await _active_tournaments(log.contests)
    for (match_id,) in await store.read(lambda connection: connection.fetch(SELECT_OVER_BEFORE, before_ms)):
        reason = await _keep_reason(log, match_id, active, folder)
        if not reason:
            await store.write(partial(_remove, match_id))
        yield ArchivedMatch(match_id, reason)


async def _keep_reason(log: SqliteEventLog, match_id: str, active: Collection[str], folder: "_RecordFolder") -> str:
    """Write the record; return why the match must be kept, or an empty text."""
    try:
        entries = await log.read(match_id)
        return _needed_by(entries[0], active) or folder.write(entries)
    except (OSError, StoreUnavailable):
        raise
    except LogDamaged as why:
        return str(why)
    except Exception as why:  # A damaged log can cause any exception; the other matches are still archived.
        return f"{type(why).__name__}: {why}"


async def _active_tournaments(contests: ContestLog) -> set[str]:
    last_entries = await contests.last_entries(TOURNAMENT)
    return {last.contest for last in last_entries if not await _is_over(contests, last)}


async def _is_over(contests: ContestLog, last: ContestEntry | UnreadableContest) -> bool:
    """Return whether the tournament with this last entry is over; only corrections follow the end."""
    if not isinstance(last, ContestEntry):
        return False
    if isinstance(last.event, ScoreCorrected):
        return any(isinstance(entry.event, TournamentEnded) for entry in await contests.read(last.contest))
    return isinstance(last.event, TournamentEnded)


def _needed_by(opening: Entry, active: Collection[str]) -> str:
    """Return why the match is still needed, or an empty text: an active tournament may read its matches."""
    if not isinstance(opening.event, MatchCreated):
        raise LogDamaged(opening.match_id, 1, UNREADABLE)
    maker = dict(opening.event.setup.labels).get(MAKER, "")
    return f"{maker} is not over" if maker in active else ""


async def _remove(match_id: str, connection: SqlConnection) -> None:
    for table in ("undelivered_ends", "match_seats", "match_summaries", "entries"):
        await connection.change(f"DELETE FROM {table} WHERE {OF_MATCH}", match_id)


class _RecordFolder:
    """Writes records into a folder."""

    def __init__(self, folder: Path, key: Ed25519PrivateKey, find_game: FindGame) -> None:
        self._folder = folder
        self._key = key
        self._find_game = find_game

    def write(self, entries: Sequence[Entry]) -> str:
        """Write the record of a match; return why it is invalid, or an empty text. Raises OSError or LogDamaged."""
        record = b"".join(format_record(entries, self._key, version("referee")))
        file = self._folder / f"{entries[0].match_id}.jsonl"
        part = file.with_suffix(".part")
        part.write_bytes(record)
        verdict = verify(part, public_hex(self._key), self._find_game)
        if verdict.status is not RecordStatus.FINE:
            part.unlink()
            return str(verdict)
        fsync(part)
        part.rename(file)
        fsync(self._folder)
        return ""
