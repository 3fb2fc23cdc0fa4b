"""The contest store: append, apply, notify; watching a contest; and the registry of all contests of a kind."""

import asyncio
from collections.abc import Sequence

import pytest

from referee.contests.contest_entrant import ContestEntrant, EntrantJoined
from referee.contests.tournament.events import TournamentEnded
from referee.hosting import contest_store as stores
from referee.hosting.contest_log import TOURNAMENT, ContestEntry, ContestEvent, ContestLog
from referee.hosting.contest_store import ContestRegistry, ContestStore, ContestWatch
from referee.live.ports import StoreUnavailable
from referee.live.watch import SlowConsumer
from referee.storage.stored_contest_log import StoredContestLog
from tests.live.fake_time import FakeTime, settle
from tests.storage.memory import MemoryEventLog

Names = tuple[str, ...]
"""State of a contest: the names of its entrants."""


def fold(names: Names | None, entry: ContestEntry) -> Names:
    assert isinstance(entry.event, EntrantJoined)
    return (*(names or ()), entry.event.entrant.name)


def entered_event(name: str) -> ContestEvent:
    return EntrantJoined(ContestEntrant(name))


class ObservedContestLog(StoredContestLog):
    """A ContestLog whose appends can be held after they are durable, or rejected, and whose reads are recorded."""

    def __init__(self) -> None:
        log = MemoryEventLog(FakeTime().wall_ms)
        super().__init__(log._threads.write, log.run)
        self.gate = asyncio.Event()
        self.gate.set()
        self.store_unavailable = False
        self.contests_read: list[str] = []
        self.largest_batch = 0

    async def append(self, contest: str, after: int, events: Sequence[ContestEvent]) -> list[ContestEntry]:
        if self.store_unavailable:
            raise StoreUnavailable("the disk is full")
        entries = await super().append(contest, after, events)
        await self.gate.wait()
        return entries

    async def read(self, contest: str, after: int = 0, limit: int | None = None) -> list[ContestEntry]:
        entries = await super().read(contest, after, limit)
        self.contests_read.append(contest)
        self.largest_batch = max(self.largest_batch, len(entries))
        return entries


async def create_store(log: ContestLog) -> ContestStore[Names]:
    return ContestStore(log, fold, await log.append("tournament/cup", 0, [entered_event("ada")]))


def watch_of(store: ContestStore[Names], max_behind: int = 1000) -> ContestWatch[Names]:
    return ContestWatch(store, lambda names: names[-1] == "last", max_behind)


async def test_concurrent_changes_are_decided_one_after_the_other() -> None:
    store = await create_store(ObservedContestLog())
    await asyncio.gather(*(store.execute(lambda names: [entered_event(f"n{len(names)}")]) for _ in range(5)))
    assert store.state == ("ada", "n1", "n2", "n3", "n4", "n5")
    assert store.number == 6


async def test_a_cancelled_execution_leaves_no_store_behind_its_log() -> None:
    log = ObservedContestLog()
    store = await create_store(log)
    log.gate.clear()
    execution = asyncio.create_task(store.execute(lambda _: [entered_event("bob")]))
    await settle()
    execution.cancel()
    log.gate.set()
    await settle()
    assert store.state == ("ada", "bob")


async def test_a_store_whose_log_was_extended_reloads_and_decides_again() -> None:
    log = ObservedContestLog()
    store = await create_store(log)
    await log.append("tournament/cup", 1, [entered_event("bob")])
    await store.execute(lambda names: [entered_event("cyd")] if "bob" in names else [entered_event("too early")])
    assert store.state == ("ada", "bob", "cyd")
    assert [entry.number for entry in await log.read("tournament/cup")] == [1, 2, 3]


async def test_a_command_that_is_rejected_or_cannot_be_written_changes_nothing() -> None:
    log = ObservedContestLog()
    store = await create_store(log)

    def reject(_: Names) -> Sequence[ContestEvent]:
        raise KeyError("no")

    with pytest.raises(KeyError):
        await store.execute(reject)
    log.store_unavailable = True
    with pytest.raises(StoreUnavailable):
        await store.execute(lambda _: [entered_event("bob")])
    log.store_unavailable = False
    assert store.number == 1
    await store.execute(lambda _: [entered_event("bob")])
    assert store.state == ("ada", "bob")


