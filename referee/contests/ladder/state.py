"""State of a ladder, and how each event changes it.

`evolve` never fails, because an event has already happened. `decide` checks commands before they become events.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any
from zlib import crc32

from msgspec import Struct, field
from msgspec.structs import replace

from engines.chance import Chance
from referee.contests.contest_entrant import ContestEntrant, EntrantJoined, EntrantLeft
from referee.contests.corrections import Correction, with_request
from referee.contests.ladder import events
from referee.contests.ladder.events import LadderEvent
from referee.contests.ladder.rating_rules import RatingHistory, holders_of
from referee.contests.ladder.season import LadderStandingsRow, Season, SeasonStandings
from referee.contests.pairing import (
    ContestMatchScored,
    ContestMatchStarted,
    ContestMatchVoided,
    DueMatch,
    DuplicateSets,
    Pairing,
    PairingHistory,
    SetStart,
    Sides,
    derive_set_start,
)
from referee.contests.pairing_progress import PairingProgress
from referee.contests.strength.rating import RatingRecord, SkillRating
from referee.match.setup import Player

MAX_DONE_CHALLENGES = 1_000
"""Challenges that are done and whose request ids are still known."""


class LadderPlayTerms(Struct, frozen=True, gc=False):
    """The terms of a ladder that affect pairing and rating."""

    name: str
    seed: bytes
    """Source of all randomness of the ladder: the seeds of sets."""
    table_size: int = 2
    """Entrants in each match."""
    sides: Sides = ()
    """Partners, as positions at a table. Empty: each entrant plays alone."""
    bots_per_entrant: int = 1
    """Several are fixed partners, which share one rating."""
    duplicate: DuplicateSets | None = None
    """None: single matches."""
    match_kinds: int = 1
    """Number of match configurations, which are used in turn."""
    max_concurrent_matches: int | None = None
    rematch_after: int = 1
    """Number of other opponents before a rematch, if there are enough."""
    provisional_matches: int = 20
    """Matches after which a rating is no longer provisional."""

    @property
    def chance(self) -> Chance:
        return Chance(self.seed)

    def is_provisional(self, rating: RatingRecord) -> bool:
        return rating.matches < self.provisional_matches


NO_PLAYERS: Mapping[str, Player] = {}
NO_ESTIMATES: Mapping[Player, SkillRating] = {}


class LadderPhase(Enum):
    OPEN = "open"
    CLOSING = "closing"
    """Pairing has stopped; matches in play are finished."""
    CLOSED = "closed"


BUCKETS = 1024


class RatedMatches(Struct, frozen=True, gc=False):
    """Which matches a ladder has rated, so that none is rated twice, and which of them staff corrected.

    There may be a hundred thousand, so an addition copies only the list of buckets, and the bucket of the id.
    """

    buckets: tuple[Mapping[str, int], ...] = ({},) * BUCKETS
    """Season of each match, by id, in the bucket of its id. Struck matches are included."""
    corrections: Mapping[str, events.MatchCorrected] = field(default_factory=dict)
    """Corrections that count, by match, without what followed from them."""
    requests: Mapping[str, Correction] = field(default_factory=dict)
    """The newest corrections, by request id."""

    def season_of(self, match_id: str) -> int | None:
        """Return the season in which a match was rated. None: it was not."""
        return self.buckets[_bucket(match_id)].get(match_id)

    def with_match(self, match_id: str, season: int) -> "RatedMatches":
        place = _bucket(match_id)
        changed = {**self.buckets[place], match_id: season}
        return replace(self, buckets=(*self.buckets[:place], changed, *self.buckets[place + 1 :]))

    def with_correction(self, event: events.MatchCorrected) -> "RatedMatches":
        correction = event.correction
        corrections = {key: earlier for key, earlier in self.corrections.items() if key != correction.match_id}
        if correction.kind != "restored":
            corrections[correction.match_id] = replace(event, seasons=(), versions=())
        return replace(self, corrections=corrections, requests=with_request(self.requests, correction))


def _bucket(match_id: str) -> int:
    return crc32(match_id.encode()) % BUCKETS


class Ladder(Struct, frozen=True, gc=False):
    """A ladder after some events."""

    terms: LadderPlayTerms
    phase: LadderPhase = LadderPhase.OPEN
    paused: bool = False
    """No matches start until the ladder is resumed."""
    message: str = ""
    """Reason given for the closure."""
    entrants: Mapping[str, ContestEntrant] = field(default_factory=dict)
    """Present entrants, in the order of joining."""
    all_entrants: Mapping[str, ContestEntrant] = field(default_factory=dict)
    """All entrants that ever joined, with their latest bots."""
    season: int = 1
    current_season: Season = field(default_factory=Season)
    past_seasons: tuple[tuple[Season, Mapping[str, ContestEntrant]], ...] = ()
    """Earlier seasons in order, each with the entrants at its end."""
    season_requests: Mapping[str, int] = field(default_factory=dict)
    """Number of the season that a request started, by request id."""
    pairings: Mapping[str, PairingProgress] = field(default_factory=dict)
    """Pairings by id, in the order of planning. The next planning drops those that are done, except challenges."""
    challenges: Mapping[str, str] = field(default_factory=dict)
    """Ids of the pairings that were requested, by request id: the open ones and the last that are done."""
    planned_count: int = 0
    """Number of pairings planned so far."""
    pairing_history: PairingHistory = field(default_factory=PairingHistory)
    rating_history: RatingHistory = field(default_factory=RatingHistory)
    last_pairings: Mapping[str, int] = field(default_factory=dict)
    """Number of each entrant's last pairing; before its first one, of the last pairing planned when it joined."""
    availability: Mapping[str, events.EntrantAvailability] = field(default_factory=dict)
    """Entrants that were available at the last planning and have not left since, by name."""
    rated_matches: RatedMatches = field(default_factory=RatedMatches)

    @property
    def open_pairings(self) -> list[PairingProgress]:
        """Pairings that are not done. While the ladder closes, only those in play: the others lapse."""
        may_start = self.phase is LadderPhase.OPEN
        return [each for each in self.pairings.values() if not each.is_done and (may_start or each.matches_in_play)]

    @property
    def matches_in_play(self) -> list[DueMatch]:
        """Matches that were created and have no result yet."""
        return [due for progress in self.pairings.values() for due in progress.matches_in_play]

    @property
    def due_matches(self) -> list[DueMatch]:
        """Matches that were not created yet, challenges first."""
        if self.phase is not LadderPhase.OPEN:
            return []
        challenged = set(self.challenges.values())
        first = sorted(self.open_pairings, key=lambda progress: progress.pairing.id not in challenged)
        return [
            due
            for progress in first
            for due in progress.due_matches
            if (due.number, due.attempt) not in progress.match_ids
        ]

    def sequence_of(self, pairing: Pairing) -> int:
        """Return the index of the pairing in the order of planning."""
        return int(pairing.id) - 1

    def match_kind(self, pairing: Pairing) -> int:
        """Return the index of the match configuration that the pairing uses."""
        return self.sequence_of(pairing) % self.terms.match_kinds

    def set_start(self, due: DueMatch) -> SetStart | None:
        """Return the common start of the match's set. None without duplicate play."""
        duplicate = self.terms.duplicate
        return derive_set_start(due, duplicate, self.terms.chance, self.sequence_of(due.pairing)) if duplicate else None

    def pairings_since_last(self, name: str) -> int:
        """Return how many pairings were planned since the entrant's last one."""
        return self.planned_count - self.last_pairings[name]

    def open_challenges_of(self, caller: str) -> list[Pairing]:
        """Return the pairings that are not done and were requested under ids that begin with `caller`."""
        requested = (self.pairings[key] for request, key in self.challenges.items() if request.startswith(caller))
        return [progress.pairing for progress in requested if not progress.is_done]

    def rating(self, player: Player, now_ms: int = 0) -> RatingRecord:
        """Return the current rating of a player at a time; for a new version, the one with which it starts."""
        return self.rating_history.rating(self.current_season.ratings, player, now_ms)

    def standings(
        self,
        online: Mapping[str, Player] = NO_PLAYERS,
        season: int = 0,
        all_versions: bool = False,
        now_ms: int = 0,
        estimates: Mapping[Player, SkillRating] = NO_ESTIMATES,
    ) -> list[LadderStandingsRow]:
        """Return the standings, best first, of a season, which must exist; 0 is the current one.

        `online` has the version with which each available entrant would play. The current season shows that version,
        or else the one that was rated last. With `all_versions`, each rated version has a row. `estimates` of the
        season replace ratings. Those of the current season are shown as at `now_ms`, until the ladder is closed.
        """
        current = season in (0, self.season)
        shown, entrants = (self.current_season, self.entrants) if current else self.past_seasons[season - 1]
        playing = online if current else NO_PLAYERS
        at_ms = self.rating_history.last_ms if self.phase is LadderPhase.CLOSED else now_ms
        shown, history = shown.with_estimates(estimates), self.rating_history
        rating_of = (lambda player: history.rating(shown.ratings, player, at_ms)) if current else shown.rating
        table = SeasonStandings(shown, entrants, self.terms.is_provisional, rating_of)
        return table.rows(playing, online, all_versions=all_versions)

    def entrant_of(self, bot: str) -> ContestEntrant | None:
        """Return the present entrant with this bot, or None."""
        namesake = self.entrants.get(bot)
        if namesake and bot in {player.bot for player in namesake.bots}:
            return namesake
        return next((each for each in self.entrants.values() if bot in {player.bot for player in each.bots}), None)


