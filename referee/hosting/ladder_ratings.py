"""Ratings of ladders: what a finished match changes, the history of a rating, and ratings that seed a tournament.

Every match with the label of a ladder is rated on it: matches of the ladder, of a tournament, and those that its
organiser has created. The rating changes are written in the same transaction as the end of the match. A match ends
without them if the ladder is closed or its log damaged, if the match has other sides than those of the ladder, if a
player has two seats, if partners are no entrant of a ladder with fixed partners, or if two entrants have the same
owner.
"""

from bisect import bisect_right
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from msgspec import Struct
from msgspec.structs import replace

from engines.api import Game
from referee.contests.ladder.commands import RateMatch
from referee.contests.ladder.decide import decide
from referee.contests.ladder.events import MatchRated
from referee.contests.ladder.state import Ladder
from referee.contests.strength.rating import FinishOrder, RatingRecord, finish_order_of
from referee.hosting import contest_log as kinds
from referee.hosting.contest_log import ContestEntry, ContestLog, co_appended, contest_id
from referee.hosting.contest_store import ContestRegistry, ContestStore
from referee.hosting.hosting_errors import ContestDamaged
from referee.hosting.joined_matches import PairingOwners
from referee.hosting.ladder_corrections import CorrectedRatings
from referee.hosting.ladder_state import LadderState
from referee.live.match_request import LADDER, MAKER, REQUEST_ID, find_game
from referee.live.ports import CoAppend, Conflict, Time
from referee.live.runner_dependencies import MatchRating
from referee.match.setup import Player
from referee.match.state import Match

HISTORY_BATCH_SIZE = 500
"""How many entries of the log are read at once."""


class LadderResult(Struct, frozen=True, gc=False):
    """The result of a match, as its ladder rates it."""

    finish: FinishOrder[Player]
    forfeited: tuple[Player, ...]
    due: str
    """Id of the due match of the ladder that was played. Empty: the ladder did not plan it."""


class RatingPoint(Struct, frozen=True, gc=False):
    """One point of the history of a rating."""

    number: int
    """Number of the entry in the ladder's log."""
    at_ms: int
    match_id: str
    version: str
    rated: RatingRecord
    """Rating after the match."""
    season: int
    place: int = 0
    """Place of the player among those whose ratings the match changed."""


@dataclass(eq=False)
class LadderRatings:
    """Rates matches on their ladders when they end."""

    _ladders: ContestRegistry[LadderState]
    _games: Mapping[str, Game]
    _owners: PairingOwners
    _time: Time

    @asynccontextmanager
    async def rate(self, match: Match) -> AsyncIterator[MatchRating]:
        """Lock the ladder of `match`, and yield what the end of the match does to ratings.

        The caller appends both to the logs within the context; on exit the ladder applies its entries.
        """
        contest = contest_id(kinds.LADDER, dict(match.setup.labels)[LADDER])
        store = await self._find(contest)
        if store is None:
            yield MatchRating()
            return
        async with store.lock:
            rating = (
                MatchRating() if await self._is_between_own_bots(store.state, match) else self._rating(store, match)
            )
            try:
                yield rating
            except Conflict as conflict:
                if conflict.of == contest:
                    await store.reload()
                raise
            if rating.co_append and rating.committed_ms is not None:
                store.apply(co_appended(rating.co_append, rating.committed_ms))

    def result_of(self, state: LadderState, match: Match) -> LadderResult | None:
        """See `result_on_ladder`."""
        return result_on_ladder(state, match, self._games)

    async def _find(self, contest: str) -> ContestStore[LadderState] | None:
        """Return the ladder; None: there is none, or its log is damaged."""
        if contest not in self._ladders.first_entries:
            return None
        try:
            return await self._ladders.get(contest)
        except ContestDamaged:
            return None

    async def _is_between_own_bots(self, state: LadderState, match: Match) -> bool:
        """Return whether bots of one owner play, of which one has never joined, so that the ladder does not know it."""
        joined = {player.bot for entrant in state.ladder.all_entrants.values() for player in entrant.bots}
        bots = {player.bot for player in match.players}
        if state.ladder.terms.bots_per_entrant > 1 or bots <= joined:
            return False
        owners = [owner for bot in bots for owner in await self._owners.of((Player(bot),))]
        return len(set(owners)) < len(owners)

    def _rating(self, store: ContestStore[LadderState], match: Match) -> MatchRating:
        state = store.state
        result = self.result_of(state, match)
        now_ms = self._time.wall_ms()
        rate = result and RateMatch(match.setup.match_id, result.finish, result.forfeited, result.due, now_ms)
        events = tuple(decide(state.ladder, rate)) if rate else ()
        if not events:
            return MatchRating()
        changes = [change for event in events if isinstance(event, MatchRated) for change in state.by_seat(event)]
        return MatchRating(tuple(changes), CoAppend(store.contest, store.number, events))


