"""State of a tournament, and how each event changes it.

`evolve` never fails, because an event has already happened. `decide` checks commands before they become events.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace
from referee_values import ByeKind, Elimination, Swiss, TieBreak, TournamentPhase

from referee.contests.contest_entrant import ContestEntrant, EntrantJoined, EntrantLeft
from referee.contests.corrections import Correction, with_request
from referee.contests.pairing import (
    ContestMatchScored,
    ContestMatchStarted,
    ContestMatchVoided,
    DueMatch,
    Pairing,
    SetStart,
    derive_set_start,
)
from referee.contests.pairing_progress import PairingProgress
from referee.contests.systems.knockout import Knockout, build_bracket
from referee.contests.systems.swiss import upper_half
from referee.contests.tables.round_result import DRAW, MISSED, TEAM_DRAW, RoundResult, RoundResults, half_point_bye
from referee.contests.tables.standings import ResultTable, StandingsRow, rank_groups
from referee.contests.tournament import events, sprt_trial
from referee.contests.tournament.events import TournamentEvent
from referee.contests.tournament.pairing_table import PairingTable
from referee.contests.tournament.play_off import standings_after
from referee.contests.tournament.tournament_terms import (
    ScheduledFormat,
    SprtTrial,
    TournamentPlayTerms,
    place_in_schedule,
)


class Tournament(Struct, frozen=True, gc=False):
    """A tournament after some events."""

    terms: TournamentPlayTerms
    entrants: Mapping[str, ContestEntrant] = field(default_factory=dict)
    """Entrants in the order of entry before the start; then in the order of seeds, with late entrants last."""
    withdrawn: tuple[str, ...] = ()
    phase: TournamentPhase = "entry"
    pairings: PairingTable = field(default_factory=PairingTable)
    """Pairings by id, in the order of planning."""
    trial_progress: sprt_trial.TrialProgress = field(default_factory=sprt_trial.TrialProgress)
    """Used only by an SPRT trial."""
    no_shows: Mapping[str, int] = field(default_factory=dict)
    """How many pairings each entrant has lost by absence since its last match."""
    dropped: frozenset[str] = frozenset()
    """Ids of pairings that staff replaced."""
    requested_byes: Mapping[tuple[str, int], ByeKind] = field(default_factory=dict)
    """By entrant and round."""
    last_accelerated: str = ""
    """The last seed of the upper half, from the start of an accelerated Swiss tournament on."""
    correction_requests: Mapping[str, Correction] = field(default_factory=dict)
    """The newest corrections, by request id."""
    name: str = "this tournament"
    """As errors call it."""

    def has_entrant(self, entrant: ContestEntrant) -> bool:
        """Return whether the same entrant is in, and has not withdrawn."""
        known = self.entrants.get(entrant.name)
        return known is not None and known.bots == entrant.bots and entrant.name not in self.withdrawn

    @property
    def active_entrants(self) -> list[str]:
        """Names of entrants that have not withdrawn."""
        return [name for name in self.entrants if name not in self.withdrawn]

    @property
    def open_pairings(self) -> list[PairingProgress]:
        """Pairings that are not done."""
        return self.pairings.open_pairings

    @property
    def round(self) -> int:
        """The last round that has been planned; 0 before the start."""
        return self.pairings.last_round

    @property
    def main_rounds(self) -> int:
        """The last round that has been planned before the play-off."""
        return self.round - bool(self.pairings.play_off)

    @property
    def complete_rounds(self) -> int:
        """The last round before the play-off up to which all pairings are done."""
        first = self.pairings.first_open_round
        return self.main_rounds if first is None else min(first - 1, self.main_rounds)

    @property
    def matches_in_play(self) -> list[DueMatch]:
        """Matches that were created and have no result yet."""
        return self.pairings.matches_in_play

    def due_matches(self, besides: Iterable[str] = ()) -> list[DueMatch]:
        """Return the matches to start now, within the limit on concurrent matches.

        Matches in play are not included, nor are those whose ids are in `besides`, but both count towards the limit.
        """
        if self.phase != "playing":
            return []
        busy = {due.id for due in self.matches_in_play}.union(besides)
        waiting = [due for progress in self.open_pairings for due in progress.due_matches if due.id not in busy]
        limit = self.terms.value.max_concurrent_matches
        return waiting[: max(0, limit - len(busy))] if limit else waiting

    def set_start(self, due: DueMatch) -> SetStart | None:
        """Return the common start of the match's set. None without duplicate play."""
        sets = self.terms.duplicate_sets
        return derive_set_start(due, sets, self.terms.chance, self._opening_turn(due.pairing)) if sets else None

    def _opening_turn(self, pairing: Pairing) -> int:
        """Return the index of the pairing's openings: the same within a round, others when two entrants meet again."""
        form = self.terms.format
        if isinstance(form, ScheduledFormat):
            return sum(place_in_schedule(form, len(self.entrants), pairing.round))
        return pairing.round - 1

    @property
    def trial_state(self) -> sprt_trial.TrialState | None:
        """State of the test. None if the format is not an SPRT trial."""
        form = self.terms.format
        if not isinstance(form, SprtTrial):
            return None
        over = self.phase in {"finished", "cancelled"}
        return sprt_trial.evaluate_trial(form, self.trial_progress, self.terms.set_size, over=over)

    def round_results(self, until: int | None = None) -> RoundResults:
        """Return the results of all entrants by round, up to a round. Pairings that are not done are left out.

        Of an SPRT trial, only counted sets are included.
        """
        last = self.trial_progress.sets if isinstance(self.terms.format, SprtTrial) else self.main_rounds
        until = last if until is None else min(until, last)
        by_entrant: dict[str, list[PairingProgress]] = {name: [] for name in self.entrants}
        for progress in self.pairings.values():
            for name in progress.pairing.participants:
                by_entrant[name].append(progress)
        return {name: self._results_of(name, own, until) for name, own in by_entrant.items()}

    def _results_of(self, name: str, own: list[PairingProgress], until: int) -> list[RoundResult]:
        if isinstance(self.terms.format, Elimination):  # Rounds of two brackets overlap.
            done = [progress for progress in own if progress.is_done and progress.pairing.round <= until]
            return [progress.round_result(name) for progress in done]
        by_round = {progress.pairing.round: progress for progress in own}
        half = half_point_bye(self.terms.matches_per_pairing, self.terms.value.boards)
        byes = {number for (who, number), kind in self.requested_byes.items() if (who, kind) == (name, "half_point")}
        return [
            progress.round_result(name) if progress else half if number in byes else MISSED
            for number in range(1, until + 1)
            for progress in [by_round.get(number)]
            if progress is None or progress.is_done
        ]

    def result_table(self, until: int | None = None) -> ResultTable:
        """Return the results as tie-breaks need them."""
        draw = TEAM_DRAW if self.terms.value.boards else DRAW
        return ResultTable(self.round_results(until), not isinstance(self.terms.format, Swiss), draw)

    @property
    def tie_breaks(self) -> tuple[TieBreak, ...]:
        return self.terms.value.tie_breaks

    def standings(self, until: int | None = None) -> list[StandingsRow]:
        """Return the current standings, or those after a round. In a knock-out, they follow the bracket."""
        if isinstance(self.terms.format, Elimination) and self.phase != "entry":
            return rank_groups(self.knockout().groups(), self.result_table(until), self.tie_breaks)
        play_off = self.pairings.play_off if until is None or until > self.main_rounds else []
        return standings_after(play_off, self.result_table(until), self.tie_breaks)

    def knockout(self) -> Knockout:
        """Return the bracket. The format must be an elimination that has started."""
        form = self.terms.format
        assert isinstance(form, Elimination)
        bracket = build_bracket(len(self.entrants), form.double_elimination, form.third_place_match)
        return Knockout(bracket, tuple(self.entrants), self.pairings, self.withdrawn)


