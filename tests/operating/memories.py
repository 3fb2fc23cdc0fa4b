"""Data directories for tests, as a referee leaves them."""

import asyncio
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

from referee.app.contests.events import ContestEvent, LadderMade, TournamentMade
from referee.app.ports import Entry
from referee.contest.formats import RoundRobin
from referee.contest.ladder_events import Joined
from referee.core.commands import Begin, SubmitMove
from referee.core.events import Event, Opened
from referee.core.row import Measured
from referee.storage.record.keys import load_or_create
from referee.storage.sqlite import SqliteEventLog
from referee.wiring.books import DATABASE, KEY
from tests.app.contests.ladder_stage import climber, ladder_terms
from tests.app.contests.stage import terms
from tests.storage.record.matches import happened, nim_setup, short_match
from tests.storage.stores import NOON_MS

DAY_MS = 86_400_000


def finished(match_id: str, **terms: object) -> list[Event]:
    """A match of Nim that is over."""
    return short_match(match_id=match_id, **terms)


def going_on(match_id: str) -> list[Event]:
    """A match of Nim after one move."""
    move = SubmitMove(0, "0.0.1", "1", Measured(1_010))
    return happened(nim_setup(match_id=match_id), (10, Begin()), (1_010, move))


def remembered(data_dir: Path, *matches: Sequence[Event], at_ms: int = NOON_MS) -> Path:
    """A data directory with these matches in it, beside those that were there; all written at one moment."""
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    load_or_create(data_dir / KEY)

    async def write() -> None:
        log = SqliteEventLog(data_dir / DATABASE, lambda: at_ms)
        for events in matches:
            opened = events[0]
            assert isinstance(opened, Opened)
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


def tell(data_dir: Path, sql: str, *values: object) -> list[tuple[object, ...]]:
    """Say something to the database itself, as a stranger might."""
    with closing(sqlite3.connect(data_dir / DATABASE, isolation_level=None)) as connection:
        return connection.execute(sql, values).fetchall()


def scribble(file: Path, at: int = -1000) -> None:
    """Change one byte; by default, one near the end."""
    content = bytearray(file.read_bytes())
    content[at] ^= 1
    file.write_bytes(content)


def with_ladder(data_dir: Path, name: str) -> Path:
    """A ladder of Toc that two have joined, beside what was there."""
    made = LadderMade(name, name, "org", f"make {name}", bytes(32), ladder_terms("toc"))
    return _with(data_dir, f"ladder/{name}", made, *(Joined(climber(bot, name=bot)) for bot in ("ada", "bob")))


def with_tournament(data_dir: Path, name: str) -> Path:
    """A tournament that nobody has entered, beside what was there."""
    made = TournamentMade(name, name, "org", f"make {name}", terms(RoundRobin()), 0)
    return _with(data_dir, f"tournament/{name}", made)


def _with(data_dir: Path, contest: str, *events: ContestEvent) -> Path:
    async def write() -> None:
        log = SqliteEventLog(data_dir / DATABASE, lambda: NOON_MS)
        await log.contests.append(contest, 0, events)
        await log.close()

    asyncio.run(write())
    return data_dir
