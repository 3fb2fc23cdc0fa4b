"""The logs that keep the contract, and helpers for tests of them."""

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from referee.live.ports import EventLog
from referee.match.events import Event, MatchResumed
from referee.storage.memory import MemoryEventLog
from referee.storage.sqlite.database import Durability
from referee.storage.sqlite.event_log import SqliteEventLog

NOON_MS = 1_750_000_000_000


def at_noon() -> int:
    """Return a constant wall clock time."""
    return NOON_MS


Store = MemoryEventLog | SqliteEventLog
"""Event logs, each with its contest log."""

STORES: dict[str, Callable[[Path], Store]] = {
    "memory": lambda _: MemoryEventLog(at_noon),
    "sqlite full": lambda folder: SqliteEventLog(folder / "log.db", at_noon),
    "sqlite normal": lambda folder: SqliteEventLog(folder / "log.db", at_noon, Durability.NORMAL),
}

Story = Callable[[Store], Coroutine[Any, Any, None]]


def with_every_log(story: Story) -> Callable[[str, Path], None]:
    """Return a test that runs the coroutine with an empty log of each kind."""

    @pytest.mark.parametrize("store", STORES)
    def test(store: str, tmp_path: Path) -> None:
        tell(STORES[store](tmp_path), story)

    test.__name__ = story.__name__
    return test


def tell(log: Store, *stories: Story) -> None:
    """Run the coroutines one after the other, and close the log."""

    async def told() -> None:
        try:
            async with asyncio.timeout(60):  # A bug should fail the test, not block it.
                for story in stories:
                    await story(log)
        finally:
            await log.close()

    asyncio.run(told())


def stranger(path: Path) -> "closing[sqlite3.Connection]":
    """Open a connection to the same file, as another process would."""
    return closing(sqlite3.connect(path, isolation_level=None))


def note(number: int) -> Event:
    """Return a distinguishable event."""
    return MatchResumed(at_us=number, down_ms=number)


def notes(first: int, last: int) -> list[Event]:
    return [note(number) for number in range(first, last + 1)]


async def events_of(log: EventLog, match_id: str) -> list[Event]:
    return [entry.event for entry in await log.read(match_id)]
