"""Converts ladders: terms, standings, points of the rating history, and entries of their logs."""

from collections.abc import Callable
from typing import Any

from referee_api.conversion import to_message
from referee_api.v1 import contest_pb2, rating_pb2
from referee_api.v1 import ladder_pb2 as pb

from referee.contests.contest_entrant import EntrantJoined, EntrantLeft
from referee.contests.ladder import events as ladder_events
from referee.contests.ladder.season import LadderStandingsRow
from referee.contests.ladder.state import Ladder
from referee.contests.pairing import ContestMatchScored, ContestMatchStarted, ContestMatchVoided
from referee.hosting.contest_log import LadderCreated
from referee.hosting.contest_store import ContestStep
from referee.hosting.ladder_ratings import RatingPoint
from referee.hosting.ladder_state import LadderState
from referee.transport.wire.basic_types import add_event, copy_fields, timestamp
from referee.transport.wire.contests import (
    contest_commitment_of,
    correction_of,
    entrant_left_of,
    entrant_of,
    pairing_of,
)
from referee.transport.wire.results import changes_of, rated_of
from referee.transport.wire.terms import TermsConverter


def ladder_of(state: LadderState, converter: TermsConverter, *, with_openings: bool) -> pb.Ladder:
    """Convert a ladder; `with_openings`: include the openings of duplicate play, secret while it is played."""
    return copy_fields(
        state,
        pb.Ladder,
        terms=_terms_of(state, converter, with_openings=with_openings),
        season=state.ladder.season,
        season_start_time=timestamp(state.season_started_ms),
        entrant_count=len(state.ladder.entrants),
        create_time=timestamp(state.created_ms),
        paused=state.ladder.paused,
        seed_commitment=contest_commitment_of(state.created.seed, over=state.over),
    )


def _terms_of(state: LadderState, converter: TermsConverter, *, with_openings: bool) -> pb.LadderTerms:
    message = to_message(state.terms.value, pb.LadderTerms)
    message.match_terms.extend(map(converter.message_of, state.terms.match_terms))
    if not with_openings and message.HasField("duplicate_play"):
        message.duplicate_play.ClearField("openings")
    return message


def ladder_standing_of(row: LadderStandingsRow) -> pb.LadderStanding:
    return copy_fields(
        row.record,
        pb.LadderStanding,
        rank=row.rank,
        entrant=entrant_of(row.entrant),
        version=row.player.version,
        rating=rated_of(row.rating, provisional=row.provisional),
        idle=row.idle,
        lower_bound=row.rating.rating.lower_bound,
    )


def point_of(point: RatingPoint, ladder: Ladder) -> rating_pb2.RatingPoint:
    rating = rated_of(point.rated, provisional=ladder.terms.is_provisional(point.rated))
    return copy_fields(point, rating_pb2.RatingPoint, match_end_time=timestamp(point.at_ms), rating=rating)


def ladder_entry_of(
    step: ContestStep[LadderState], converter: TermsConverter, *, with_openings: bool
) -> pb.LadderEntry:
    entry = step.entry
    converted = pb.LadderEntry(number=entry.number, create_time=timestamp(entry.at_ms))
    if isinstance(entry.event, LadderCreated):
        add_event(converted, ladder_of(step.state, converter, with_openings=with_openings))
    else:
        add_event(converted, EVENT_CONVERTERS[type(entry.event)](entry.event, step.state))
    return converted


def _pairing_planned(event: ladder_events.PairingPlanned, state: LadderState) -> contest_pb2.Pairing:
    return pairing_of(state.ladder.pairings[event.pairing.id])


def _pairing_changed(
    event: ContestMatchStarted | ContestMatchScored | ContestMatchVoided, state: LadderState
) -> contest_pb2.Pairing:
    return pairing_of(state.ladder.pairings[event.pairing])


def _match_rated(event: ladder_events.MatchRated, state: LadderState) -> pb.MatchRated:
    return copy_fields(event, pb.MatchRated, ratings=changes_of(state.by_seat(event)))


EVENT_CONVERTERS: dict[type, Callable[[Any, LadderState], Any]] = {
    EntrantJoined: lambda event, _: copy_fields(event, contest_pb2.EntrantJoined),
    EntrantLeft: lambda event, _: entrant_left_of(event),
    ladder_events.PairingPlanned: _pairing_planned,
    ContestMatchStarted: _pairing_changed,
    ContestMatchScored: _pairing_changed,
    ContestMatchVoided: _pairing_changed,
    ladder_events.MatchRated: _match_rated,
    ladder_events.MatchCorrected: lambda event, _: correction_of(event.correction),
    ladder_events.SeasonStarted: lambda event, _: copy_fields(event, pb.SeasonStarted),
    ladder_events.LadderPaused: lambda event, _: copy_fields(event, pb.LadderPaused),
    ladder_events.LadderResumed: lambda *_: pb.LadderResumed(),
    ladder_events.LadderClosureStarted: lambda event, _: copy_fields(event, pb.LadderClosing),
    ladder_events.LadderClosureFinished: lambda _, state: pb.LadderClosed(message=state.ladder.message),
}
"""Functions that make the messages of events."""
