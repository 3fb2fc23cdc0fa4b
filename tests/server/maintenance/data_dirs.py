"""Data directories for tests, as a server leaves them."""

import asyncio
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event as Signal
from threading import Thread

from referee_values import RoundRobin

from referee.contests.contest_entrant import EntrantJoined
from referee.hosting.contest_log import ContestEvent, LadderCreated, TournamentCreated
from referee.live.ports import Entry
from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import StartPlay, SubmitMove
from referee.match.events import Event, MatchCreated
from referee.records.signing_key import load_or_create
from referee.server.stores import DATABASE, KEY
from referee.storage.sqlite.event_log import SqliteEventLog
from tests.hosting.harness import cup_terms
from tests.hosting.ladder_harness import ladder_entrant, ladder_terms
from tests.records.matches import decided_events, nim_setup, short_match
from tests.storage.stores import NOON_MS, noon_ms, notes

DAY_MS = 86_400_000


def finished_match(match_id: str, **terms: object) -> list[Event]:
    """Return the events of a finished match of Nim."""
    return short_match(match_id=match_id, **terms)


def match_in_play(match_id: str) -> list[Event]:
    """Return the events of a match of Nim after one move."""
    move = SubmitMove(0, "0.0.1", "1", TurnMeasurement(1_010))
    return decided_events(nim_setup(match_id=match_id), (10, StartPlay()), (1_010, move))


def create_data_dir(data_dir: Path, *matches: Sequence[Event], at_ms: int = NOON_MS) -> Path:
    """Append these matches to the database of a data directory, created if missing, all at the time `at_ms`."""
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    load_or_create(data_dir / KEY)

    async def write() -> None:
        log = SqliteEventLog(data_dir / DATABASE, lambda: at_ms)
        for events in matches:
            opened = events[0]
            assert isinstance(opened, MatchCreated)
            await log.append(opened.setup.match_id, 0, events)
        await log.close()

    asyncio.run(write())
    return data_dir


def entries_in(data_dir: Path, match_ids: Iterable[str]) -> dict[str, list[Entry]]:
    async def read() -> dict[str, list[Entry]]:
        log = SqliteEventLog(data_dir / DATABASE, lambda: 0)
        try:
            return {match_id: await log.read(match_id) for match_id in match_ids}
        finally:
            await log.close()

    return asyncio.run(read())


def execute_sql(data_dir: Path, sql: str, *values: object) -> list[tuple[object, ...]]:
    """Run an SQL statement directly on the database, without the server's code."""
    with closing(sqlite3.connect(data_dir / DATABASE, isolation_level=None)) as connection:
        return connection.execute(sql, values).fetchall()


def flip_bit(file: Path, at: int = -1000) -> None:
    """Change one byte; by default, one near the end."""
    content = bytearray(file.read_bytes())
    content[at] ^= 1
    file.write_bytes(content)


def with_ladder(data_dir: Path, name: str) -> Path:
    """Add a ladder of Toc with two entrants to a data directory."""
    made = LadderCreated(name, name, "org", f"make {name}", bytes(32), ladder_terms("toc"))
    return _with(
        data_dir, f"ladder/{name}", made, *(EntrantJoined(ladder_entrant(bot, name=bot)) for bot in ("ada", "bob"))
    )


def with_tournament(data_dir: Path, name: str) -> Path:
    """Add a tournament without entrants to a data directory."""
    made = TournamentCreated(name, name, "org", f"make {name}", cup_terms(RoundRobin()), 0)
    return _with(data_dir, f"tournament/{name}", made)


def _with(data_dir: Path, contest: str, *events: ContestEvent) -> Path:
    async def write() -> None:
        log = SqliteEventLog(data_dir / DATABASE, lambda: NOON_MS)
        await log.contests.append(contest, 0, events)
        await log.close()

    asyncio.run(write())
    return data_dir


@contextmanager
def written_meanwhile(data_dir: Path, entries: int) -> Iterator[list[int]]:
    """Append this many entries at a time to the log of a match `busy`; yield their number so far, as the only item."""
    written, writing, stop = [0], Signal(), Signal()

    async def keep_writing() -> None:
        log = SqliteEventLog(data_dir / DATABASE, noon_ms)
        while not stop.is_set():
            await log.append("busy", written[0], notes(1, entries))
            written[0] += entries
            writing.set()
        await log.close()

    writer = Thread(target=asyncio.run, args=(keep_writing(),))
    writer.start()
    try:
        assert writing.wait(60)
        yield written
    finally:
        stop.set()
        writer.join(60)