def result_on_ladder(state: LadderState, match: Match, games: Mapping[str, Game]) -> LadderResult | None:
    """Return the result of a match that is over. None: it is void, or cannot be rated on the ladder."""
    terms = match.terms
    if match.result is None or find_game(games, terms.game).table(terms.settings).sides != state.sides:
        return None
    rated = _rated_players(state, match.players)
    if rated is None:
        return None
    sides = tuple(tuple(dict.fromkeys(rated[seat] for seat in side)) for side in state.sides)
    finish = finish_order_of(match.result, sides)
    labels = dict(match.setup.labels)
    due = labels.get(REQUEST_ID, "") if labels.get(MAKER) == state.contest else ""
    forfeited = dict.fromkeys(rated[forfeit.seat] for forfeit in match.result.forfeits)
    return LadderResult(finish, tuple(forfeited), due) if finish else None


async def read_history(
    log: ContestLog, state: LadderState, corrected: CorrectedRatings | None, player: Player, after: int, limit: int
) -> list[RatingPoint]:
    """Return points of the history of a bot, or of one of its versions, oldest first, after entry number `after`.

    `corrected` has the ratings that were computed again because of corrections; None: there were none.
    """
    names = {player.bot}
    if state.ladder.terms.bots_per_entrant > 1:
        known = state.ladder.all_entrants.values()
        names = {entrant.name for entrant in known if player.bot in {bot.bot for bot in entrant.bots}}
    found: list[RatingPoint] = []
    while len(found) < limit and (entries := await log.read(state.contest, after, HISTORY_BATCH_SIZE)):
        points = (point for entry in entries for point in _points(state, entry, names, player.version))
        found += (shown for point in points if (shown := _with_correction(point, state, corrected)))
        after = entries[-1].number
    return found[:limit]


def seed_rating(ladder: Ladder, bots: Sequence[Player]) -> float | None:
    """Return the rating by which an entrant of a tournament is seeded. None: it has none on this ladder.

    It is that of the version that the entrant names, or else of the newest rated one. Partners have one in common.
    """
    ratings = ladder.current_season.ratings
    player = _newest_version(ratings, bots[0]) if len(bots) == 1 else _common_player(ladder, bots)
    return ratings[player].rating.value if player in ratings else None


def team_seed_rating(ladder: Ladder, bots: Sequence[Player]) -> float | None:
    """Return the average rating of those bots of a team that have one. None: none of them has."""
    ratings = [rating for bot in bots if (rating := seed_rating(ladder, (bot,))) is not None]
    return sum(ratings) / len(ratings) if ratings else None


def _rated_players(state: LadderState, players: Sequence[Player]) -> list[Player] | None:
    """Return the rated player of each seat: the bot, or the entrant of fixed partners. None: one cannot be rated."""
    if state.ladder.terms.bots_per_entrant == 1:
        return list(players) if len(set(players)) == len(players) else None
    names = {frozenset(bot.bot for bot in entrant.bots): name for name, entrant in state.ladder.all_entrants.items()}
    rated: dict[int, Player] = {}
    for side in state.sides:
        name = names.get(frozenset(players[seat].bot for seat in side))
        if name is None:
            return None
        rated |= dict.fromkeys(side, Player(name))
    return [rated[seat] for seat in sorted(rated)] if len(set(rated.values())) == len(state.sides) else None


def _with_correction(point: RatingPoint, state: LadderState, corrected: CorrectedRatings | None) -> RatingPoint | None:
    """Return the point as it is with all corrections. None: the match is struck."""
    if corrected is None or not state.corrected_from < point.number < state.corrected_until:
        return point
    rated = corrected.after(point.number, point.place)
    return replace(point, rated=rated) if rated else None


def _points(state: LadderState, entry: ContestEntry, names: set[str], version: str) -> list[RatingPoint]:
    if not isinstance(entry.event, MatchRated):
        return []
    season = bisect_right([number for number, _ in state.seasons], entry.number)
    return [
        RatingPoint(entry.number, entry.at_ms, entry.event.match_id, change.player.version, change.after, season, place)
        for place, change in enumerate(entry.event.changes)
        if change.player.bot in names and version in ("", change.player.version)
    ]


def _newest_version(rated: Iterable[Player], wanted: Player) -> Player:
    versions = [player for player in rated if player.bot == wanted.bot and wanted.version in ("", player.version)]
    return versions[-1] if versions else wanted


def _common_player(ladder: Ladder, bots: Sequence[Player]) -> Player:
    names = [player.bot for player in bots]
    entrants = (entrant for entrant in ladder.entrants.values() if [player.bot for player in entrant.bots] == names)
    return next((entrant.rated_player() for entrant in entrants), Player())
