"""Converts ladders: terms, standings, points of the rating history, and entries of their logs."""

from collections.abc import Callable
from typing import Any, TypeAlias

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
from referee.transport.wire.basic_types import timestamp
from referee.transport.wire.contests import (
    contest_commitment_of,
    correction_of,
    entrant_joined_of,
    entrant_left_of,
    entrant_of,
    pairing_of,
)
from referee.transport.wire.results import changes_of, rated_of
from referee.transport.wire.terms import TermsConverter


def ladder_of(state: LadderState, converter: TermsConverter, *, with_openings: bool) -> pb.Ladder:
    """Convert a ladder; `with_openings`: include the openings of duplicate play, secret while it is played."""
    return pb.Ladder(
        name=state.name,
        title=state.title,
        terms=_terms_of(state, converter, with_openings=with_openings),
        organiser=state.organiser,
        closed=state.closed,
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
    return pb.LadderStanding(
        rank=row.rank,
        entrant=entrant_of(row.entrant.name, row.entrant.bots),
        version=row.player.version,
        rating=rated_of(row.rating, provisional=row.provisional),
        wins=row.record.wins,
        draws=row.record.draws,
        losses=row.record.losses,
        forfeits=row.record.forfeits,
        idle=row.idle,
        lower_bound=row.rating.rating.lower_bound,
    )


def point_of(point: RatingPoint, ladder: Ladder) -> rating_pb2.RatingPoint:
    return rating_pb2.RatingPoint(
        match_end_time=timestamp(point.at_ms),
        match_id=point.match_id,
        version=point.version,
        rating=rated_of(point.rated, provisional=ladder.terms.is_provisional(point.rated)),
        season=point.season,
    )


def ladder_entry_of(
    step: ContestStep[LadderState], converter: TermsConverter, *, with_openings: bool
) -> pb.LadderEntry:
    entry = step.entry
    converted = pb.LadderEntry(number=entry.number, create_time=timestamp(entry.at_ms))
    if isinstance(entry.event, LadderCreated):
        converted.created.CopyFrom(ladder_of(step.state, converter, with_openings=with_openings))
    else:
        name, convert = ENTRY_CONVERTERS[type(entry.event)]
        getattr(converted, name).CopyFrom(convert(entry.event, step.state))
    return converted


def _pairing_planned(event: ladder_events.PairingPlanned, state: LadderState) -> contest_pb2.Pairing:
    return pairing_of(state.ladder.pairings[event.pairing.id])


def _pairing_changed(
    event: ContestMatchStarted | ContestMatchScored | ContestMatchVoided, state: LadderState
) -> contest_pb2.Pairing:
    return pairing_of(state.ladder.pairings[event.pairing])


def _match_rated(event: ladder_events.MatchRated, state: LadderState) -> pb.MatchRated:
    return pb.MatchRated(match_id=event.match_id, ratings=changes_of(state.by_seat(event)), weight=event.weight)


EntryConverter: TypeAlias = tuple[str, Callable[[Any, LadderState], Any]]

ENTRY_CONVERTERS: dict[type, EntryConverter] = {
    EntrantJoined: ("entrant_joined", lambda event, _: entrant_joined_of(event)),
    EntrantLeft: ("entrant_left", lambda event, _: entrant_left_of(event)),
    ladder_events.PairingPlanned: ("pairing", _pairing_planned),
    ContestMatchStarted: ("pairing", _pairing_changed),
    ContestMatchScored: ("pairing", _pairing_changed),
    ContestMatchVoided: ("pairing", _pairing_changed),
    ladder_events.MatchRated: ("match_rated", _match_rated),
    ladder_events.MatchCorrected: ("match_corrected", lambda event, _: correction_of(event.correction)),
    ladder_events.SeasonStarted: ("season_started", lambda event, _: pb.SeasonStarted(season=event.season)),
    ladder_events.LadderPaused: ("paused", lambda event, _: pb.LadderPaused(message=event.message)),
    ladder_events.LadderResumed: ("resumed", lambda *_: pb.LadderResumed()),
    ladder_events.LadderClosureStarted: ("closing", lambda event, _: pb.LadderClosing(message=event.message)),
    ladder_events.LadderClosureFinished: ("closed", lambda _, state: pb.LadderClosed(message=state.ladder.message)),
}
"""Field of each event in `LadderEntry`, and the function that makes its message."""