async def test_a_watch_returns_each_entry_once_from_cache_or_log() -> None:
    store = await create_store(ObservedContestLog())
    for number in range(2 * stores.STEP_CACHE_SIZE):
        await store.execute(lambda _, number=number: [entered_event(f"n{number}")])  # type: ignore[misc]
    await store.execute(lambda _: [entered_event("last")])
    for after in (0, 1, stores.STEP_CACHE_SIZE, store.number - stores.STEP_CACHE_SIZE, store.number - 1):
        watch = watch_of(store)
        await watch.begin(after)
        steps = [step for batch in [batch async for batch in watch] for step in batch]
        assert [step.entry.number for step in steps] == [*range(after + 1, store.number + 1)]
        assert steps[-1].state == store.state
        assert all(len(step.state) == step.entry.number for step in steps)
    watch_from_end = watch_of(store)
    await watch_from_end.begin(None)
    assert [batch async for batch in watch_from_end] == []


async def test_a_watcher_that_falls_behind_gets_the_number_to_resume_from() -> None:
    store = await create_store(ObservedContestLog())
    watch = watch_of(store, max_behind=3)
    await watch.begin(None)
    waiting = asyncio.ensure_future(anext(watch))
    await settle()
    await store.execute(lambda _: [entered_event("bob")])
    assert [step.entry.number for step in await waiting] == [2]
    await store.execute(lambda _: [entered_event(name) for name in ("c", "d", "e", "f")])
    with pytest.raises(SlowConsumer) as error:
        await anext(watch)
    assert error.value.details == {"resume_after": "2"}


class Length(int):
    """The length of a log, and whether its contest is over."""

    over = False


def count(before: Length | None, entry: ContestEntry) -> Length:
    """Return the length of the log: a fold for tests."""
    after = Length((before or 0) + 1)
    after.over = isinstance(entry.event, TournamentEnded) or (before is not None and before.over)
    return after


def entry_events(total: int) -> list[ContestEvent]:
    return [entered_event(f"bot {number}") for number in range(total)]


def fail(contest: str, fault: Exception) -> None:
    raise AssertionError(contest) from fault


async def registry_of(log: ObservedContestLog, **contests: list[ContestEvent]) -> ContestRegistry[Length]:
    """Return the registry of a new process, with these contests in the log."""
    for name, events in contests.items():
        await log.append(f"tournament/{name}", 0, events)
    registry = ContestRegistry(log, TOURNAMENT, count, TournamentEnded, fail)
    await registry.open()
    return registry


async def test_a_finished_contest_is_not_read_until_it_is_requested() -> None:
    log = ObservedContestLog()
    registry = await registry_of(
        log, old=[*entry_events(2), TournamentEnded()], cup=entry_events(2), off=[TournamentEnded(cancelled=True)]
    )
    assert set(log.contests_read) == {"tournament/cup"}
    assert [store.contest for store in registry.active] == ["tournament/cup"]
    assert list(registry.first_entries) == ["tournament/old", "tournament/cup", "tournament/off"]
    assert (await registry.get("tournament/old")).state == 3
    assert [store.contest for store in registry.active] == ["tournament/cup"]
    with pytest.raises(KeyError):
        await registry.get("tournament/none")


async def test_a_long_log_is_read_in_batches() -> None:
    log = ObservedContestLog()
    total = 3 * stores.READ_BATCH_SIZE + 7
    registry = await registry_of(log, cup=entry_events(total))
    assert registry.active[0].state == total
    assert log.largest_batch == stores.READ_BATCH_SIZE


async def test_a_contest_that_has_ended_is_no_longer_active() -> None:
    registry = await registry_of(ObservedContestLog())
    store = await registry.add("cup", entry_events(1))
    assert registry.active == [store]
    await store.execute(lambda _: [TournamentEnded()])
    assert registry.active == []
    assert await registry.get("tournament/cup") is store


async def test_a_contest_whose_log_goes_on_after_its_end_is_over() -> None:
    registry = await registry_of(ObservedContestLog(), cup=[TournamentEnded(), *entry_events(1)])
    assert registry.active == []
    assert (await registry.get("tournament/cup")).state == 2
