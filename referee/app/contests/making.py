"""Making the matches of contests: all their bots must be there, with room for one more, and not be paused.

A match carries the name of the contest that made it, and as its request id that of the match that was due: so
the log itself refuses to hold it twice, also after a crash.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from referee.app.accounts import Accounts
from referee.app.asked import UnknownMatch
from referee.app.contests.terms import MatchTerms
from referee.app.making import match_id_of
from referee.app.referee import Referee
from referee.app.wish import MAKER, OWN_BEGINNING, PAIRING, REQUEST_ID, SET, MatchWish, Opening
from referee.contest.duplicate import Start
from referee.contest.pairing import Due
from referee.core.match import Match
from referee.core.setup import Player


def wish_for(
    contest: str,
    due: Due,
    terms: MatchTerms,
    players: tuple[Player, ...],
    belongs: Mapping[str, str],
    start: Start | None = None,
    openings: Sequence[Opening] = (),
) -> MatchWish:
    """The match that is due. `belongs` are its labels `tournament` and `ladder`, as far as it has them.

    `start` is what it has in common with the others of its set, with its opening as a place in `openings`.
    """
    labels = {MAKER: contest, REQUEST_ID: due.id, PAIRING: due.pairing.id, **belongs}
    if start is None:
        return terms.wish(players, labels)
    opening = OWN_BEGINNING if start.opening is None else openings[start.opening]
    return terms.wish(players, {**labels, SET: start.set}, start.seed, opening)


class NotNow(Exception):
    """A match cannot begin now, because of that bot: it is away, has no room, or is paused."""

    def __init__(self, bot: str, *, paused: bool = False) -> None:
        super().__init__(f"{bot} is paused" if paused else f"{bot} is away, or has no room")
        self.bot = bot
        self.paused = paused
        """Of the end of a pause nobody is told: look again by and by."""


class Making:
    """One for all contests, so that no two of them count on the same room."""

    def __init__(self, referee: Referee, accounts: Accounts) -> None:
        self._referee = referee
        self._accounts = accounts
        self._promised: Counter[Player] = Counter()
        """Room for matches that are being made."""

    def there(self, player: Player, game: str) -> bool:
        """Is the bot there, and takes it the game?"""
        return self._referee.free(player, game) is not None

    def room(self, player: Player, game: str) -> int:
        """For how many more matches of the game the bot has room. 0 also if it is not there."""
        free = self._referee.free(player, game)
        return max(0, free.room - self._promised[free.player]) if free else 0

    async def make(self, wish: MatchWish) -> Match:
        """The match, by those versions of its bots that are there. The wish says by whom it is made, and for what.

        Raises NotNow, RefereeDraining, LogUnavailable, or a refusal of its terms.
        """
        self._seated(wish)
        for bot in {player.bot for player in wish.players}:
            if (await self._accounts.bot(bot)).pause:
                raise NotNow(bot, paused=True)
        players = self._seated(wish)  # Somebody may have gone meanwhile, or begun another match.
        self._promised.update(set(players))
        try:
            return (await self._referee.create(replace(wish, players=players))).standing.match
        finally:
            self._promised.subtract(set(players))

    async def made(self, contest: str, request_id: str) -> Match | None:
        """The match that this contest has made under that id, as it stands. None: it has not. Raises LogUnavailable."""
        try:
            return (await self._referee.standing(match_id_of(contest, request_id))).match
        except UnknownMatch:
            return None

    def _seated(self, wish: MatchWish) -> tuple[Player, ...]:
        """The players with their versions. Raises NotNow."""
        players = []
        for player in wish.players:
            free = self._referee.free(player, wish.game)
            if free is None or free.room <= self._promised[free.player]:
                raise NotNow(player.bot)
            players.append(free.player)
        return tuple(players)
