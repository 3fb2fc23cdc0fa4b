"""A simple ladder in memory of its own, which rates by the stroke that ends a match."""

import asyncio

from referee.app.contests.log import Beside, ContestLog
from referee.app.desk import WriteEnd
from referee.app.ports import Conflict
from referee.contest import ladder_events as ladder
from referee.contest import rated
from referee.contest.finish import finish_of
from referee.core.match import Match
from referee.core.rating import PlayerRating, RatingChange
from referee.core.setup import Player

LADDER = "ladder/main"

Ratings = dict[Player, rated.Rated]


class LadderRater:
    """A `desk.Rater`: one ladder, of which it believes what it has read and written."""

    def __init__(self, log: ContestLog) -> None:
        self._log = log
        self._lock = asyncio.Lock()
        self.number = 0
        self.ratings: Ratings = {}
        self.fault: Exception | None = None
        """What goes wrong in it, if something does."""
        self.fault_when_written: Exception | None = None

    async def rate(self, match: Match, write_end: WriteEnd) -> None:
        async with self._lock:
            if self.fault:
                raise self.fault
            event = self._rated(match)
            beside = Beside(LADDER, self.number, (event,))
            try:
                await write_end(tuple(map(_told, range(len(event.changes)), event.changes)), beside)
            except Conflict:
                await self._read_anew()
                raise
            self._believe(event)
            if self.fault_when_written:
                raise self.fault_when_written

    def _rated(self, match: Match) -> ladder.Rated:
        sides = tuple(tuple(match.players[seat] for seat in side) for side in match.table.sides)
        finish = finish_of(match.result, sides) if match.result else None
        assert finish, "a void match is not rated"
        return ladder.Rated(match.setup.match_id, finish, (), rated.changes(self.ratings, finish))

    def _believe(self, event: ladder.Rated) -> None:
        self.number += 1
        self.ratings |= {change.player: change.after for change in event.changes}

    async def _read_anew(self) -> None:
        for entry in await self._log.read(LADDER, self.number):
            assert isinstance(entry.event, ladder.Rated)
            self._believe(entry.event)


def _told(seat: int, change: "rated.Change[Player]") -> RatingChange:
    before, after = (
        PlayerRating(it.rating.value, it.rating.deviation, it.matches) for it in (change.before, change.after)
    )
    return RatingChange(seat, change.player.bot, change.player.version, before, after)


async def rated_matches(log: ContestLog) -> list[str]:
    """Those that the ladder's log says have changed its ratings, in order."""
    return [entry.event.match_id for entry in await log.read(LADDER) if isinstance(entry.event, ladder.Rated)]


async def told_ratings(log: ContestLog) -> Ratings:
    """What the ladder's log says that the ratings are, computed anew from who finished where."""
    events = [entry.event for entry in await log.read(LADDER)]
    return rated.rated(event.finish for event in events if isinstance(event, ladder.Rated))
