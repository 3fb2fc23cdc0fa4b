"""Rating writer with an in-memory ladder, which writes ratings in the transaction of the end of the match."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from referee.contests.ladder import events as ladder
from referee.contests.strength import rating as rated
from referee.contests.strength.rating import finish_order_of
from referee.hosting.contest_log import ContestLog
from referee.live.ports import CoAppend, Conflict, MatchRating
from referee.match.result import PlayerRating, RatingChange
from referee.match.setup import Player
from referee.match.state import Match
from tests.contests.recomputed_ratings import rate_matches

LADDER = "ladder/main"

Ratings = dict[Player, rated.RatingRecord]


class LadderRater:
    """`RatingWriter` for one ladder in memory."""

    def __init__(self, log: ContestLog) -> None:
        self._log = log
        self._lock = asyncio.Lock()
        self.number = 0
        self.ratings: Ratings = {}
        self.fault: Exception | None = None
        """Raised before anything is written, if set."""
        self.fault_when_written: Exception | None = None

    @asynccontextmanager
    async def rate(self, match: Match) -> AsyncIterator[MatchRating]:
        async with self._lock:
            if self.fault:
                raise self.fault
            event = self._rated(match)
            changes = tuple(map(_told, range(len(event.changes)), event.changes))
            try:
                yield MatchRating(changes, CoAppend(LADDER, self.number, (event,)))
            except Conflict:
                await self._read_anew()
                raise
            self._believe(event)
            if self.fault_when_written:
                raise self.fault_when_written

    def _rated(self, match: Match) -> ladder.MatchRated:
        sides = tuple(tuple(match.players[seat] for seat in side) for side in match.table.sides)
        finish = finish_order_of(match.result, sides) if match.result else None
        assert finish, "a void match is not rated"
        return ladder.MatchRated(match.setup.match_id, finish, (), rated.compute_rating_updates(self.ratings, finish))

    def _believe(self, event: ladder.MatchRated) -> None:
        self.number += 1
        self.ratings |= {change.player: change.after for change in event.changes}

    async def _read_anew(self) -> None:
        for entry in await self._log.read(LADDER, self.number):
            assert isinstance(entry.event, ladder.MatchRated)
            self._believe(entry.event)


def _told(seat: int, change: "rated.RatingUpdate[Player]") -> RatingChange:
    before, after = (
        PlayerRating(it.rating.value, it.rating.deviation, it.matches) for it in (change.before, change.after)
    )
    return RatingChange(seat, change.player.bot, change.player.version, before, after)


async def rated_matches(log: ContestLog) -> list[str]:
    """Return the ids of the matches that changed ratings according to the ladder's log, in order."""
    return [entry.event.match_id for entry in await log.read(LADDER) if isinstance(entry.event, ladder.MatchRated)]


async def told_ratings(log: ContestLog) -> Ratings:
    """Return the ratings recomputed from the finish orders in the ladder's log."""
    events = [entry.event for entry in await log.read(LADDER)]
    return rate_matches(event.finish for event in events if isinstance(event, ladder.MatchRated))
