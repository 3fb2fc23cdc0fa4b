"""Rating writer with an in-memory ladder, which writes ratings in the transaction of the end of the match."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from referee.contests.ladder import events as ladder
from referee.contests.strength import rating as rated
from referee.contests.strength.rating import finish_order_of
from referee.hosting.contest_log import ContestLog
from referee.live.ports import CoAppend, Conflict
from referee.live.runner_dependencies import MatchRating
from referee.match.result import PlayerRating, RatingChange
from referee.match.setup import Player
from referee.match.state import Match

LADDER = "ladder/main"

Ratings = dict[Player, rated.RatingRecord]


class FakeRatingWriter:
    """`RatingWriter` for one ladder in memory."""

    def __init__(self, log: ContestLog) -> None:
        self._log = log
        self._lock = asyncio.Lock()
        self.number = 0
        self.ratings: Ratings = {}
        self.fault: Exception | None = None
        """Raised before anything is written, if set."""
        self.fault_after_write: Exception | None = None

    @asynccontextmanager
    async def rate(self, match: Match) -> AsyncIterator[MatchRating]:
        async with self._lock:
            if self.fault:
                raise self.fault
            event = self._match_rated(match)
            changes = tuple(map(_rating_change, range(len(event.changes)), event.changes))
            try:
                yield MatchRating(changes, CoAppend(LADDER, self.number, (event,)))
            except Conflict:
                await self._reload()
                raise
            self._apply(event)
            if self.fault_after_write:
                raise self.fault_after_write

    def _match_rated(self, match: Match) -> ladder.MatchRated:
        sides = tuple(tuple(match.players[seat] for seat in side) for side in match.table.sides)
        finish = finish_order_of(match.result, sides) if match.result else None
        assert finish, "a void match is not rated"
        return ladder.MatchRated(match.setup.match_id, finish, (), rated.compute_rating_updates(self.ratings, finish))

    def _apply(self, event: ladder.MatchRated) -> None:
        self.number += 1
        self.ratings |= {change.player: change.after for change in event.changes}

    async def _reload(self) -> None:
        for entry in await self._log.read(LADDER, self.number):
            assert isinstance(entry.event, ladder.MatchRated)
            self._apply(entry.event)


def _rating_change(seat: int, change: "rated.RatingUpdate[Player]") -> RatingChange:
    before, after = (
        PlayerRating(rated_player.rating.value, rated_player.rating.deviation, rated_player.matches)
        for rated_player in (change.before, change.after)
    )
    return RatingChange(seat, change.player.bot, change.player.version, before, after)


async def rated_matches(log: ContestLog) -> list[str]:
    """Return the ids of the matches that changed ratings according to the ladder's log, in order."""
    return [entry.event.match_id for entry in await log.read(LADDER) if isinstance(entry.event, ladder.MatchRated)]
