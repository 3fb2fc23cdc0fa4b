"""State of a ladder: the pure ladder, its creation, and the times of its pairings, seasons and starts."""

from collections.abc import Collection, Mapping

from msgspec.structs import replace

from engines.api import Game, Seat
from referee.contests.contest_entrant import ContestEntrant
from referee.contests.ladder import events as climb
from referee.contests.ladder.state import Ladder, LadderPhase, LadderPlayTerms, evolve
from referee.contests.pairing import ContestMatchStarted, DueMatch, DuplicateSets, Sides
from referee.contests.strength.rating import RatingRecord
from referee.hosting.contest_log import LADDER, ContestEntry, LadderCreated
from referee.hosting.contest_terms import HostedLadderTerms, Seating, seating
from referee.hosting.hosted_contest import HostedContest
from referee.hosting.hosting_errors import ContestDamaged
from referee.live.match_request import find_game
from referee.match.match_terms import MatchTerms
from referee.match.result import PlayerRating, RatingChange
from referee.match.setup import Player


class LadderState(HostedContest[LadderCreated], frozen=True, gc=False):
    kind = LADDER
    ladder: Ladder
    seating: Seating
    sides: Sides
    """Seats of its games, by side."""
    seasons: tuple[tuple[int, int], ...]
    """When each season started, including the first: number and time of the entry."""
    last_start: tuple[int, int] = (0, 0)
    """When its last match started: number and time of the entry. Zeros: none has."""

    corrected_from: int = 0
    """Number of the entry with which the first season began that was computed again. 0: none was."""
    corrected_until: int = 0
    """Number of the entry of the last correction. 0: there is none."""

    @property
    def season_started_ms(self) -> int:
        return self.seasons[-1][1]

    @property
    def play(self) -> Ladder:
        return self.ladder

    @property
    def all_entrants(self) -> Mapping[str, ContestEntrant]:
        return self.ladder.all_entrants

    @property
    def present_entrants(self) -> Collection[ContestEntrant]:
        """Entrants that have not left."""
        return self.ladder.entrants.values()

    @property
    def terms(self) -> HostedLadderTerms:
        return self.created.terms

    @property
    def closed(self) -> bool:
        """Whether it has stopped pairing."""
        return self.ladder.phase is not LadderPhase.OPEN

    @property
    def over(self) -> bool:
        """Whether it is closed and all its matches are over; the state no longer changes."""
        return self.ladder.phase is LadderPhase.CLOSED

    @property
    def labels(self) -> Mapping[str, str]:
        """Labels `ladder` and `tournament` of its matches, as far as they have them."""
        return {LADDER: self.name}

    @property
    def unstarted(self) -> list[DueMatch]:
        """Matches that were planned and have not started, including those that must not start now."""
        return self.ladder.due_matches

    @property
    def waiting(self) -> list[DueMatch]:
        """Matches that may start as far as the ladder is concerned."""
        return [] if self.ladder.paused else self.ladder.due_matches

    def players_of(self, _: DueMatch, name: str) -> tuple[Player, ...]:
        """Return the bots with which an entrant plays a match."""
        return self.ladder.all_entrants[name].bots

    def has_bot(self, bot: str) -> bool:
        """Return whether an entrant plays with that bot."""
        return self.ladder.entrant_of(bot) is not None

    def match_terms(self, due: DueMatch) -> MatchTerms:
        """Return the terms of a match; those of one set are the same."""
        return self.terms.match_terms[self.ladder.match_kind(due.pairing)]

    def is_set_open(self, set_id: str, but: str) -> bool:
        """Return whether a set of duplicate play has matches left to play, without the due match with the id `but`."""
        pairing, _, number = set_id.rpartition("/")
        course = self.ladder.pairings.get(pairing)
        left = () if course is None else course.matches_in_play if self.closed else course.due_matches
        return any(due.set_number == int(number) and due.id != but for due in left)

    def by_seat(self, rated: climb.MatchRated) -> tuple[RatingChange, ...]:
        """Return the rating changes of a match in the order of seats. Partners share one, repeated at their seats."""
        changed = {change.player: change for change in rated.changes}
        found: dict[Seat, RatingChange] = {}
        for players, seats in zip(rated.finish.sides, self.sides, strict=True):
            for place, seat in enumerate(seats):
                player = players[min(place, len(players) - 1)]
                before, after = self._player_rating(changed[player].before), self._player_rating(changed[player].after)
                found[seat] = RatingChange(seat, self._bot(player, place), player.version, before, after)
        return tuple(found[seat] for seat in sorted(found))

    def _bot(self, player: Player, place: int) -> str:
        """Return the name of the bot of a rated player; of partners, of the one at that place."""
        return (
            self.ladder.all_entrants[player.bot].bots[place].bot
            if self.ladder.terms.bots_per_entrant > 1
            else player.bot
        )

    def _player_rating(self, row: RatingRecord) -> PlayerRating:
        return PlayerRating(row.rating.value, row.rating.deviation, row.matches, self.ladder.terms.is_provisional(row))


def with_time(rated: climb.MatchRated, at_ms: int) -> climb.MatchRated:
    """Return the event with the time when it was rated; older logs have the time of the entry only."""
    return rated if rated.at_ms else replace(rated, at_ms=at_ms)


class LadderFold:
    """Returns the state of a ladder after an entry, for a server with these games."""

    def __init__(self, games: Mapping[str, Game]) -> None:
        self._games = games

    def __call__(self, state: LadderState | None, entry: ContestEntry) -> LadderState:
        event = entry.event
        if state is None:
            if not isinstance(event, LadderCreated):
                raise ContestDamaged(entry.contest)
            return self.initial_state(event, entry.at_ms)
        if isinstance(event, climb.MatchRated):
            event = with_time(event, entry.at_ms)
        after = replace(state, ladder=evolve(state.ladder, event), number=entry.number)  # type: ignore[arg-type]
        if isinstance(event, climb.PairingPlanned):
            planned = {**state.planned_ms, event.pairing.id: entry.at_ms}
            return replace(after, planned_ms={key: planned[key] for key in after.ladder.pairings})
        if isinstance(event, ContestMatchStarted):
            return replace(after, last_start=(entry.number, entry.at_ms))
        if isinstance(event, climb.MatchCorrected):
            first = state.seasons[event.seasons[0].season - 1][0]
            return replace(
                after, corrected_from=min(state.corrected_from or first, first), corrected_until=entry.number
            )
        if isinstance(event, climb.SeasonStarted):
            return replace(after, seasons=(*state.seasons, (entry.number, entry.at_ms)))
        return after

    def initial_state(self, created: LadderCreated, at_ms: int) -> LadderState:
        """Return the state after the first entry, without entrants."""
        terms, value = created.terms, created.terms.value
        first = terms.match_terms[0]
        table = find_game(self._games, first.game).table(first.settings)
        seats = seating(table, value.partner_rule)
        duplicate = value.duplicate_play
        pure = LadderPlayTerms(
            created.name,
            created.seed,
            len(seats.places),
            seats.sides,
            seats.bots,
            DuplicateSets(duplicate.arrangements, len(duplicate.openings)) if duplicate else None,
            len(terms.match_terms),
            value.max_concurrent_matches or None,
            value.rematch_after or 0,
            value.provisional_matches or 0,
        )
        return LadderState(Ladder(pure), seats, table.sides, ((1, at_ms),), created=created, created_ms=at_ms)
