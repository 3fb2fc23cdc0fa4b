"""The contest store: append, apply, notify; watching a contest; and the registry of all contests of a kind."""

import asyncio
from collections.abc import Sequence

import pytest

from referee.contests.tournament.events import EntrantEntered, TournamentEnded, TournamentEntrant
from referee.hosting import contest_store as stores
from referee.hosting.contest_log import TOURNAMENT, ContestEntry, ContestEvent, ContestLog, UnreadableContest
from referee.hosting.contest_store import ContestRegistry, ContestStore, ContestWatch
from referee.live.ports import LogUnavailable
from referee.live.watch import SlowConsumer
from referee.storage.memory import MemoryEventLog
from tests.live.fake_time import StoppedTime, settled
from tests.live.runner_harness import in_loop

Names = tuple[str, ...]
"""State of a contest: the names of its entrants."""


def fold(names: Names | None, entry: ContestEntry) -> Names:
    assert isinstance(entry.event, EntrantEntered)
    return (*(names or ()), entry.event.entrant.name)


def came(name: str) -> EntrantEntered:
    return EntrantEntered(TournamentEntrant(name))


class Gated:
    """A ContestLog whose appends can be held after they are durable, or rejected."""

    def __init__(self) -> None:
        self.stored = MemoryEventLog(StoppedTime().wall_ms).contests
        self.gate = asyncio.Event()
        self.gate.set()
        self.away = False

    async def append(self, contest: str, after: int, events: Sequence[ContestEvent]) -> list[ContestEntry]:
        if self.away:
            raise LogUnavailable("the disk is full")
        entries = await self.stored.append(contest, after, events)
        await self.gate.wait()
        return entries

    async def read(self, contest: str, after: int = 0, limit: int | None = None) -> list[ContestEntry]:
        return await self.stored.read(contest, after, limit)

    async def first_entries(self, kind: str) -> Sequence[ContestEntry | UnreadableContest]:
        return await self.stored.first_entries(kind)

    async def last_entries(self, kind: str) -> Sequence[ContestEntry | UnreadableContest]:
        return await self.stored.last_entries(kind)


async def opened(log: ContestLog) -> ContestStore[Names]:
    return ContestStore(log, fold, await log.append("tournament/cup", 0, [came("ada")]))


def watching(store: ContestStore[Names], max_behind: int = 1000) -> ContestWatch[Names]:
    return ContestWatch(store, lambda names: names[-1] == "last", max_behind)


@in_loop
async def test_changes_are_decided_one_after_the_other_each_of_what_the_one_before_has_made() -> None:
    store = await opened(Gated())
    await asyncio.gather(*(store.execute(lambda names: [came(f"n{len(names)}")]) for _ in range(5)))
    assert store.state == ("ada", "n1", "n2", "n3", "n4", "n5")
    assert store.number == 6


@in_loop
async def test_who_hangs_up_leaves_no_book_behind_its_log() -> None:
    log = Gated()
    store = await opened(log)
    log.gate.clear()
    asking = asyncio.create_task(store.execute(lambda _: [came("bob")]))
    await settled()
    asking.cancel()
    log.gate.set()
    await settled()
    assert store.state == ("ada", "bob")


@in_loop
async def test_a_book_whose_log_has_moved_on_reads_on_and_decides_again() -> None:
    log = Gated()
    store = await opened(log)
    await log.append("tournament/cup", 1, [came("bob")])
    await store.execute(lambda names: [came("cyd")] if "bob" in names else [came("too early")])
    assert store.state == ("ada", "bob", "cyd")
    assert [entry.number for entry in await log.read("tournament/cup")] == [1, 2, 3]


@in_loop
async def test_what_is_refused_or_cannot_be_written_changes_nothing() -> None:
    log = Gated()
    store = await opened(log)

    def refuses(_: Names) -> Sequence[ContestEvent]:
        raise KeyError("no")

    with pytest.raises(KeyError):
        await store.execute(refuses)
    log.away = True
    with pytest.raises(LogUnavailable):
        await store.execute(lambda _: [came("bob")])
    log.away = False
    assert store.number == 1
    await store.execute(lambda _: [came("bob")])
    assert store.state == ("ada", "bob")


