"""The ratings of ladders follow from results: what a match does to them is written by the same stroke as its end.

Any match that is labelled with a ladder is rated there: the ladder's own, those of a tournament, and those that
its organiser made. It is not if the ladder is closed, if it is played at another table than the ladder's own
matches, if somebody sits there twice, if partners are no entrant of a ladder of fixed partners, or if the log of
the ladder is damaged. The match ends all the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engines.api import Game
from referee.app.contests import log as kinds
from referee.app.contests.book import Book
from referee.app.contests.held_ladder import HeldLadder
from referee.app.contests.log import Beside, contest_id
from referee.app.contests.refusals import ContestDamaged
from referee.app.contests.shelf import Shelf
from referee.app.desk import WriteEnd
from referee.app.ports import Conflict
from referee.app.wish import LADDER, MAKER, REQUEST_ID, find_game
from referee.contest.climbing import decide
from referee.contest.finish import Finish, finish_of
from referee.contest.ladder_commands import Rate
from referee.contest.ladder_events import Rated
from referee.core.match import Match
from referee.core.setup import Player


@dataclass(frozen=True, slots=True)
class Played:
    """What a ladder wants to know of a match that is over."""

    finish: Finish[Player]
    forfeited: tuple[Player, ...]
    """Who lost by a fault of its own."""
    due: str
    """Which it was of those that the ladder planned. Empty: none of them."""


class Ratings:
    """A `desk.Rater`."""

    def __init__(self, ladders: Shelf[HeldLadder], games: Mapping[str, Game]) -> None:
        self._ladders = ladders
        self._games = games

    async def rate(self, match: Match, write_end: WriteEnd) -> None:
        """See `desk.Rater`."""
        contest = contest_id(kinds.LADDER, dict(match.setup.labels)[LADDER])
        if contest not in self._ladders.first:
            await write_end((), None)
            return
        try:
            book = await self._ladders.book(contest)
        except ContestDamaged:
            await write_end((), None)
            return
        async with book.lock:
            await self._rate(book, match, write_end)

    async def _rate(self, book: Book[HeldLadder], match: Match, write_end: WriteEnd) -> None:
        held = book.state
        played = self.played(held, match)
        rate = played and Rate(match.setup.match_id, played.finish, played.forfeited, played.due)
        events = tuple(decide(held.ladder, rate)) if rate else ()
        if not events:
            await write_end((), None)
            return
        changes = [change for event in events if isinstance(event, Rated) for change in held.by_seat(event)]
        beside = Beside(book.contest, book.number, events)
        try:
            entries = await write_end(tuple(changes), beside)
        except Conflict as conflict:
            if conflict.of == book.contest:
                await book.catch_up()
            raise
        book.believe(beside.entries(entries[-1].at_ms))

    def played(self, held: HeldLadder, match: Match) -> Played | None:
        """A match that is over, as its ladder sees it. None: it cannot be rated there, or is void."""
        setup = match.setup
        if match.result is None or find_game(self._games, setup.game).table(setup.settings).sides != held.sides:
            return None
        seats = _rated_as(held, match.players)
        if seats is None:
            return None
        sides = tuple(tuple(dict.fromkeys(seats[seat] for seat in side)) for side in held.sides)
        finish = finish_of(match.result, sides)
        labels = dict(setup.labels)
        due = labels.get(REQUEST_ID, "") if labels.get(MAKER) == held.contest else ""
        forfeited = dict.fromkeys(seats[forfeit.seat] for forfeit in match.result.forfeits)
        return Played(finish, tuple(forfeited), due) if finish else None


def _rated_as(held: HeldLadder, players: Sequence[Player]) -> list[Player] | None:
    """Who is rated, by seat: everybody alone, or partners together. None: somebody cannot be."""
    if held.ladder.terms.bots == 1:
        return list(players) if len(set(players)) == len(players) else None
    names = {frozenset(bot.bot for bot in entrant.bots): name for name, entrant in held.ladder.known.items()}
    rated: dict[int, Player] = {}
    for side in held.sides:
        name = names.get(frozenset(players[seat].bot for seat in side))
        if name is None:
            return None
        rated |= dict.fromkeys(side, Player(name))
    return [rated[seat] for seat in sorted(rated)] if len(set(rated.values())) == len(held.sides) else None
