"""Creates matches of contests once all their bots are online, have room for one more match, and are not paused.

A match is labelled with the contest that created it and the id of the due match, from which its own id follows. So
creating it is idempotent: the log rejects a second match with the same id, also after a crash.

The match queue shows the planned matches that have not started, and what each of them waits for. It is derived from
the state of contests and the presence of bots; the workers are not involved.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from functools import cache
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from referee.accounts.bots import Accounts
from referee.contests.pairing import DueMatch
from referee.hosting.ladder_state import LadderState
from referee.hosting.tournament_state import TournamentState
from referee.live.create import match_id_of
from referee.live.match_request import DEFAULT_OPENING, MAKER, PAIRING, REQUEST_ID, SET, MatchRequest
from referee.live.ports import NoSuchMatch
from referee.live.referee import Referee
from referee.match.setup import Player
from referee.match.state import Match

ContestState: TypeAlias = LadderState | TournamentState
"""The state of a contest of either kind. Hosts and workers use what both have."""


def match_request_for(state: ContestState, due: DueMatch, players: tuple[Player, ...]) -> MatchRequest:
    """Return the request that creates a due match of a contest."""
    terms, start, openings = state.match_terms(due), state.start_of(due), state.terms.openings
    labels = {MAKER: state.contest, REQUEST_ID: due.id, PAIRING: due.pairing.id, **state.labels}
    match_id = match_id_for(state, due)
    if start is None:
        return MatchRequest(terms, players, labels=labels, match_id=match_id)
    opening = DEFAULT_OPENING if start.opening is None else openings[start.opening]
    return MatchRequest(terms, players, start.seed, opening, {**labels, SET: start.set_id}, match_id)


def match_id_for(state: ContestState, due: DueMatch) -> str:
    """Return the id of a due match, which follows from the contest and its seed.

    Contests of other servers may have the same names, but their matches can be packed into the same file.
    """
    return match_id_of(state.contest, state.play.terms.chance.fork(f"match {due.id}").seed.hex())


class BotUnavailable(Exception):
    """A match cannot be created now because a bot is offline, has no room, or is paused."""

    def __init__(self, bot: str) -> None:
        super().__init__(f"{bot} is offline, has no room, or is paused")
        self.bot = bot


class BotAvailability(Struct, frozen=True, gc=False):
    """Bots that are all online and accept the same games."""

    players: tuple[Player, ...]
    """With the versions that are online."""
    room: int
    """For how many more matches each of them has room."""


class MatchFactory:
    """Shared by all contests, so that no two of them count on the same room of a bot."""

    def __init__(self, referee: Referee, accounts: Accounts) -> None:
        self._referee = referee
        self._accounts = accounts
        self._reserved: Counter[Player] = Counter()
        """Room for matches that are being created."""

    def online_version(self, player: Player, game: str) -> str:
        """Return the version of the bot that would play now. Empty: it is offline or does not accept the game."""
        free = self._referee.free_capacity(player, game)
        return free.player.version if free else ""

    def is_present(self, player: Player, game: str) -> bool:
        """Return whether the bot is online and takes matches of the game: it has room, or matches in play."""
        free = self._referee.free_capacity(player, game)
        return free is not None and (free.room > 0 or self._referee.count_in_play(player.bot) > 0)

    async def find_paused(self, players: Iterable[Player]) -> str | None:
        """Return the first bot that is paused. None: none is."""
        for name in dict.fromkeys(player.bot for player in players):
            if (await self._accounts.bot(name)).pause:
                return name
        return None

    def availability(
        self, players: Iterable[Player], games: Iterable[str], labels: Mapping[str, str]
    ) -> BotAvailability | None:
        """Return how the bots can play matches of each game with these labels. None: not all of them are online."""
        found = {
            (player, game): self._referee.free_capacity(player, game, labels) for player in players for game in games
        }
        capacities = [free for free in found.values() if free]
        if len(capacities) < len(found):
            return None
        room = min(max(0, free.room - self._reserved[free.player]) for free in capacities)
        return BotAvailability(tuple(dict.fromkeys(free.player for free in capacities)), room)

    async def create(self, request: MatchRequest) -> Match:
        """Create a match with the versions of its bots that are online, or return it if it was created before.

        Raises BotUnavailable, RefereeDraining, StoreUnavailable, or what is wrong with its terms.
        """
        self._online_players(request)
        if paused := await self.find_paused(request.players):
            raise BotUnavailable(paused)
        players = self._online_players(request)  # A bot may have left in the meantime, or started another match.
        self._reserved.update(set(players))
        try:
            return (await self._referee.create(replace(request, players=players))).status.match
        finally:
            self._reserved.subtract(set(players))

    async def find(self, state: ContestState, due: DueMatch) -> Match | None:
        """Return the match that the contest created for `due`, or None. Raises StoreUnavailable."""
        try:
            return (await self._referee.status(match_id_for(state, due))).match
        except NoSuchMatch:
            return None

    def _online_players(self, request: MatchRequest) -> tuple[Player, ...]:
        """Return the players with the versions that are online. Raises BotUnavailable."""
        players: list[Player] = []
        for player in request.players:
            found = self.availability([player], [request.terms.game], request.labels)
            if found is None or not found.room:
                raise BotUnavailable(player.bot)
            players += found.players
        return tuple(players)


class WaitReason(Enum):
    BOTS = "bots"
    """A bot is offline, or has no room left after the matches before this one."""
    PLACE = "place"
    """The contest has reached its limit of matches in play at the same time."""
    NOTHING = "nothing"
    """It can start, and will soon unless a bot is paused or something is wrong."""


class QueuedMatch(Struct, frozen=True, gc=False):
    waits_for: WaitReason
    age_ms: int
    """Time since its pairing was due, by the wall clock."""


class MatchQueue(Struct, frozen=True, gc=False):
    """Planned matches of all contests of one kind that have not started."""

    contests: int
    """Number of active contests."""
    waiting: tuple[QueuedMatch, ...]


def queue_of(active: Iterable[ContestState], factory: MatchFactory, now_ms: int) -> MatchQueue:
    """Return the queue of these contests."""
    contests = list(active)
    return MatchQueue(len(contests), tuple(due for contest in contests for due in _queued(contest, factory, now_ms)))


def _queued(contest: ContestState, factory: MatchFactory, now_ms: int) -> Iterator[QueuedMatch]:
    full = contest.full
    reserved: Counter[tuple[Player, ...]] = Counter()
    """Room of bots that matches earlier in the queue take."""

    @cache
    def room(bots: tuple[Player, ...], game: str) -> int | None:
        """Return the room of the bots of an entrant. None: not all of them are online."""
        available = factory.availability(bots, [game], contest.labels)
        return available.room if available else None

    for due in contest.waiting:
        game = contest.match_terms(due).game
        rooms = {bots: room(bots, game) for bots in (contest.players_of(due, who) for who in due.pairing.participants)}
        free = all(places is not None and places > reserved[bots] for bots, places in rooms.items())
        if None not in rooms.values():
            reserved.update(rooms.keys())
        waits_for = WaitReason.PLACE if full else WaitReason.NOTHING if free else WaitReason.BOTS
        if contest.planned_ms[due.pairing.id] <= now_ms:
            yield QueuedMatch(waits_for, now_ms - contest.planned_ms[due.pairing.id])