@in_loop
async def test_who_watches_hears_each_entry_once_whether_the_book_or_the_log_has_it() -> None:
    log = Gated()
    store = await opened(log)
    for number in range(2 * stores.STEP_CACHE_SIZE):
        await store.execute(lambda _, number=number: [came(f"n{number}")])  # type: ignore[misc]
    await store.execute(lambda _: [came("last")])
    for after in (0, 1, stores.STEP_CACHE_SIZE, store.number - stores.STEP_CACHE_SIZE, store.number - 1):
        one = watching(store)
        await one.begin(after)
        steps = [step for batch in [batch async for batch in one] for step in batch]
        assert [step.entry.number for step in steps] == [*range(after + 1, store.number + 1)]
        assert steps[-1].state == store.state
        assert all(len(step.state) == step.entry.number for step in steps)
    at_the_end = watching(store)
    await at_the_end.begin(None)
    assert [batch async for batch in at_the_end] == []


@in_loop
async def test_who_has_caught_up_and_falls_too_far_behind_is_told_where_to_go_on() -> None:
    log = Gated()
    store = await opened(log)
    one = watching(store, max_behind=3)
    await one.begin(None)
    waiting = asyncio.ensure_future(anext(one))
    await settled()
    await store.execute(lambda _: [came("bob")])
    assert [step.entry.number for step in await waiting] == [2]
    await store.execute(lambda _: [came(name) for name in ("c", "d", "e", "f")])
    with pytest.raises(SlowConsumer) as why:
        await anext(one)
    assert why.value.details == {"resume_after": "2"}


class CountingContestLog:
    """A ContestLog that records which contests are read, and the largest batch."""

    def __init__(self) -> None:
        self.stored: ContestLog = MemoryEventLog(StoppedTime().wall_ms).contests
        self.read_of: list[str] = []
        self.most = 0

    async def append(self, contest: str, after: int, events: Sequence[ContestEvent]) -> list[ContestEntry]:
        return await self.stored.append(contest, after, events)

    async def read(self, contest: str, after: int = 0, limit: int | None = None) -> list[ContestEntry]:
        entries = await self.stored.read(contest, after, limit)
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


def entered(many: int) -> list[ContestEvent]:
    return [EntrantEntered(TournamentEntrant(f"bot {number}")) for number in range(many)]


def fail(contest: str, fault: Exception) -> None:
    raise AssertionError(contest) from fault


async def registry_of(log: CountingContestLog, **contests: list[ContestEvent]) -> ContestRegistry[int]:
    """Return the registry of a new process, with these contests in the log."""
    for name, events in contests.items():
        await log.append(f"tournament/{name}", 0, events)
    registry = ContestRegistry(log, TOURNAMENT, count, TournamentEnded, fail)
    await registry.open()
    return registry


@in_loop
async def test_what_is_over_is_not_read_before_somebody_asks_for_it() -> None:
    log = CountingContestLog()
    registry = await registry_of(
        log, old=[*entered(2), TournamentEnded()], cup=entered(2), off=[TournamentEnded(cancelled=True)]
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
    log = CountingContestLog()
    many = 3 * stores.READ_BATCH_SIZE + 7
    registry = await registry_of(log, cup=entered(many))
    assert registry.active[0].state == many
    assert log.most == stores.READ_BATCH_SIZE


@in_loop
async def test_what_has_ended_here_is_no_longer_among_those_that_go_on() -> None:
    log = CountingContestLog()
    registry = await registry_of(log)
    store = await registry.add("cup", entered(1))
    assert registry.active == [store]
    await store.execute(lambda _: [TournamentEnded()])
    assert registry.active == []
    assert await registry.get("tournament/cup") is store
