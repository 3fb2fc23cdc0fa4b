"""A ladder as it is held here: the pure value, who made it, and when what happened."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from engines.api import Game, Seat
from referee.app.contests.events import LadderMade
from referee.app.contests.log import LADDER, ContestEntry, contest_id
from referee.app.contests.refusals import ContestDamaged
from referee.app.contests.seating import Seating, seating
from referee.app.contests.terms import LadderTerms, MatchTerms
from referee.app.wish import Opening, find_game
from referee.contest import ladder_events as climb
from referee.contest.duplicate import Duplicate
from referee.contest.ladder import Ladder, Phase, evolve
from referee.contest.ladder_terms import Terms
from referee.contest.match_events import Began
from referee.contest.pairing import Due, Places
from referee.contest.rated import Rated
from referee.core.rating import PlayerRating, RatingChange
from referee.core.setup import Player


@dataclass(frozen=True, slots=True)
class HeldLadder:
    made: LadderMade
    made_ms: int
    ladder: Ladder
    seating: Seating
    sides: Places
    """The seats of its games, by who stands together."""
    seasons: tuple[tuple[int, int], ...]
    """When each began, the first included: the number of the entry, and its time."""
    number: int = 1
    """Of the last entry that this includes."""
    planned_ms: Mapping[str, int] = field(default_factory=dict)
    """When each pairing was planned that is not done, by its id."""
    began: tuple[int, int] = (0, 0)
    """When its last match began: the number of the entry, and its time. Zeros: none has."""

    @property
    def season_began_ms(self) -> int:
        return self.seasons[-1][1]

    @property
    def contest(self) -> str:
        """Its name in the log of contests, and the maker of its matches."""
        return contest_id(LADDER, self.made.name)

    @property
    def terms(self) -> LadderTerms:
        return self.made.terms

    @property
    def closed(self) -> bool:
        """It pairs nobody any more."""
        return self.ladder.phase is not Phase.OPEN

    @property
    def over(self) -> bool:
        """All its matches are over, too; nothing will change any more."""
        return self.ladder.phase is Phase.CLOSED

    @property
    def openings(self) -> tuple[Opening, ...]:
        """Of duplicate play."""
        return self.terms.duplicate.openings if self.terms.duplicate else ()

    @property
    def waiting(self) -> list[Due]:
        """Matches that are planned and have not begun."""
        return [] if self.ladder.paused else self.ladder.due

    @property
    def full(self) -> bool:
        """Are as many matches in play as may be at once?"""
        at_once = self.ladder.terms.matches_at_once
        return at_once is not None and len(self.ladder.playing) >= at_once

    def bots(self) -> dict[str, tuple[Player, ...]]:
        """Of each entrant that is or was in."""
        return {name: entrant.bots for name, entrant in self.ladder.known.items()}

    def match_terms(self, due: Due) -> MatchTerms:
        """Taken in turn, and the same for a whole set."""
        return self.terms.match_terms[self.ladder.kind(due.pairing)]

    def match_id(self, due: Due) -> str:
        """Of a match that has begun."""
        return self.ladder.courses[due.pairing.id].match_ids[due.number, due.attempt]

    def set_open(self, set_id: str, but: str) -> bool:
        """Is anything left to play of that set of duplicate play, `but` for the match that was due by that id?"""
        pairing, _, number = set_id.rpartition("/")
        course = self.ladder.courses.get(pairing)
        left = () if course is None else course.playing if self.closed else course.due
        return any(due.set == int(number) and due.id != but for due in left)

    def by_seat(self, rated: climb.Rated) -> tuple[RatingChange, ...]:
        """What a match did to ratings, in order of seats. Partners have one rating, told at the seat of each."""
        changed = {change.player: change for change in rated.changes}
        found: dict[Seat, RatingChange] = {}
        for players, seats in zip(rated.finish.sides, self.sides, strict=True):
            for place, seat in enumerate(seats):
                player = players[min(place, len(players) - 1)]
                before, after = self._told(changed[player].before), self._told(changed[player].after)
                found[seat] = RatingChange(seat, self._bot(player, place), player.version, before, after)
        return tuple(found[seat] for seat in sorted(found))

    def _bot(self, player: Player, place: int) -> str:
        """The name of the bot that is rated so; of partners, of the one in that place."""
        return self.ladder.known[player.bot].bots[place].bot if self.ladder.terms.bots > 1 else player.bot

    def _told(self, it: Rated) -> PlayerRating:
        return PlayerRating(it.rating.value, it.rating.deviation, it.matches, self.ladder.terms.provisional(it))


class LadderFold:
    """How a ladder stands after an entry, in a house of these games."""

    def __init__(self, games: Mapping[str, Game]) -> None:
        self._games = games

    def __call__(self, held: HeldLadder | None, entry: ContestEntry) -> HeldLadder:
        event = entry.event
        if held is None:
            if not isinstance(event, LadderMade):
                raise ContestDamaged(entry.contest)
            return self.opened(event, entry.at_ms)
        after = replace(held, ladder=evolve(held.ladder, event), number=entry.number)  # type: ignore[arg-type]
        if isinstance(event, climb.Paired):
            planned = {**held.planned_ms, event.pairing.id: entry.at_ms}
            return replace(after, planned_ms={key: planned[key] for key in after.ladder.courses})
        if isinstance(event, Began):
            return replace(after, began=(entry.number, entry.at_ms))
        if isinstance(event, climb.SeasonBegan):
            return replace(after, seasons=(*held.seasons, (entry.number, entry.at_ms)))
        return after

    def opened(self, made: LadderMade, at_ms: int) -> HeldLadder:
        """Nobody is on it yet."""
        terms = made.terms
        first = terms.match_terms[0]
        table = find_game(self._games, first.game).table(first.settings)
        seats = seating(table, terms.partners)
        duplicate = terms.duplicate
        pure = Terms(
            made.name,
            made.seed,
            len(seats.places),
            seats.sides,
            seats.bots,
            Duplicate(duplicate.arrangements or len(table.sides), len(duplicate.openings)) if duplicate else None,
            len(terms.match_terms),
            terms.matches_at_once or None,
            terms.rematch_after,
            terms.provisional_matches,
        )
        return HeldLadder(made, at_ms, Ladder(pure), seats, table.sides, ((1, at_ms),))
