"""The matchmakers of all ladders that go on in one process. They are told of what they wait for."""

import asyncio
from collections.abc import Sequence

from referee.app.contests.book import Book
from referee.app.contests.held_ladder import HeldLadder
from referee.app.contests.log import LADDER as KIND
from referee.app.contests.log import contest_id
from referee.app.contests.matchmaker import Around, Matchmaker
from referee.app.contests.shelf import Shelf
from referee.app.ports import Entry
from referee.app.wish import LADDER, MAKER
from referee.core.events import PlayEnded
from referee.core.match import Match


class Matchmakers:
    """A `floor.Follower`."""

    def __init__(self, shelf: Shelf[HeldLadder], around: Around) -> None:
        self._shelf = shelf
        self._around = around
        self._at_work: dict[str, Matchmaker] = {}
        """By contest."""

    def open(self) -> None:
        """Let all ladders go on that are not closed. After the matches are taken up."""
        self._around.referee.follow(self)
        for book in self._shelf.live:
            self.set_to_work(book)

    async def close(self) -> None:
        """Finish what was begun, and make nothing more."""
        await asyncio.gather(*(it.close() for it in [*self._at_work.values()]))

    def set_to_work(self, book: Book[HeldLadder]) -> None:
        """From now on, until the ladder is closed."""
        contest = book.contest
        self._at_work[contest] = matchmaker = Matchmaker(book, self._around)
        matchmaker.working.add_done_callback(lambda _: self._at_work.pop(contest, None))

    def wake(self, contest: str) -> None:
        """Something was changed there."""
        if matchmaker := self._at_work.get(contest):
            matchmaker.wake()

    def announce(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        """See `desk.Keeper`."""
        if isinstance(entries[-1].event, PlayEnded):
            labels = dict(match.setup.labels)
            if maker := self._at_work.get(labels.get(MAKER, "")):
                maker.ended(match)
            self.wake(contest_id(KIND, labels.get(LADDER, "")))  # It may wait for its last match.
            for bot in {player.bot for player in match.players}:
                self.presence_changed(bot)  # It has room again.

    def broke(self, match_id: str, fault: Exception) -> None:
        """The match will be void, and so it will be heard of."""

    def presence_changed(self, bot: str) -> None:
        """See `floor.Follower`."""
        for matchmaker in self._at_work.values():
            if matchmaker.held.ladder.entrant_of(bot):
                matchmaker.wake()

    def set_open(self, contest: str, set_id: str, but: str) -> bool:
        """See `sealed.SetKeeper`."""
        if contest in self._shelf.damaged:
            return True  # Nobody knows, and what is told once cannot be taken back.
        matchmaker = self._at_work.get(contest)
        return matchmaker is not None and matchmaker.held.set_open(set_id, but)
