"""The shelf of contests: those that go on are taken down when a process begins, and no other is read."""

from collections.abc import Sequence

import pytest

from referee.app.contests import book as books
from referee.app.contests.events import ContestEvent
from referee.app.contests.log import TOURNAMENT, ContestEntry, ContestLog, Unreadable
from referee.app.contests.shelf import Shelf
from referee.contest.tournament_events import Ended, Entered, Entrant
from referee.storage.memory import MemoryEventLog
from tests.app.scene import in_loop
from tests.app.stopped_time import StoppedTime


class Noting:
    """A ContestLog that knows which contests were read, and how much at once."""

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

    async def contests(self, kind: str) -> Sequence[ContestEntry | Unreadable]:
        return await self.stored.contests(kind)

    async def lasts(self, kind: str) -> Sequence[ContestEntry | Unreadable]:
        return await self.stored.lasts(kind)


def count(before: int | None, _: ContestEntry) -> int:
    """A contest that is nothing but how long its log is."""
    return (before or 0) + 1


def came(many: int) -> list[ContestEvent]:
    return [Entered(Entrant(f"bot {number}")) for number in range(many)]


def nothing_is_wrong(contest: str, fault: Exception) -> None:
    raise AssertionError(contest) from fault


async def shelf_of(log: Noting, **contests: list[ContestEvent]) -> Shelf[int]:
    """In a new process, which finds these."""
    for name, events in contests.items():
        await log.append(f"tournament/{name}", 0, events)
    shelf = Shelf(log, TOURNAMENT, count, Ended, nothing_is_wrong)
    await shelf.open()
    return shelf


@in_loop
async def test_what_is_over_is_not_read_before_somebody_asks_for_it() -> None:
    log = Noting()
    shelf = await shelf_of(log, old=[*came(2), Ended()], cup=came(2), off=[Ended(cancelled=True)])
    assert set(log.read_of) == {"tournament/cup"}
    assert [book.contest for book in shelf.live] == ["tournament/cup"]
    assert list(shelf.first) == ["tournament/old", "tournament/cup", "tournament/off"]
    assert (await shelf.book("tournament/old")).state == 3
    assert [book.contest for book in shelf.live] == ["tournament/cup"]
    with pytest.raises(KeyError):
        await shelf.book("tournament/none")


@in_loop
async def test_a_long_log_is_read_piece_by_piece() -> None:
    log = Noting()
    many = 3 * books.ENTRIES_AT_ONCE + 7
    shelf = await shelf_of(log, cup=came(many))
    assert shelf.live[0].state == many
    assert log.most == books.ENTRIES_AT_ONCE


@in_loop
async def test_what_has_ended_here_is_no_longer_among_those_that_go_on() -> None:
    log = Noting()
    shelf = await shelf_of(log)
    book = await shelf.add("cup", came(1))
    assert shelf.live == [book]
    await book.change(lambda _: [Ended()])
    assert shelf.live == []
    assert await shelf.book("tournament/cup") is book
