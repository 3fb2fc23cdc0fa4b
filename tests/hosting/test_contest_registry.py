"""The registry of contests: active contests are loaded at the start, finished ones on request."""

from collections.abc import Sequence

import pytest

from referee.contests.tournament.events import EntrantEntered, TournamentEnded, TournamentEntrant
from referee.hosting import contest_store as stores
from referee.hosting.contest_log import TOURNAMENT, ContestEntry, ContestEvent, ContestLog, UnreadableContest
from referee.hosting.contest_registry import ContestRegistry
from referee.storage.memory import MemoryEventLog
from tests.live.fake_time import StoppedTime
from tests.live.runner_harness import in_loop


class Noting:
    """A ContestLog that records which contests are read, and the largest batch."""

    def __init__(self) -> None:
        self.stored: ContestLog = MemoryEventLog(StoppedTime().wall_ms).contests
        self.read_of: list[str] = []
        self.most = 0

    async def append(self, contest: str, after: int, events: Sequence[ContestEvent]) -> list[ContestEntry]:
        return await self.stored.append(contest, after, events)

    async def read(self, contest: str, after: int = 0, at_most: int | None = None) -> list[ContestEntry]:
        entries = await self.stored.read(contest, after, at_most)
        self.read_of.append(contest)
        self.most = max(self.most, len(entries))
        return entries

    async def first_entries(self, kind: str) -> Sequence[ContestEntry | UnreadableContest]:
        return await self.stored.first_entries(kind)

    async def last_entries(self, kind: str) -> Sequence[ContestEntry | UnreadableContest]:
        return await self.stored.last_entries(kind)


def count(before: int | None, _: ContestEntry) -> int:
    """Return the length of the log: a fold for tests."""
    return (before or 0) + 1


def came(many: int) -> list[ContestEvent]:
    return [EntrantEntered(TournamentEntrant(f"bot {number}")) for number in range(many)]


def nothing_is_wrong(contest: str, fault: Exception) -> None:
    raise AssertionError(contest) from fault


async def shelf_of(log: Noting, **contests: list[ContestEvent]) -> ContestRegistry[int]:
    """Return the registry of a new process, with these contests in the log."""
    for name, events in contests.items():
        await log.append(f"tournament/{name}", 0, events)
    registry = ContestRegistry(log, TOURNAMENT, count, TournamentEnded, nothing_is_wrong)
    await registry.open()
    return registry


@in_loop
async def test_what_is_over_is_not_read_before_somebody_asks_for_it() -> None:
    log = Noting()
    registry = await shelf_of(
        log, old=[*came(2), TournamentEnded()], cup=came(2), off=[TournamentEnded(cancelled=True)]
    )
    assert set(log.read_of) == {"tournament/cup"}
    assert [store.contest for store in registry.active] == ["tournament/cup"]
    assert list(registry.first_entries) == ["tournament/old", "tournament/cup", "tournament/off"]
    assert (await registry.get("tournament/old")).state == 3
    assert [store.contest for store in registry.active] == ["tournament/cup"]
    with pytest.raises(KeyError):
        await registry.get("tournament/none")


@in_loop
async def test_a_long_log_is_read_piece_by_piece() -> None:
    log = Noting()
    many = 3 * stores.READ_BATCH_SIZE + 7
    registry = await shelf_of(log, cup=came(many))
    assert registry.active[0].state == many
    assert log.most == stores.READ_BATCH_SIZE


@in_loop
async def test_what_has_ended_here_is_no_longer_among_those_that_go_on() -> None:
    log = Noting()
    registry = await shelf_of(log)
    store = await registry.add("cup", came(1))
    assert registry.active == [store]
    await store.execute(lambda _: [TournamentEnded()])
    assert registry.active == []
    assert await registry.get("tournament/cup") is store
