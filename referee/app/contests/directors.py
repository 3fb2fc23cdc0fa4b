"""The directors of all tournaments that go on in one process. They are told of what they wait for."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from engines.api import Game
from referee.app.contests.book import Book
from referee.app.contests.director import Director
from referee.app.contests.held import Held
from referee.app.contests.making import Making
from referee.app.contests.refusals import ContestDamaged
from referee.app.contests.shelf import Shelf
from referee.app.contests.tournament_terms import seating_of
from referee.app.ports import Entry, Time
from referee.app.referee import Referee
from referee.app.wish import MAKER
from referee.app.worker_pool import Run
from referee.core.events import PlayEnded
from referee.core.match import Match


class Directors:
    """A `floor.Follower`."""

    def __init__(
        self,
        shelf: Shelf[Held],
        making: Making,
        referee: Referee,
        time: Time,
        games: Mapping[str, Game],
        complain: Callable[[str, Exception], None],
        run: Run,
    ) -> None:
        self._shelf = shelf
        self._making = making
        self._referee = referee
        self._time = time
        self._games = games
        self._complain = complain
        self._run = run
        self._directors: dict[str, Director] = {}
        """By contest."""

    async def open(self) -> int:
        """Take up every tournament that goes on, as its log tells it; how many. After the matches are taken up."""
        self._referee.follow(self)
        books = await self._shelf.open()
        for book in books:
            self.direct(book)
        makers = {dict(match.setup.labels).get(MAKER, "") for match in self._referee.live}
        for contest in makers & self._shelf.first.keys() - self._directors.keys():
            with suppress(ContestDamaged):  # It is over, and its last matches are still to be called off.
                self.direct(await self._shelf.book(contest))
        return len(books)

    async def close(self) -> None:
        """Finish what was begun, and make nothing more."""
        await asyncio.gather(*(director.close() for director in [*self._directors.values()]))

    def direct(self, book: Book[Held]) -> None:
        """From now on, until it is over."""
        contest = book.contest
        try:
            seating = seating_of(book.state.terms, self._games)
        except Exception as fault:  # Its game has gone, or is another one now. The other tournaments go on.
            self._complain(contest, fault)
            return
        director = Director(book, seating, self._making, self._referee, self._time, self._complain, self._run)
        self._directors[contest] = director
        director.directing.add_done_callback(lambda _: self._directors.pop(contest, None))

    def wake(self, contest: str) -> None:
        """Something was changed there."""
        director = self._directors.get(contest)
        if director:
            director.wake()

    def announce(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        """See `desk.Keeper`."""
        if isinstance(entries[-1].event, PlayEnded):
            director = self._directors.get(dict(match.setup.labels).get(MAKER, ""))
            if director:
                director.ended(match)
            for bot in {player.bot for player in match.players}:
                self.presence_changed(bot)  # It has room again.

    def broke(self, match_id: str, fault: Exception) -> None:
        """The match will be void, and so it will be heard of."""

    def presence_changed(self, bot: str) -> None:
        """See `floor.Follower`."""
        for director in self._directors.values():
            if director.awaits(bot):
                director.wake()

    def set_open(self, contest: str, set_id: str, but: str) -> bool:
        """See `sealed.SetKeeper`."""
        if contest in self._shelf.damaged:
            return True  # Nobody knows, and what is told once cannot be taken back.
        director = self._directors.get(contest)
        return director is not None and director.held.set_open(set_id, but)