def evolve(ladder: Ladder, event: LadderEvent) -> Ladder:
    """Return the ladder after one more event."""
    return EVOLVE[type(event)](ladder, event)


def _joined(ladder: Ladder, event: EntrantJoined) -> Ladder:
    entrant = event.entrant
    return replace(
        ladder,
        entrants={**ladder.entrants, entrant.name: entrant},
        all_entrants={**ladder.all_entrants, entrant.name: entrant},
        last_pairings={**ladder.last_pairings, entrant.name: ladder.planned_count},
    )


def _left(ladder: Ladder, event: EntrantLeft) -> Ladder:
    """Matches in play are finished; no others of the entrant start."""
    entrants = {name: entrant for name, entrant in ladder.entrants.items() if name != event.name}
    pairings = {
        key: progress.with_departure(event.name)
        if event.name in progress.pairing.entrants and not progress.is_done
        else progress
        for key, progress in ladder.pairings.items()
    }
    availability = {name: available for name, available in ladder.availability.items() if name != event.name}
    return replace(ladder, entrants=entrants, pairings=pairings, availability=availability)


def _paired(ladder: Ladder, event: events.PairingPlanned) -> Ladder:
    challenges = _without_oldest(ladder)
    pairing, challenged = event.pairing, set(challenges.values())
    kept = {key: progress for key, progress in ladder.pairings.items() if key in challenged or not progress.is_done}
    planned = ladder.planned_count + 1
    return replace(
        ladder,
        pairings={**kept, pairing.id: PairingProgress(pairing)},
        challenges={**challenges, event.challenge: pairing.id} if event.challenge else challenges,
        planned_count=planned,
        pairing_history=ladder.pairing_history.with_pairing(
            pairing.entrants, pairing.sides, ladder.terms.rematch_after
        ),
        last_pairings={**ladder.last_pairings, **dict.fromkeys(pairing.entrants, planned)},
        availability=availability_after(ladder, event.planning) if event.planning else ladder.availability,
    )


