"""The logs that keep the contract, and what tests tell them."""

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from referee.app.ports import EventLog
from referee.core.events import Event, RefereeBack
from referee.storage.memory import MemoryEventLog
from referee.storage.sqlite import SqliteEventLog
from referee.storage.sqlite_file import Durability

NOON_MS = 1_750_000_000_000


def at_noon() -> int:
    """A wall clock that stands still."""
    return NOON_MS


Store = MemoryEventLog | SqliteEventLog
"""Each with the log of the contests beside it."""

STORES: dict[str, Callable[[Path], Store]] = {
    "memory": lambda _: MemoryEventLog(at_noon),
    "sqlite full": lambda folder: SqliteEventLog(folder / "log.db", at_noon),
    "sqlite normal": lambda folder: SqliteEventLog(folder / "log.db", at_noon, Durability.NORMAL),
}

Story = Callable[[Store], Coroutine[Any, Any, None]]


def with_every_log(story: Story) -> Callable[[str, Path], None]:
    """A test that tells its story to an empty log of every kind."""

    @pytest.mark.parametrize("store", STORES)
    def test(store: str, tmp_path: Path) -> None:
        tell(STORES[store](tmp_path), story)

    test.__name__ = story.__name__
    return test


def tell(log: Store, *stories: Story) -> None:
    """Tell the stories one after the other, and close the log."""

    async def told() -> None:
        try:
            async with asyncio.timeout(60):  # A mistake of ours is to fail, and not to hang.
                for story in stories:
                    await story(log)
        finally:
            await log.close()

    asyncio.run(told())


def stranger(path: Path) -> "closing[sqlite3.Connection]":
    """Another process's connection to the same file."""
    return closing(sqlite3.connect(path, isolation_level=None))


def note(number: int) -> Event:
    """An event that can be told from others."""
    return RefereeBack(at_us=number, down_ms=number)


def notes(first: int, last: int) -> list[Event]:
    return [note(number) for number in range(first, last + 1)]


async def events_of(log: EventLog, match_id: str) -> list[Event]:
    return [entry.event for entry in await log.read(match_id)]
