"""Converts tournaments: terms, standings, cross tables, and entries of their logs."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from referee_api.conversion import enum_number, to_message
from referee_api.v1 import contest_pb2, sprt_pb2
from referee_api.v1 import tournament_pb2 as pb
from referee_values import ByeKind, TieBreak

from referee.contests.contest_entrant import EntrantJoined, EntrantLeft
from referee.contests.pairing import ContestMatchScored, ContestMatchStarted, ContestMatchVoided
from referee.contests.tournament import events as tournament_events
from referee.contests.tournament.tournament_pairing import compute_planned_size
from referee.contests.tournament.tournament_terms import ScheduledFormat, SprtTrial
from referee.hosting.contest_log import TournamentCreated
from referee.hosting.contest_store import ContestStep
from referee.hosting.tournament_state import TournamentState
from referee.hosting.tournament_tables import CrossTableCell, TournamentRow
from referee.transport.wire.basic_types import add_event, copy_fields, maybe_timestamp, timestamp
from referee.transport.wire.contests import (
    contest_commitment_of,
    entrant_left_of,
    entrant_of,
    pairing_of,
    sprt_state_of,
)
from referee.transport.wire.results import estimate_of
from referee.transport.wire.terms import TermsConverter


def tournament_of(state: TournamentState, converter: TermsConverter, *, with_openings: bool) -> pb.Tournament:
    """Convert a tournament; `with_openings`: include the openings of duplicate play, secret while it is played."""
    tournament = state.tournament
    planned = compute_planned_size(tournament)
    return copy_fields(
        state,
        pb.Tournament,
        terms=_terms_of(state, converter, with_openings=with_openings),
        phase=enum_number(pb.TournamentPhase, tournament.phase),
        entrants=[entrant_of(entrant) for entrant in tournament.entrants.values()],
        withdrawn_entrants=tournament.withdrawn,
        current_round=min(tournament.complete_rounds + 1, tournament.round),
        total_rounds=planned.rounds,
        completed_pairings=len(tournament.pairings) - tournament.pairings.open_count,
        total_pairings=planned.pairings,
        create_time=timestamp(state.created_ms),
        start_time=maybe_timestamp(state.started_ms),
        end_time=maybe_timestamp(state.ended_ms),
        requested_byes=[_bye_of(*place, kind) for place, kind in tournament.requested_byes.items()],
        seed_commitment=contest_commitment_of(state.terms.tournament.seed, over=state.over),
    )


def _bye_of(name: str, number: int, kind: ByeKind) -> pb.RequestedBye:
    return pb.RequestedBye(entrant=name, round=number, kind=enum_number(pb.ByeKind, kind))


def _terms_of(state: TournamentState, converter: TermsConverter, *, with_openings: bool) -> pb.TournamentTerms:
    message = to_message(state.terms.value, pb.TournamentTerms)
    message.match_terms.CopyFrom(converter.message_of(state.terms.match_terms[0]))
    if not with_openings and message.HasField("duplicate_play"):
        message.duplicate_play.ClearField("openings")
    return message


def standings_of(rows: Iterable[TournamentRow], tie_breaks: Sequence[TieBreak]) -> list[pb.TournamentStanding]:
    numbers = [enum_number(pb.TieBreak, tie_break) for tie_break in tie_breaks]
    return [
        copy_fields(
            row.standing,
            pb.TournamentStanding,
            tie_breaks=[
                pb.TieBreakValue(tie_break=number, value=value)
                for number, value in zip(numbers, row.standing.tie_breaks, strict=True)
            ],
            forfeits=row.forfeits,
            estimate=estimate_of(row.estimate),
            no_shows=row.no_shows,
        )
        for row in rows
    ]


def cross_table_row_of(row: tuple[str, Sequence[CrossTableCell]]) -> pb.CrossTableRow:
    entrant, cells = row
    return pb.CrossTableRow(entrant=entrant, cells=[copy_fields(cell, pb.CrossTableCell) for cell in cells])


Standings: TypeAlias = Sequence[pb.TournamentStanding]
EventConverter: TypeAlias = Callable[[Any, ContestStep[TournamentState], Standings], Any]


def state_of_standings(step: ContestStep[TournamentState]) -> TournamentState | None:
    """Return the state whose standings an entry includes; None: it includes none."""
    event = step.entry.event
    if isinstance(event, tournament_events.TournamentEnded):
        return step.state if step.state.started_ms is not None else None
    return step.before if isinstance(event, tournament_events.PairingsPlanned) and _begins_round(event, step) else None


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
        add_event(converted, tournament_of(step.state, converter, with_openings=with_openings))
    else:
        standings = standings_of(table, step.state.tournament.tie_breaks)
        add_event(converted, EVENT_CONVERTERS[type(entry.event)](entry.event, step, standings))
    return converted


def _pairing_now(event: Any, step: ContestStep[TournamentState], *_: Any) -> contest_pb2.Pairing:
    return pairing_of(step.state.tournament.pairings[event.pairing])


def _planned(
    event: tournament_events.PairingsPlanned | tournament_events.PairingsReplaced, step: ContestStep[TournamentState]
) -> list[contest_pb2.Pairing]:
    return [pairing_of(step.state.tournament.pairings[pairing.id]) for pairing in event.pairings]


def _pairings_planned(
    event: tournament_events.PairingsPlanned, step: ContestStep[TournamentState], standings: Standings
) -> pb.PairingsPlanned | pb.RoundStarted:
    pairings = _planned(event, step)
    if not _begins_round(event, step):
        return pb.PairingsPlanned(pairings=pairings)
    number = min(pairing.round for pairing in event.pairings)
    return pb.RoundStarted(round=number, standings=standings, pairings=pairings)


def _begins_round(event: tournament_events.PairingsPlanned, step: ContestStep[TournamentState]) -> bool:
    """Return whether these pairings begin a round.

    The first ones belong to the start of the tournament; an SPRT and a scheduled format have no further rounds.
    """
    assert step.before
    before = step.before.tournament
    number = min(pairing.round for pairing in event.pairings)
    return 0 < before.round < number and not isinstance(before.terms.format, SprtTrial | ScheduledFormat)


def _with_pairing(message_class: type[Any]) -> EventConverter:
    """Return a function for an event that changes a pairing."""
    return lambda event, step, _: copy_fields(event, message_class, pairing=_pairing_now(event, step))


def _pairings_replaced(
    event: tournament_events.PairingsReplaced, step: ContestStep[TournamentState], _: Standings
) -> pb.PairingsReplaced:
    return copy_fields(event, pb.PairingsReplaced, dropped_ids=event.dropped, pairings=_planned(event, step))


def _pairing_reopened(
    event: tournament_events.PairingReopened, step: ContestStep[TournamentState], _: Standings
) -> pb.PairingReopened:
    return copy_fields(event, pb.PairingReopened, pairing=_pairing_now(event, step), dropped_ids=event.dropped)


def _bye_requested(event: tournament_events.ByeRequested, *_: Any) -> pb.ByeRequested:
    return pb.ByeRequested(bye=_bye_of(event.name, event.round, event.bye), by=event.by)


def _match_scored(
    event: ContestMatchScored, step: ContestStep[TournamentState], _: Standings
) -> sprt_pb2.SprtState | contest_pb2.Pairing:
    test = step.state.tournament.trial_state
    return sprt_state_of(test) if test else _pairing_now(event, step)


def _tournament_ended(
    event: tournament_events.TournamentEnded, step: ContestStep[TournamentState], standings: Standings
) -> pb.TournamentEnded:
    phase = enum_number(pb.TournamentPhase, step.state.tournament.phase)
    return pb.TournamentEnded(phase=phase, standings=standings, message=event.message)


EVENT_CONVERTERS: dict[type, EventConverter] = {
    EntrantJoined: lambda event, *_: copy_fields(event, contest_pb2.EntrantJoined),
    EntrantLeft: lambda event, *_: entrant_left_of(event),
    tournament_events.TournamentPlayStarted: lambda *_: pb.RoundStarted(round=1),
    tournament_events.PairingsPlanned: _pairings_planned,
    ContestMatchStarted: _pairing_now,
    ContestMatchVoided: _pairing_now,
    ContestMatchScored: _match_scored,
    tournament_events.EntrantsAbsent: _with_pairing(pb.EntrantsAbsent),
    tournament_events.VersionsFrozen: lambda event, *_: copy_fields(event, pb.VersionsFrozen),
    tournament_events.PairingsReplaced: _pairings_replaced,
    tournament_events.PairingPostponed: _with_pairing(pb.PairingPostponed),
    tournament_events.PairingReopened: _pairing_reopened,
    tournament_events.ByeRequested: _bye_requested,
    tournament_events.ScoreCorrected: _with_pairing(pb.ScoreCorrected),
    tournament_events.TournamentEnded: _tournament_ended,
}
"""Functions that make the messages of events."""