def availability_after(ladder: Ladder, planning: events.PlanningInput) -> dict[str, events.EntrantAvailability]:
    """Return the entrants that were available at a planning, in the order of joining."""
    known = {**ladder.availability, **{entrant.name: entrant for entrant in planning.changed}}
    return {name: known[name] for name in ladder.entrants if name in known and name not in planning.gone}


def _without_oldest(ladder: Ladder) -> Mapping[str, str]:
    """Return the challenges without the oldest done ones, since entrants can challenge without end."""
    if len(ladder.challenges) <= MAX_DONE_CHALLENGES:
        return ladder.challenges
    done = [request for request, key in ladder.challenges.items() if ladder.pairings[key].is_done]
    forgotten = set(done[: max(0, len(done) - MAX_DONE_CHALLENGES)])
    return {request: key for request, key in ladder.challenges.items() if request not in forgotten}


def _match_started(ladder: Ladder, event: ContestMatchStarted) -> Ladder:
    return _with_progress(
        ladder, ladder.pairings[event.pairing].with_match_started(event.number, event.attempt, event.match_id)
    )


def _match_scored(ladder: Ladder, event: ContestMatchScored) -> Ladder:
    return _with_progress(ladder, ladder.pairings[event.pairing].with_score(event.number, event.score))


def _match_voided(ladder: Ladder, event: ContestMatchVoided) -> Ladder:
    return _with_progress(ladder, ladder.pairings[event.pairing].with_void(event.number))


