"""Converts tournaments: terms, standings, cross tables, and entries of their logs."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from referee_api.conversion import enum_number, to_message
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
from referee.transport.wire.basic_types import (
    maybe_timestamp,
    timestamp,
)
from referee.transport.wire.contests import (
    contest_commitment_of,
    correction_of,
    entrant_joined_of,
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
    return pb.Tournament(
        name=state.name,
        title=state.title,
        terms=_terms_of(state, converter, with_openings=with_openings),
        organiser=state.organiser,
        phase=enum_number(pb.TournamentPhase, tournament.phase),
        entrants=[entrant_of(entrant.name, entrant.bots) for entrant in tournament.entrants.values()],
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
    return [_standing_of(row, tie_breaks) for row in rows]


def _standing_of(row: TournamentRow, tie_breaks: Sequence[TieBreak]) -> pb.TournamentStanding:
    standing = row.standing
    return pb.TournamentStanding(
        rank=standing.rank,
        entrant=standing.entrant,
        points=standing.points,
        tie_breaks=[
            pb.TieBreakValue(tie_break=enum_number(pb.TieBreak, tie_break), value=value)
            for tie_break, value in zip(tie_breaks, standing.tie_breaks, strict=True)
        ],
        wins=standing.wins,
        draws=standing.draws,
        losses=standing.losses,
        forfeits=row.forfeits,
        byes=standing.byes,
        estimate=estimate_of(row.estimate) if row.estimate else None,
        no_shows=row.no_shows,
    )


def cross_table_row_of(row: tuple[str, Sequence[CrossTableCell]]) -> pb.CrossTableRow:
    entrant, cells = row
    converted = [
        pb.CrossTableCell(opponent=cell.opponent, points=cell.points, match_ids=cell.match_ids, no_shows=cell.no_shows)
        for cell in cells
    ]
    return pb.CrossTableRow(entrant=entrant, cells=converted)


EntryField: TypeAlias = tuple[str, Any]
"""Field of `TournamentEntry`, and its message."""
Standings: TypeAlias = Sequence[pb.TournamentStanding]


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
        converted.created.CopyFrom(tournament_of(step.state, converter, with_openings=with_openings))
    else:
        standings = standings_of(table, step.state.tournament.tie_breaks)
        name, message = ENTRY_CONVERTERS[type(entry.event)](entry.event, step, standings)
        getattr(converted, name).CopyFrom(message)
    return converted


def _pairings_planned(
    event: tournament_events.PairingsPlanned, step: ContestStep[TournamentState], standings: Standings
) -> EntryField:
    pairings = [pairing_of(step.state.tournament.pairings[pairing.id]) for pairing in event.pairings]
    if not _begins_round(event, step):
        return "pairings_planned", pb.PairingsPlanned(pairings=pairings)
    number = min(pairing.round for pairing in event.pairings)
    return "round_started", pb.RoundStarted(round=number, standings=standings, pairings=pairings)


def _begins_round(event: tournament_events.PairingsPlanned, step: ContestStep[TournamentState]) -> bool:
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


def _entrants_absent(
    event: tournament_events.EntrantsAbsent, step: ContestStep[TournamentState], _: Standings
) -> EntryField:
    pairing = pairing_of(step.state.tournament.pairings[event.pairing])
    return "entrants_absent", pb.EntrantsAbsent(
        pairing=pairing, entrants=event.entrants, message=event.message, by=event.by, board=event.board
    )


def _pairings_replaced(
    event: tournament_events.PairingsReplaced, step: ContestStep[TournamentState], _: Standings
) -> EntryField:
    pairings = [pairing_of(step.state.tournament.pairings[pairing.id]) for pairing in event.pairings]
    return "pairings_replaced", pb.PairingsReplaced(
        dropped_ids=event.dropped, pairings=pairings, message=event.message, by=event.by
    )


def _pairing_postponed(
    event: tournament_events.PairingPostponed, step: ContestStep[TournamentState], _: Standings
) -> EntryField:
    pairing = pairing_of(step.state.tournament.pairings[event.pairing])
    return "pairing_postponed", pb.PairingPostponed(pairing=pairing, message=event.message, by=event.by)


def _pairing_reopened(
    event: tournament_events.PairingReopened, step: ContestStep[TournamentState], _: Standings
) -> EntryField:
    pairing = pairing_of(step.state.tournament.pairings[event.pairing])
    return "pairing_reopened", pb.PairingReopened(
        pairing=pairing, dropped_ids=event.dropped, message=event.message, by=event.by
    )


def _bye_requested(event: tournament_events.ByeRequested, *_: Any) -> EntryField:
    return "bye_requested", pb.ByeRequested(bye=_bye_of(event.name, event.round, event.bye), by=event.by)


def _corrected(event: tournament_events.ScoreCorrected, step: ContestStep[TournamentState], *_: Any) -> EntryField:
    pairing = pairing_of(step.state.tournament.pairings[event.pairing])
    return "score_corrected", pb.ScoreCorrected(pairing=pairing, correction=correction_of(event.correction))


def _versions_frozen(event: tournament_events.VersionsFrozen, *_: Any) -> EntryField:
    return "versions_frozen", pb.VersionsFrozen(
        entrants=[entrant_of(entrant.name, entrant.bots) for entrant in event.entrants]
    )


def _match_scored(event: ContestMatchScored, step: ContestStep[TournamentState], _: Standings) -> EntryField:
    tournament = step.state.tournament
    test = tournament.trial_state
    return ("sprt", sprt_state_of(test)) if test else ("pairing", pairing_of(tournament.pairings[event.pairing]))


def _tournament_ended(
    event: tournament_events.TournamentEnded, step: ContestStep[TournamentState], standings: Standings
) -> EntryField:
    phase = enum_number(pb.TournamentPhase, step.state.tournament.phase)
    return "ended", pb.TournamentEnded(phase=phase, standings=standings, message=event.message)


ENTRY_CONVERTERS: dict[type, Callable[[Any, ContestStep[TournamentState], Standings], EntryField]] = {
    EntrantJoined: lambda event, *_: ("entrant_joined", entrant_joined_of(event)),
    EntrantLeft: lambda event, *_: ("entrant_left", entrant_left_of(event)),
    tournament_events.TournamentPlayStarted: lambda *_: ("round_started", pb.RoundStarted(round=1)),
    tournament_events.PairingsPlanned: _pairings_planned,
    ContestMatchStarted: _pairing_changed,
    ContestMatchVoided: _pairing_changed,
    ContestMatchScored: _match_scored,
    tournament_events.EntrantsAbsent: _entrants_absent,
    tournament_events.VersionsFrozen: _versions_frozen,
    tournament_events.PairingsReplaced: _pairings_replaced,
    tournament_events.PairingPostponed: _pairing_postponed,
    tournament_events.PairingReopened: _pairing_reopened,
    tournament_events.ByeRequested: _bye_requested,
    tournament_events.ScoreCorrected: _corrected,
    tournament_events.TournamentEnded: _tournament_ended,
}