def evolve(tournament: Tournament, event: TournamentEvent) -> Tournament:
    return EVOLVE[type(event)](tournament, event)


def _entered(tournament: Tournament, event: EntrantJoined) -> Tournament:
    """With seeding by rating, a late entrant gets the number that it would have had from the start, as FIDE asks."""
    entrants = {**tournament.entrants, event.entrant.name: event.entrant}
    if tournament.phase == "playing" and tournament.terms.value.seeding == "rating":
        entrants = {name: entrants[name] for name in events.by_rating(entrants)}
    return replace(tournament, entrants=entrants)


def _withdrew(tournament: Tournament, event: EntrantLeft) -> Tournament:
    """Before the start, the entrant is removed. Afterwards, its open pairings end."""
    coming = {(event.name, number) for _, number in tournament.requested_byes if number > tournament.round}
    tournament = _without_byes(tournament, coming)
    if tournament.phase == "entry":
        rest = {name: entrant for name, entrant in tournament.entrants.items() if name != event.name}
        return replace(tournament, entrants=rest)
    return replace(
        tournament,
        withdrawn=(*tournament.withdrawn, event.name),
        pairings=tournament.pairings.with_departure(event.name),
    )


def _started(tournament: Tournament, event: events.TournamentPlayStarted) -> Tournament:
    entrants = {name: tournament.entrants[name] for name in event.order}
    accelerated = isinstance(tournament.terms.format, Swiss) and tournament.terms.format.accelerated
    last = event.order[min(upper_half(len(event.order)), len(event.order)) - 1] if accelerated else ""
    return replace(tournament, entrants=entrants, phase="playing", last_accelerated=last)


def _paired(tournament: Tournament, event: events.PairingsPlanned) -> Tournament:
    pairings = (_planned_progress(tournament, pairing, event.not_before_ms) for pairing in event.pairings)
    return replace(tournament, pairings=tournament.pairings.with_new(pairings))


