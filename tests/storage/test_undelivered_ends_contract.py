"""Promises of all stores of undelivered ends."""

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from referee.live.outbox import MatchEnded, UndeliveredEnds
from referee.live.ports import EventLog, LogUnavailable
from referee.match.events import Event, MatchCreated, PlayStarted, SeatTaken
from referee.match.setup import Player
from referee.storage.codec import MATCH_CODEC
from referee.storage.memory import MemoryEventLog, MemoryUndeliveredEnds
from referee.storage.sqlite.database import Durability, migrate, migrations
from referee.storage.sqlite.event_log import SELECT_UNDELIVERED_ENDS, SqliteEventLog, SqliteUndeliveredEnds
from referee.storage.sqlite.store import SqliteStore
from tests.live.runner_harness import terms
from tests.storage.examples import END
from tests.storage.stores import NOON_MS, at_noon, notes, stranger

ANNA, BERT, CARL, NOBODY = Player("anna", "1"), Player("bert", "1"), Player("carl", "2"), Player()


@dataclass(frozen=True)
class Shelf:
    log: EventLog
    undelivered: UndeliveredEnds
    close: Callable[[], Coroutine[Any, Any, None]]

    async def write(self, match_id: str, *events: Event) -> None:
        await self.log.append(match_id, len(await self.log.read(match_id)), events)

    async def over(self, match_id: str, *players: Player) -> None:
        await self.write(match_id, opened(match_id, *players), END)


def in_memory() -> Shelf:
    log = MemoryEventLog(at_noon)
    return Shelf(log, MemoryUndeliveredEnds(log), log.close)


def in_sqlite(path: Path) -> Shelf:
    log, store = SqliteEventLog(path, at_noon, Durability.NORMAL), SqliteStore(path, Durability.NORMAL, busy_ms=5_000)

    async def close() -> None:
        await log.close()
        await store.close()

    return Shelf(log, SqliteUndeliveredEnds(store), close)


LOGS_WITH_ENDS: dict[str, Callable[[Path], Shelf]] = {
    "memory": lambda _: in_memory(),
    "sqlite": lambda folder: in_sqlite(folder / "referee.db"),
}

Story = Callable[[Shelf], Coroutine[Any, Any, None]]


def with_every_shelf(story: Story) -> Callable[[str, Path], None]:
    @pytest.mark.parametrize("make", LOGS_WITH_ENDS)
    def test(make: str, tmp_path: Path) -> None:
        tell(LOGS_WITH_ENDS[make](tmp_path), story)

    test.__name__ = story.__name__
    return test


def tell(shelf: Shelf, story: Story) -> None:
    async def told() -> None:
        try:
            await story(shelf)
        finally:
            await shelf.close()

    asyncio.run(told())


def opened(match_id: str, *players: Player) -> Event:
    return MatchCreated(0, terms(match_id=match_id, players=players))


@with_every_shelf
async def test_each_bot_is_to_hear_of_the_end_of_its_matches_and_of_no_others(shelf: Shelf) -> None:
    await shelf.over("m1", ANNA, BERT)
    await shelf.write("m2", opened("m2", ANNA, BERT))
    await shelf.over("m3", CARL, ANNA)
    assert await shelf.undelivered.list_for("anna", 10) == [MatchEnded("m1", 0), MatchEnded("m3", 1)]
    assert await shelf.undelivered.list_for("bert", 10) == [MatchEnded("m1", 1)]
    assert await shelf.undelivered.list_for("nobody", 10) == []
    await shelf.write("m2", END)
    assert await shelf.undelivered.list_for("bert", 10) == [MatchEnded("m1", 1), MatchEnded("m2", 1)]


@with_every_shelf
async def test_what_was_heard_is_not_told_again_and_the_others_still_are(shelf: Shelf) -> None:
    for match_id in ("m1", "m2"):
        await shelf.over(match_id, ANNA, BERT)
    for _ in range(2):
        ends = [MatchEnded("m1", 0), MatchEnded("m2", 1), MatchEnded("no such match", 0)]
        await shelf.undelivered.mark_delivered(ends)
    assert await shelf.undelivered.list_for("anna", 10) == [MatchEnded("m2", 0)]
    assert await shelf.undelivered.list_for("bert", 10) == [MatchEnded("m1", 1)]
    await shelf.undelivered.mark_delivered([MatchEnded("m2", 0)])
    assert await shelf.undelivered.list_for("anna", 10) == []


