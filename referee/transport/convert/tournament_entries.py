"""What happened in a tournament, entry by entry."""

from collections.abc import Callable
from typing import Any, TypeAlias

from referee_api.v1 import contest_pb2
from referee_api.v1 import tournament_pb2 as pb

from referee.app.contests.book import Step
from referee.app.contests.events import TournamentMade
from referee.app.contests.held import Held
from referee.app.contests.tournament_tables import rows
from referee.contest import tournament_events as contest
from referee.contest.formats import Trial
from referee.contest.match_events import Began, Scored, Voided
from referee.transport.convert.contests import entrant_of, pairing_of
from referee.transport.convert.sprt import sprt_state_of
from referee.transport.convert.terms import Customs
from referee.transport.convert.times import timestamp
from referee.transport.convert.tournaments import PHASES, standings_of, tournament_of
from referee.transport.convert.words import word

Told: TypeAlias = tuple[str, Any]
"""The field of an event, and its message."""


def tournament_entry_of(step: Step[Held], customs: Customs, *, with_openings: bool) -> pb.TournamentEntry:
    entry = step.entry
    told = pb.TournamentEntry(number=entry.number, at=timestamp(entry.at_ms))
    if isinstance(entry.event, TournamentMade):
        told.made.CopyFrom(tournament_of(step.state, customs, with_openings=with_openings))
    else:
        name, message = TOLD[type(entry.event)](entry.event, step)
        getattr(told, name).CopyFrom(message)
    return told


def _entered(event: contest.Entered, _: Step[Held]) -> Told:
    return "joined", contest_pb2.EntrantJoined(entrant=entrant_of(event.entrant.name, event.entrant.bots))


def _withdrew(event: contest.Withdrew, _: Step[Held]) -> Told:
    return "left", contest_pb2.EntrantLeft(entrant=event.name, message=event.message)


def _started(*_: Any) -> Told:
    return "round_began", pb.RoundBegan(round=1)


def _paired(event: contest.Paired, step: Step[Held]) -> Told:
    """The first ones belong to the start; later ones may begin a round, but for the sets of a test."""
    assert step.before
    before = step.before.tournament
    pairings = [pairing_of(step.state.tournament.courses[pairing.id]) for pairing in event.pairings]
    number = min(pairing.round for pairing in event.pairings)
    if not 0 < before.round < number or isinstance(before.terms.format, Trial):
        return "planned", pb.PairingsPlanned(pairings=pairings)
    table = standings_of(rows(step.before), before.tie_breaks)
    return "round_began", pb.RoundBegan(round=number, standings=table, pairings=pairings)


def _went_on(event: Began | Voided, step: Step[Held]) -> Told:
    return "pairing", pairing_of(step.state.tournament.courses[event.pairing])


def _scored(event: Scored, step: Step[Held]) -> Told:
    tournament = step.state.tournament
    test = tournament.test
    return ("sprt", sprt_state_of(test)) if test else ("pairing", pairing_of(tournament.courses[event.pairing]))


def _ended(event: contest.Ended, step: Step[Held]) -> Told:
    held = step.state
    begun = held.started_ms is not None
    table = standings_of(rows(held), held.tournament.tie_breaks) if begun else ()
    phase = word(PHASES, held.tournament.phase)
    return "ended", pb.TournamentEnded(phase=phase, standings=table, message=event.message)


TOLD: dict[type, Callable[[Any, Step[Held]], Told]] = {
    contest.Entered: _entered,
    contest.Withdrew: _withdrew,
    contest.Started: _started,
    contest.Paired: _paired,
    Began: _went_on,
    Voided: _went_on,
    Scored: _scored,
    contest.Ended: _ended,
}