def _planned_progress(tournament: Tournament, pairing: Pairing, not_before_ms: int) -> PairingProgress:
    """A schedule includes entrants that have left. Of two such entrants, the one that left first forfeits."""
    progress = PairingProgress(pairing, not_before_ms=not_before_ms, boards=tournament.terms.value.boards)
    if not isinstance(tournament.terms.format, ScheduledFormat):
        return progress
    left = next((name for name in tournament.withdrawn if name in pairing.entrants), None)
    return progress.with_departure(left) if left else progress


def _match_started(tournament: Tournament, event: ContestMatchStarted) -> Tournament:
    progress = tournament.pairings[event.pairing]
    if tournament.no_shows:
        present = progress.pairing.participants
        counts = {name: count for name, count in tournament.no_shows.items() if name not in present}
        tournament = replace(tournament, no_shows=counts)
    return _with_progress(tournament, progress.with_match_started(event.number, event.attempt, event.match_id))


def _match_scored(tournament: Tournament, event: ContestMatchScored) -> Tournament:
    tournament = _with_progress(tournament, tournament.pairings[event.pairing].with_score(event.number, event.score))
    form = tournament.terms.format
    if not isinstance(form, SprtTrial):
        return tournament
    first, *_ = tournament.entrants
    counted = sprt_trial.count_sets(form, tournament.trial_progress, tournament.pairings, first)
    return replace(tournament, trial_progress=counted)


def _match_voided(tournament: Tournament, event: ContestMatchVoided) -> Tournament:
    return _with_progress(tournament, tournament.pairings[event.pairing].with_void(event.number))


def _absent(tournament: Tournament, event: events.EntrantsAbsent) -> Tournament:
    progress = tournament.pairings[event.pairing].with_absence(event.entrants, event.board)
    counts = {name: tournament.no_shows.get(name, 0) + 1 for name in event.entrants if name in progress.absent}
    tournament = replace(tournament, no_shows={**tournament.no_shows, **counts})
    return _with_progress(tournament, progress)


def _frozen(tournament: Tournament, event: events.VersionsFrozen) -> Tournament:
    frozen = {entrant.name: replace(tournament.entrants[entrant.name], bots=entrant.bots) for entrant in event.entrants}
    return replace(tournament, entrants={**tournament.entrants, **frozen})


def _replaced(tournament: Tournament, event: events.PairingsReplaced) -> Tournament:
    new = (_planned_progress(tournament, pairing, event.not_before_ms) for pairing in event.pairings)
    tournament = _without(tournament, event.dropped)
    return replace(tournament, pairings=tournament.pairings.with_new(new))


def _postponed(tournament: Tournament, event: events.PairingPostponed) -> Tournament:
    return _with_progress(tournament, replace(tournament.pairings[event.pairing], not_before_ms=event.until_ms))


def _reopened(tournament: Tournament, event: events.PairingReopened) -> Tournament:
    progress = tournament.pairings[event.pairing]
    counts = {name: many - (name in progress.absent) for name, many in tournament.no_shows.items()}
    tournament = replace(_without(tournament, event.dropped), no_shows=counts)
    return _with_progress(tournament, progress.with_result_set_aside())


def _bye_requested(tournament: Tournament, event: events.ByeRequested) -> Tournament:
    place = (event.name, event.round)
    if event.bye == "none":
        return _without_byes(tournament, {place})
    return replace(tournament, requested_byes={**tournament.requested_byes, place: event.bye})


def _without_byes(tournament: Tournament, places: Collection[tuple[str, int]]) -> Tournament:
    kept = {place: kind for place, kind in tournament.requested_byes.items() if place not in places}
    return replace(tournament, requested_byes=kept)


def _score_corrected(tournament: Tournament, event: events.ScoreCorrected) -> Tournament:
    progress = tournament.pairings[event.pairing].with_correction(event.number, event.correction, event.score)
    requests = with_request(tournament.correction_requests, event.correction)
    return _with_progress(replace(tournament, correction_requests=requests), progress)


def _without(tournament: Tournament, dropped: tuple[str, ...]) -> Tournament:
    if not dropped:
        return tournament
    return replace(tournament, pairings=tournament.pairings.without(dropped), dropped=tournament.dropped.union(dropped))


def _ended(tournament: Tournament, event: events.TournamentEnded) -> Tournament:
    return replace(tournament, phase="cancelled" if event.cancelled else "finished")


def _with_progress(tournament: Tournament, progress: PairingProgress) -> Tournament:
    return replace(tournament, pairings=tournament.pairings.with_changed(progress))


EVOLVE: dict[type, Callable[[Tournament, Any], Tournament]] = {
    EntrantJoined: _entered,
    EntrantLeft: _withdrew,
    events.TournamentPlayStarted: _started,
    events.PairingsPlanned: _paired,
    ContestMatchStarted: _match_started,
    ContestMatchScored: _match_scored,
    ContestMatchVoided: _match_voided,
    events.EntrantsAbsent: _absent,
    events.VersionsFrozen: _frozen,
    events.PairingsReplaced: _replaced,
    events.PairingPostponed: _postponed,
    events.PairingReopened: _reopened,
    events.ByeRequested: _bye_requested,
    events.ScoreCorrected: _score_corrected,
    events.TournamentEnded: _ended,
}
