"""The book of a contest: written, then believed, then told; and watched."""

import asyncio
from collections.abc import Sequence

import pytest

from referee.app.contests import book as books
from referee.app.contests.book import Book
from referee.app.contests.events import ContestEvent
from referee.app.contests.log import ContestEntry, ContestLog, Unreadable
from referee.app.contests.watching import Watching
from referee.app.ports import LogUnavailable
from referee.app.watching import SlowConsumer
from referee.contest.tournament_events import Entered, Entrant
from referee.storage.memory import MemoryEventLog
from tests.app.scene import in_loop
from tests.app.stopped_time import StoppedTime, settled

Names = tuple[str, ...]
"""A contest that is nothing but who came in."""


def fold(names: Names | None, entry: ContestEntry) -> Names:
    assert isinstance(entry.event, Entered)
    return (*(names or ()), entry.event.entrant.name)


def came(name: str) -> Entered:
    return Entered(Entrant(name))


class Gated:
    """A ContestLog whose writes can be held after they are durable, and refused."""

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

    async def read(self, contest: str, after: int = 0, at_most: int | None = None) -> list[ContestEntry]:
        return await self.stored.read(contest, after, at_most)

    async def contests(self, kind: str) -> Sequence[ContestEntry | Unreadable]:
        return await self.stored.contests(kind)

    async def lasts(self, kind: str) -> Sequence[ContestEntry | Unreadable]:
        return await self.stored.lasts(kind)


async def opened(log: ContestLog) -> Book[Names]:
    return Book(log, fold, await log.append("tournament/cup", 0, [came("ada")]))


def watching(log: ContestLog, book: Book[Names], behind_at_most: int = 1000) -> Watching[Names]:
    return Watching(log, fold, lambda names: names[-1] == "last", book, behind_at_most)


@in_loop
async def test_changes_are_decided_one_after_the_other_each_of_what_the_one_before_has_made() -> None:
    book = await opened(Gated())
    await asyncio.gather(*(book.change(lambda names: [came(f"n{len(names)}")]) for _ in range(5)))
    assert book.state == ("ada", "n1", "n2", "n3", "n4", "n5")
    assert book.number == 6


@in_loop
async def test_who_hangs_up_leaves_no_book_behind_its_log() -> None:
    log = Gated()
    book = await opened(log)
    log.gate.clear()
    asking = asyncio.create_task(book.change(lambda _: [came("bob")]))
    await settled()
    asking.cancel()
    log.gate.set()
    await settled()
    assert book.state == ("ada", "bob")


@in_loop
async def test_a_book_whose_log_has_moved_on_reads_on_and_decides_again() -> None:
    log = Gated()
    book = await opened(log)
    await log.append("tournament/cup", 1, [came("bob")])
    await book.change(lambda names: [came("cyd")] if "bob" in names else [came("too early")])
    assert book.state == ("ada", "bob", "cyd")
    assert [entry.number for entry in await log.read("tournament/cup")] == [1, 2, 3]


@in_loop
async def test_what_is_refused_or_cannot_be_written_changes_nothing() -> None:
    log = Gated()
    book = await opened(log)

    def refuses(_: Names) -> Sequence[ContestEvent]:
        raise KeyError("no")

    with pytest.raises(KeyError):
        await book.change(refuses)
    log.away = True
    with pytest.raises(LogUnavailable):
        await book.change(lambda _: [came("bob")])
    log.away = False
    assert book.number == 1
    await book.change(lambda _: [came("bob")])
    assert book.state == ("ada", "bob")


@in_loop
async def test_who_watches_hears_each_entry_once_whether_the_book_or_the_log_has_it() -> None:
    log = Gated()
    book = await opened(log)
    for number in range(2 * books.STEPS_KEPT):
        await book.change(lambda _, number=number: [came(f"n{number}")])  # type: ignore[misc]
    await book.change(lambda _: [came("last")])
    for after in (0, 1, books.STEPS_KEPT, book.number - books.STEPS_KEPT, book.number - 1):
        one = watching(log, book)
        assert await one.begin(after) == book.state
        steps = [step for batch in [batch async for batch in one] for step in batch]
        assert [step.entry.number for step in steps] == [*range(after + 1, book.number + 1)]
        assert steps[-1].state == book.state
        assert all(len(step.state) == step.entry.number for step in steps)
    at_the_end = watching(log, book)
    await at_the_end.begin(None)
    assert [batch async for batch in at_the_end] == []


@in_loop
async def test_who_has_caught_up_and_falls_too_far_behind_is_told_where_to_go_on() -> None:
    log = Gated()
    book = await opened(log)
    one = watching(log, book, behind_at_most=3)
    await one.begin(None)
    waiting = asyncio.ensure_future(anext(one))
    await settled()
    await book.change(lambda _: [came("bob")])
    assert [step.entry.number for step in await waiting] == [2]
    await book.change(lambda _: [came(name) for name in ("c", "d", "e", "f")])
    with pytest.raises(SlowConsumer) as why:
        await anext(one)
    assert why.value.details == {"resume_after": "2"}
