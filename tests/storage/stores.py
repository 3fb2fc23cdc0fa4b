"""The logs that the contract suites run with, and helpers for tests of them."""

import asyncio
import inspect
import sqlite3
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path
from typing import Any, TypeVar

import pytest

from referee.contests.pairing import ContestMatchStarted
from referee.hosting.contest_log import ContestEvent, ContestLog
from referee.live.ports import EventLog
from referee.match.events import Event, RefereeRecovered
from referee.storage.postgres.database import PostgresDatabase
from referee.storage.postgres.event_log import PostgresEventLog
from referee.storage.sqlite.database import Durability, in_memory
from referee.storage.sqlite.event_log import SqliteEventLog

AnyStore = TypeVar("AnyStore")
NOON_MS = 1_750_000_000_000


def noon_ms() -> int:
    """Return a constant wall clock time."""
    return NOON_MS


class OwningPostgresLog(PostgresEventLog):
    """A log in PostgreSQL with a database object of its own, which `open` and `close` open and close."""

    def __init__(self, url: str, committed: Callable[[int], None] = lambda _: None, clock: str = str(NOON_MS)) -> None:
        self.database = PostgresDatabase(url)
        super().__init__(self.database, committed, clock)

    async def open(self) -> None:
        await self.database.open()

    async def close(self) -> None:
        await super().close()
        await self.database.close()


Store = SqliteEventLog | PostgresEventLog
"""Event logs, each with its contest log."""

IN_SQLITE: dict[str, Callable[[Path], Store]] = {
    "sqlite in memory": lambda _: SqliteEventLog(in_memory(), noon_ms),
    "sqlite full": lambda folder: SqliteEventLog(folder / "log.db", noon_ms),
    "sqlite normal": lambda folder: SqliteEventLog(folder / "log.db", noon_ms, Durability.NORMAL),
}

POSTGRES = "postgres"
STORES = (*IN_SQLITE, POSTGRES)


def empty_store(name: str, request: pytest.FixtureRequest) -> Store:
    """Return an empty log of one of the STORES."""
    if name == POSTGRES:
        return OwningPostgresLog(request.getfixturevalue("postgres_node_url"))
    return IN_SQLITE[name](request.getfixturevalue("tmp_path"))


@asynccontextmanager
async def opened(*objects: Any) -> AsyncIterator[None]:
    """Open those of the objects that are stores, also in lists, and close them at the end."""
    stores = [store for each in objects for store in (each if isinstance(each, list) else [each])]
    async with asyncio.timeout(180), AsyncExitStack() as stack:  # A bug should fail the test, not block it.
        for store in stores:
            if inspect.iscoroutinefunction(getattr(store, "close", None)):
                stack.push_async_callback(store.close)
            if inspect.iscoroutinefunction(getattr(store, "open", None)):
                await store.open()
        yield


def run_with_store(store: AnyStore, *coroutines: Callable[[AnyStore], Coroutine[Any, Any, None]]) -> None:
    """Open the store, run the coroutines one after the other, and close the store."""

    async def run_all() -> None:
        async with opened(store):
            for coroutine in coroutines:
                await coroutine(store)

    asyncio.run(run_all())


def other_connection(path: Path) -> "closing[sqlite3.Connection]":
    """Open a connection to the same file, as another process would."""
    return closing(sqlite3.connect(path, isolation_level=None))


def note(number: int) -> Event:
    """Return a distinguishable event."""
    return RefereeRecovered(at_us=number, downtime_ms=number)


def notes(first: int, last: int) -> list[Event]:
    return [note(number) for number in range(first, last + 1)]


async def events_of(log: EventLog, match_id: str) -> list[Event]:
    return [entry.event for entry in await log.read(match_id)]


LADDER = "ladder/main"


def match_started(number: int) -> ContestEvent:
    """Return a distinguishable event of a contest."""
    return ContestMatchStarted("main/1", number, 1, f"match {number}")


def matches_started(first: int, last: int) -> list[ContestEvent]:
    return [match_started(number) for number in range(first, last + 1)]


async def contest_events(log: ContestLog, contest: str = LADDER) -> list[ContestEvent]:
    return [entry.event for entry in await log.read(contest)]
