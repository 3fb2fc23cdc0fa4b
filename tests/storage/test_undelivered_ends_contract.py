"""Contract of all stores of undelivered ends."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from referee.live.outbox import MatchEnded, UndeliveredEnds
from referee.live.ports import EventLog, StoreUnavailable
from referee.match.events import Event, MatchCreated, PlayStarted, SeatTaken, SeatVacated
from referee.match.setup import Player
from referee.storage.sqlite.connection import run_to_end
from referee.storage.sqlite.database import Durability, Place, in_memory
from referee.storage.sqlite.event_log import SqliteEventLog
from referee.storage.sqlite.store import SqliteStore
from referee.storage.stored_undelivered_ends import SELECT_UNDELIVERED_ENDS, StoredUndeliveredEnds
from tests.live.runner_harness import match_setup
from tests.storage.examples import END
from tests.storage.stores import OwningPostgresLog, noon_ms, opened, other_connection

ANNA, BERT, CARL, OPEN_SEAT = Player("anna", "1"), Player("bert", "1"), Player("carl", "2"), Player()


@dataclass(frozen=True)
class MatchStores:
    log: EventLog
    undelivered: UndeliveredEnds
    close: Callable[[], Coroutine[Any, Any, None]]
    open: Callable[[], Coroutine[Any, Any, None]] | None = None

    async def write(self, match_id: str, *events: Event) -> None:
        await self.log.append(match_id, len(await self.log.read(match_id)), events)

    async def finish(self, match_id: str, *players: Player) -> None:
        await self.write(match_id, match_created(match_id, *players), END)


def in_sqlite(path: Place) -> MatchStores:
    log, store = SqliteEventLog(path, noon_ms, Durability.NORMAL), SqliteStore(path, Durability.NORMAL, busy_ms=5_000)

    async def close() -> None:
        await log.close()
        await store.close()

    return MatchStores(log, StoredUndeliveredEnds(store), close)


def in_postgres(url: str) -> MatchStores:
    log = OwningPostgresLog(url)
    return MatchStores(log, StoredUndeliveredEnds(log.database), log.close, log.open)


LOGS_WITH_ENDS: dict[str, Callable[[pytest.FixtureRequest], MatchStores]] = {
    "memory": lambda _: in_sqlite(in_memory()),
    "sqlite": lambda request: in_sqlite(request.getfixturevalue("tmp_path") / "referee.db"),
    "postgres": lambda request: in_postgres(request.getfixturevalue("postgres_node_url")),
}


@pytest.fixture(params=LOGS_WITH_ENDS)
def stores(request: pytest.FixtureRequest) -> MatchStores:
    return LOGS_WITH_ENDS[request.param](request)


def match_created(match_id: str, *players: Player) -> Event:
    return MatchCreated(0, match_setup(match_id=match_id, players=players))


async def test_each_bot_has_the_ends_of_its_own_matches_only(stores: MatchStores) -> None:
    await stores.finish("m1", ANNA, BERT)
    await stores.write("m2", match_created("m2", ANNA, BERT))
    await stores.finish("m3", CARL, ANNA)
    assert await stores.undelivered.list_for("anna", 10) == [MatchEnded("m1", 0), MatchEnded("m3", 1)]
    assert await stores.undelivered.list_for("bert", 10) == [MatchEnded("m1", 1)]
    assert await stores.undelivered.list_for("nobody", 10) == []
    await stores.write("m2", END)
    assert await stores.undelivered.list_for("bert", 10) == [MatchEnded("m1", 1), MatchEnded("m2", 1)]


async def test_a_delivered_end_is_removed_and_the_others_remain(stores: MatchStores) -> None:
    for match_id in ("m1", "m2"):
        await stores.finish(match_id, ANNA, BERT)
    for _ in range(2):
        ends = [MatchEnded("m1", 0), MatchEnded("m2", 1), MatchEnded("no such match", 0)]
        await stores.undelivered.mark_delivered(ends)
    assert await stores.undelivered.list_for("anna", 10) == [MatchEnded("m2", 0)]
    assert await stores.undelivered.list_for("bert", 10) == [MatchEnded("m1", 1)]
    await stores.undelivered.mark_delivered([MatchEnded("m2", 0)])
    assert await stores.undelivered.list_for("anna", 10) == []


async def test_the_latest_seat_assignment_in_the_log_counts(stores: MatchStores) -> None:
    await stores.write(
        "m1", match_created("m1", ANNA, OPEN_SEAT), SeatTaken(1, 1, CARL), PlayStarted(2, (CARL, ANNA)), END
    )
    await stores.write("m2", match_created("m2", OPEN_SEAT, OPEN_SEAT), SeatTaken(1, 1, CARL), END)
    assert await stores.undelivered.list_for("anna", 10) == [MatchEnded("m1", 1)]
    assert await stores.undelivered.list_for("carl", 10) == [MatchEnded("m1", 0), MatchEnded("m2", 1)]


async def test_a_bot_that_was_withdrawn_before_play_does_not_get_the_end(stores: MatchStores) -> None:
    await stores.write("m1", match_created("m1", ANNA, BERT), SeatVacated(1, 0), END)
    await stores.write("m2", match_created("m2", ANNA, BERT), SeatVacated(1, 0), SeatTaken(2, 0, CARL), END)
    assert await stores.undelivered.list_for("anna", 10) == []
    assert await stores.undelivered.list_for("carl", 10) == [MatchEnded("m2", 0)]
    assert await stores.undelivered.list_for("bert", 10) == [MatchEnded("m1", 1), MatchEnded("m2", 1)]


async def test_a_bot_with_two_seats_has_two_undelivered_ends(stores: MatchStores) -> None:
    await stores.finish("m1", ANNA, ANNA)
    assert await stores.undelivered.list_for("anna", 10) == [MatchEnded("m1", 0), MatchEnded("m1", 1)]
    await stores.undelivered.mark_delivered([MatchEnded("m1", 0)])
    assert await stores.undelivered.list_for("anna", 10) == [MatchEnded("m1", 1)]


async def test_a_limited_list_contains_the_newest_ends(stores: MatchStores) -> None:
    for number in range(5):
        await stores.finish(f"m{number}", ANNA, BERT)
    assert await stores.undelivered.list_for("anna", 2) == [MatchEnded("m3", 0), MatchEnded("m4", 0)]


async def test_an_end_and_its_log_entry_are_written_in_one_transaction(tmp_path: Path) -> None:
    async with opened(stores := in_sqlite(tmp_path / "referee.db")):
        with other_connection(tmp_path / "referee.db") as connection:
            connection.execute("DROP TABLE undelivered_ends")
        with pytest.raises(StoreUnavailable):
            await stores.finish("m1", ANNA, BERT)
        assert await stores.log.read("m1") == []


async def test_ends_of_a_bot_have_an_index(tmp_path: Path) -> None:
    async with opened(in_sqlite(tmp_path / "referee.db")):
        pass
    with other_connection(tmp_path / "referee.db") as connection:
        query = f"EXPLAIN QUERY PLAN {SELECT_UNDELIVERED_ENDS}"
        plan = [row[-1] for row in run_to_end(lambda database: database.fetch(query, "anna", 5), connection)]
    assert any("undelivered_ends_of_bot" in step for step in plan)
    assert not any("SCAN" in step for step in plan)
