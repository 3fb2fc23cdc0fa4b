"""Converts entries of the log of a tournament."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from referee_api.v1 import contest_pb2
from referee_api.v1 import tournament_pb2 as pb

from referee.contests.pairing import ContestMatchScored, ContestMatchStarted, ContestMatchVoided
from referee.contests.tournament import events as tournament_events
from referee.contests.tournament.tournament_formats import ScheduledFormat, SprtTrial
from referee.hosting.contest_log import TournamentCreated
from referee.hosting.contest_store import ContestStep
from referee.hosting.tournament_state import TournamentState
from referee.hosting.tournament_tables import TournamentRow
from referee.wire.basic_types import enum_value, timestamp
from referee.wire.contests import entrant_of, pairing_of
from referee.wire.sprt import sprt_state_of
from referee.wire.terms import TermsConverter
from referee.wire.tournaments import PHASES, standings_of, tournament_of

EntryField: TypeAlias = tuple[str, Any]
"""Field of `TournamentEntry`, and its message."""
Standings: TypeAlias = Sequence[pb.TournamentStanding]


def state_of_standings(step: ContestStep[TournamentState]) -> TournamentState | None:
    """Return the state whose standings an entry includes; None: it includes none."""
    event = step.entry.event
    if isinstance(event, tournament_events.TournamentEnded):
        return step.state if step.state.started_ms is not None else None
    return step.before if isinstance(event, tournament_events.TournamentPaired) and _begins_round(event, step) else None


def tournament_entry_of(
    step: ContestStep[TournamentState],
    converter: TermsConverter,
    table: Sequence[TournamentRow],
    *,
    with_openings: bool,
) -> pb.TournamentEntry:
    """Convert an entry; `table`: standings of the state that `state_of_standings` returns, if any."""
    entry = step.entry
    converted = pb.TournamentEntry(number=entry.number, create_time=timestamp(entry.at_ms))
    if isinstance(entry.event, TournamentCreated):
        converted.created.CopyFrom(tournament_of(step.state, converter, with_openings=with_openings))
    else:
        standings = standings_of(table, step.state.tournament.tie_breaks)
        name, message = CONVERTERS[type(entry.event)](entry.event, step, standings)
        getattr(converted, name).CopyFrom(message)
    return converted


def _entered(event: tournament_events.EntrantEntered, *_: Any) -> EntryField:
    return "entrant_joined", contest_pb2.EntrantJoined(entrant=entrant_of(event.entrant.name, event.entrant.bots))


def _withdrew(event: tournament_events.EntrantWithdrew, *_: Any) -> EntryField:
    return "entrant_left", contest_pb2.EntrantLeft(entrant=event.name, message=event.message)


def _started(*_: Any) -> EntryField:
    return "round_started", pb.RoundStarted(round=1)


def _paired(
    event: tournament_events.TournamentPaired, step: ContestStep[TournamentState], standings: Standings
) -> EntryField:
    pairings = [pairing_of(step.state.tournament.pairings[pairing.id]) for pairing in event.pairings]
    if not _begins_round(event, step):
        return "pairings_planned", pb.PairingsPlanned(pairings=pairings)
    number = min(pairing.round for pairing in event.pairings)
    return "round_started", pb.RoundStarted(round=number, standings=standings, pairings=pairings)


def _begins_round(event: tournament_events.TournamentPaired, step: ContestStep[TournamentState]) -> bool:
    """Return whether these pairings begin a round.

    The first ones belong to the start of the tournament; an SPRT and a scheduled format have no further rounds.
    """
    assert step.before
    before = step.before.tournament
    number = min(pairing.round for pairing in event.pairings)
    return 0 < before.round < number and not isinstance(before.terms.format, SprtTrial | ScheduledFormat)


def _pairing_changed(
    event: ContestMatchStarted | ContestMatchVoided, step: ContestStep[TournamentState], _: Standings
) -> EntryField:
    return "pairing", pairing_of(step.state.tournament.pairings[event.pairing])


def _scored(event: ContestMatchScored, step: ContestStep[TournamentState], _: Standings) -> EntryField:
    tournament = step.state.tournament
    test = tournament.trial_state
    return ("sprt", sprt_state_of(test)) if test else ("pairing", pairing_of(tournament.pairings[event.pairing]))


def _ended(
    event: tournament_events.TournamentEnded, step: ContestStep[TournamentState], standings: Standings
) -> EntryField:
    phase = enum_value(PHASES, step.state.tournament.phase)
    return "ended", pb.TournamentEnded(phase=phase, standings=standings, message=event.message)


CONVERTERS: dict[type, Callable[[Any, ContestStep[TournamentState], Standings], EntryField]] = {
    tournament_events.EntrantEntered: _entered,
    tournament_events.EntrantWithdrew: _withdrew,
    tournament_events.TournamentPlayStarted: _started,
    tournament_events.TournamentPaired: _paired,
    ContestMatchStarted: _pairing_changed,
    ContestMatchVoided: _pairing_changed,
    ContestMatchScored: _scored,
    tournament_events.TournamentEnded: _ended,
}