def _match_rated(ladder: Ladder, event: events.MatchRated) -> Ladder:
    players = {entrant.name: player for player in event.finish.players if (entrant := _entrant(ladder, player))}
    rated, holders = ladder.current_season.after_match(event), holders_of(ladder.all_entrants, event.finish)
    return replace(
        ladder,
        current_season=replace(rated, last_players={**rated.last_players, **players}),
        rating_history=ladder.rating_history.with_match(event.finish, holders, event.at_ms),
        rated_matches=ladder.rated_matches.with_match(event.match_id, ladder.season),
    )


def _match_corrected(ladder: Ladder, event: events.MatchCorrected) -> Ladder:
    recomputed = {season.season: season for season in event.seasons}
    past = ((old.corrected(recomputed.get(number)), who) for number, (old, who) in enumerate(ladder.past_seasons, 1))
    rated_ms = {row.player: row.rated_ms for row in recomputed[ladder.season].rows}
    return replace(
        ladder,
        past_seasons=tuple(past),
        current_season=ladder.current_season.corrected(recomputed[ladder.season]),
        rating_history=ladder.rating_history.corrected(rated_ms, event.versions),
        rated_matches=ladder.rated_matches.with_correction(event),
    )


def _entrant(ladder: Ladder, player: Player) -> ContestEntrant | None:
    return ladder.entrants.get(player.bot) if ladder.terms.bots_per_entrant > 1 else ladder.entrant_of(player.bot)


def _season_started(ladder: Ladder, event: events.SeasonStarted) -> Ladder:
    challenged = {**ladder.season_requests, event.request: event.season} if event.request else ladder.season_requests
    return replace(
        ladder,
        season=event.season,
        current_season=ladder.current_season.next_season(),
        past_seasons=(*ladder.past_seasons, (ladder.current_season, ladder.entrants)),
        season_requests=challenged,
    )


def _with_progress(ladder: Ladder, progress: PairingProgress) -> Ladder:
    return replace(ladder, pairings={**ladder.pairings, progress.pairing.id: progress})


EVOLVE: dict[type, Callable[[Ladder, Any], Ladder]] = {
    EntrantJoined: _joined,
    EntrantLeft: _left,
    events.PairingPlanned: _paired,
    ContestMatchStarted: _match_started,
    ContestMatchScored: _match_scored,
    ContestMatchVoided: _match_voided,
    events.MatchRated: _match_rated,
    events.MatchCorrected: _match_corrected,
    events.SeasonStarted: _season_started,
    events.LadderPaused: lambda ladder, _: replace(ladder, paused=True),
    events.LadderResumed: lambda ladder, _: replace(ladder, paused=False),
    events.LadderClosureStarted: lambda ladder, event: replace(
        ladder, phase=LadderPhase.CLOSING, message=event.message
    ),
    events.LadderClosureFinished: lambda ladder, _: replace(ladder, phase=LadderPhase.CLOSED),
}
