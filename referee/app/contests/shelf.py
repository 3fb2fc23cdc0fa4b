"""All contests of one kind: the books of those that go on, and of those asked for last of the others.

One whose log is damaged is held as such, and the others go on: it has no book, and nothing of it is changed.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Generic

from referee.app.contests.book import Book, Fold, State
from referee.app.contests.events import ContestEvent, LadderMade, TournamentMade
from referee.app.contests.log import ContestEntry, ContestLog, Unreadable, contest_id
from referee.app.contests.refusals import ContestDamaged
from referee.app.ports import LogUnavailable

BOOKS_KEPT = 64
"""Of contests that are over. They are read again when they are asked for."""


class Shelf(Generic[State]):
    def __init__(
        self,
        log: ContestLog,
        kind: str,
        fold: Fold[State],
        end: type[ContestEvent],
        complain: Callable[[str, Exception], None],
    ) -> None:
        """`end` is the last event of every contest of that kind, and of no other is it one.

        `complain` hears what is wrong with a log that is damaged, by contest.
        """
        self._log = log
        self._kind = kind
        self._fold = fold
        self._end = end
        self._complain = complain
        self._books: OrderedDict[str, Book[State]] = OrderedDict()
        """By contest. Those that go on are always here: each has one book."""
        self.first: dict[str, ContestEntry] = {}
        """The first entry of every contest of this kind, by contest, in the order in which they were made."""
        self.damaged: set[str] = set()
        """Contests whose logs were found to be so."""

    async def open(self) -> list[Book[State]]:
        """Take down those that go on, as their logs tell them; the others are not read. Raises LogUnavailable."""
        firsts = await self._log.contests(self._kind)
        self.first = {entry.contest: entry for entry in firsts if isinstance(entry, ContestEntry)}
        for last in await self._log.lasts(self._kind):
            if not self._is_over(last):
                with suppress(ContestDamaged):
                    await self._read(last.contest)
        return self.live

    @property
    def live(self) -> list[Book[State]]:
        """Of contests that go on."""
        return [book for book in self._books.values() if not self._ends(book.last)]

    def knows(self, contest: str) -> bool:
        """Is there one of that name, be it over or damaged?"""
        return contest in self.first or contest in self.damaged

    async def add(self, name: str, events: Sequence[ContestEvent]) -> Book[State]:
        """A new contest. Raises Conflict if there is one of that name, or LogUnavailable."""
        contest = contest_id(self._kind, name)
        entries = await self._log.append(contest, 0, events)
        self.first[contest] = entries[0]
        return self._put(Book(self._log, self._fold, entries))

    async def book(self, contest: str) -> Book[State]:
        """Raises KeyError if there is no such contest, ContestDamaged, or LogUnavailable."""
        if contest in self.damaged:
            raise ContestDamaged(contest)
        if contest in self._books:
            self._books.move_to_end(contest)
            return self._books[contest]
        return await self._read(self.first[contest].contest)

    def made_by(self, organiser: str, request_id: str) -> ContestEntry | None:
        """The first entry of the contest that this very request of the organiser's has made, if one has."""
        asked = organiser, request_id
        return next((it for it in self.first.values() if _asked(it.event) == asked), None)

    def _is_over(self, last: ContestEntry | Unreadable) -> bool:
        """As far as its first entry and the last can tell."""
        return isinstance(last, ContestEntry) and self._ends(last) and last.contest in self.first

    def _ends(self, entry: ContestEntry) -> bool:
        return isinstance(entry.event, self._end)

    async def _read(self, contest: str) -> Book[State]:
        try:
            book = await Book.read(self._log, self._fold, contest)
        except LogUnavailable:
            raise
        except Exception as fault:  # What a damaged log tells may be anything.
            self.damaged.add(contest)
            self._complain(contest, fault)
            raise ContestDamaged(contest) from None
        return self._books.get(contest) or self._put(book)

    def _put(self, book: Book[State]) -> Book[State]:
        self._books[book.contest] = book
        over = [contest for contest, other in self._books.items() if self._ends(other.last)]
        for contest in over[:-BOOKS_KEPT]:
            del self._books[contest]
        return book


def _asked(made: ContestEvent) -> tuple[str, str] | None:
    """By whose request, and which. None: a damaged log begins with it, which is nobody's request."""
    return (made.organiser, made.request_id) if isinstance(made, LadderMade | TournamentMade) else None
