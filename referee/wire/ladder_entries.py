"""Converts entries of the log of a ladder."""

from collections.abc import Callable
from typing import Any, TypeAlias

from referee_api.v1 import contest_pb2
from referee_api.v1 import ladder_pb2 as pb

from referee.contests.ladder import events as ladder_events
from referee.contests.pairing import ContestMatchScored, ContestMatchStarted, ContestMatchVoided
from referee.hosting.contest_log import LadderCreated
from referee.hosting.contest_store import ContestStep
from referee.hosting.ladder_state import LadderState
from referee.wire.basic_types import timestamp
from referee.wire.contests import entrant_of, pairing_of
from referee.wire.ladders import ladder_of
from referee.wire.results import changes_of
from referee.wire.terms import TermsConverter


def ladder_entry_of(
    step: ContestStep[LadderState], converter: TermsConverter, *, with_openings: bool
) -> pb.LadderEntry:
    entry = step.entry
    converted = pb.LadderEntry(number=entry.number, create_time=timestamp(entry.at_ms))
    if isinstance(entry.event, LadderCreated):
        converted.created.CopyFrom(ladder_of(step.state, converter, with_openings=with_openings))
    else:
        name, convert = CONVERTERS[type(entry.event)]
        getattr(converted, name).CopyFrom(convert(entry.event, step.state))
    return converted


def _joined(event: ladder_events.LadderJoined, _: LadderState) -> contest_pb2.EntrantJoined:
    return contest_pb2.EntrantJoined(entrant=entrant_of(event.entrant.name, event.entrant.bots))


def _left(event: ladder_events.LadderLeft, _: LadderState) -> contest_pb2.EntrantLeft:
    return contest_pb2.EntrantLeft(entrant=event.name, message=event.message)


def _paired(event: ladder_events.LadderPaired, state: LadderState) -> contest_pb2.Pairing:
    return pairing_of(state.ladder.pairings[event.pairing.id])


def _pairing_changed(
    event: ContestMatchStarted | ContestMatchScored | ContestMatchVoided, state: LadderState
) -> contest_pb2.Pairing:
    return pairing_of(state.ladder.pairings[event.pairing])


def _rated(event: ladder_events.MatchRated, state: LadderState) -> pb.MatchRated:
    return pb.MatchRated(match_id=event.match_id, ratings=changes_of(state.by_seat(event)))


Converter: TypeAlias = tuple[str, Callable[[Any, LadderState], Any]]

CONVERTERS: dict[type, Converter] = {
    ladder_events.LadderJoined: ("entrant_joined", _joined),
    ladder_events.LadderLeft: ("entrant_left", _left),
    ladder_events.LadderPaired: ("pairing", _paired),
    ContestMatchStarted: ("pairing", _pairing_changed),
    ContestMatchScored: ("pairing", _pairing_changed),
    ContestMatchVoided: ("pairing", _pairing_changed),
    ladder_events.MatchRated: ("match_rated", _rated),
    ladder_events.SeasonStarted: ("season_started", lambda event, _: pb.SeasonStarted(season=event.season)),
    ladder_events.LadderPaused: ("paused", lambda event, _: pb.LadderPaused(message=event.message)),
    ladder_events.LadderResumed: ("resumed", lambda *_: pb.LadderResumed()),
    ladder_events.LadderClosureStarted: ("closing", lambda event, _: pb.LadderClosing(message=event.message)),
    ladder_events.LadderClosureFinished: ("closed", lambda _, state: pb.LadderClosed(message=state.ladder.message)),
}
"""Field of each event in `LadderEntry`, and the function that makes its message."""