@with_every_shelf
async def test_who_sits_where_is_what_the_log_says_last(shelf: Shelf) -> None:
    await shelf.write("m1", opened("m1", ANNA, NOBODY), SeatTaken(1, 1, CARL), PlayStarted(2, (CARL, ANNA)), END)
    await shelf.write("m2", opened("m2", NOBODY, NOBODY), SeatTaken(1, 1, CARL), END)
    assert await shelf.undelivered.list_for("anna", 10) == [MatchEnded("m1", 1)]
    assert await shelf.undelivered.list_for("carl", 10) == [MatchEnded("m1", 0), MatchEnded("m2", 1)]


@with_every_shelf
async def test_a_bot_that_sits_on_both_sides_is_to_hear_of_both(shelf: Shelf) -> None:
    await shelf.over("m1", ANNA, ANNA)
    assert await shelf.undelivered.list_for("anna", 10) == [MatchEnded("m1", 0), MatchEnded("m1", 1)]
    await shelf.undelivered.mark_delivered([MatchEnded("m1", 0)])
    assert await shelf.undelivered.list_for("anna", 10) == [MatchEnded("m1", 1)]


@with_every_shelf
async def test_of_many_ends_the_newest_come_first_in_line(shelf: Shelf) -> None:
    for number in range(5):
        await shelf.over(f"m{number}", ANNA, BERT)
    assert await shelf.undelivered.list_for("anna", 2) == [MatchEnded("m3", 0), MatchEnded("m4", 0)]


def test_an_end_and_the_log_that_tells_of_it_are_written_together(tmp_path: Path) -> None:
    async def lost(shelf: Shelf) -> None:
        with stranger(tmp_path / "referee.db") as connection:
            connection.execute("DROP TABLE undelivered_ends")
        with pytest.raises(LogUnavailable):
            await shelf.over("m1", ANNA, BERT)
        assert await shelf.log.read("m1") == []

    tell(in_sqlite(tmp_path / "referee.db"), lost)


def test_a_file_from_before_there_were_such_ends_is_read_and_its_matches_end_for_all(tmp_path: Path) -> None:
    path = tmp_path / "referee.db"
    with stranger(path) as older:
        migrate(older, migrations()[:3])
        write_as_ever(older, "over", opened("over", ANNA, BERT), END)
        write_as_ever(older, "waits", opened("waits", ANNA, NOBODY))
        write_as_ever(older, "taken", opened("taken", NOBODY, BERT), SeatTaken(1, 0, BERT), SeatTaken(2, 0, CARL))
        write_as_ever(older, "plays", opened("plays", ANNA, BERT), PlayStarted(1, (BERT, ANNA)), *notes(3, 4))

    async def ends(shelf: Shelf) -> None:
        assert [entry.request for entry in await shelf.log.read("over")] == [None, None]
        assert await shelf.undelivered.list_for("anna", 10) == []
        for match_id in ("waits", "taken", "plays"):
            await shelf.write(match_id, END)
        assert await shelf.undelivered.list_for("anna", 10) == [MatchEnded("waits", 0), MatchEnded("plays", 1)]
        assert await shelf.undelivered.list_for("bert", 10) == [MatchEnded("taken", 1), MatchEnded("plays", 0)]
        assert await shelf.undelivered.list_for("carl", 10) == [MatchEnded("taken", 0)]

    tell(in_sqlite(path), ends)


def write_as_ever(file: sqlite3.Connection, match_id: str, *events: Event) -> None:
    """Write events as the first release did."""
    over = events[-1] == END
    match = file.execute("INSERT INTO matches (match_id, over) VALUES (?, ?)", (match_id, over)).lastrowid
    rows = [(match, number, NOON_MS, MATCH_CODEC.encode(event)) for number, event in enumerate(events, 1)]
    file.executemany("INSERT INTO entries (match, number, at_ms, line) VALUES (?, ?, ?, ?)", rows)


def test_ends_of_a_bot_have_an_index(tmp_path: Path) -> None:
    tell(in_sqlite(tmp_path / "referee.db"), lambda shelf: shelf.undelivered.mark_delivered([]))
    with stranger(tmp_path / "referee.db") as connection:
        plan = [row[-1] for row in connection.execute(f"EXPLAIN QUERY PLAN {SELECT_UNDELIVERED_ENDS}", ("anna", 5))]
    assert any("undelivered_ends_of_bot" in step for step in plan)
    assert not any("SCAN" in step for step in plan)
