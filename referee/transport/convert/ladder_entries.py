"""What happened on a ladder, entry by entry."""

from collections.abc import Callable
from typing import Any, TypeAlias

from referee_api.v1 import contest_pb2
from referee_api.v1 import ladder_pb2 as pb

from referee.app.contests.book import Step
from referee.app.contests.events import LadderMade
from referee.app.contests.held_ladder import HeldLadder
from referee.contest import ladder_events as climb
from referee.contest.match_events import Began, Scored, Voided
from referee.transport.convert.contests import entrant_of, pairing_of
from referee.transport.convert.ladders import ladder_of
from referee.transport.convert.ratings import changes_of
from referee.transport.convert.terms import Customs
from referee.transport.convert.times import timestamp


def ladder_entry_of(step: Step[HeldLadder], customs: Customs, *, with_openings: bool) -> pb.LadderEntry:
    entry = step.entry
    told = pb.LadderEntry(number=entry.number, at=timestamp(entry.at_ms))
    if isinstance(entry.event, LadderMade):
        told.made.CopyFrom(ladder_of(step.state, customs, with_openings=with_openings))
    else:
        name, message = TOLD[type(entry.event)]
        getattr(told, name).CopyFrom(message(entry.event, step.state))
    return told


def _joined(event: climb.Joined, _: HeldLadder) -> contest_pb2.EntrantJoined:
    return contest_pb2.EntrantJoined(entrant=entrant_of(event.entrant.name, event.entrant.bots))


def _left(event: climb.Left, _: HeldLadder) -> contest_pb2.EntrantLeft:
    return contest_pb2.EntrantLeft(entrant=event.name, message=event.message)


def _paired(event: climb.Paired, held: HeldLadder) -> contest_pb2.Pairing:
    return pairing_of(held.ladder.courses[event.pairing.id])


def _went_on(event: Began | Scored | Voided, held: HeldLadder) -> contest_pb2.Pairing:
    return pairing_of(held.ladder.courses[event.pairing])


def _rated(event: climb.Rated, held: HeldLadder) -> pb.MatchRated:
    return pb.MatchRated(match_id=event.match_id, ratings=changes_of(held.by_seat(event)))


Told: TypeAlias = tuple[str, Callable[[Any, HeldLadder], Any]]

TOLD: dict[type, Told] = {
    climb.Joined: ("joined", _joined),
    climb.Left: ("left", _left),
    climb.Paired: ("pairing", _paired),
    Began: ("pairing", _went_on),
    Scored: ("pairing", _went_on),
    Voided: ("pairing", _went_on),
    climb.Rated: ("rated", _rated),
    climb.SeasonBegan: ("season_began", lambda event, _: pb.SeasonBegan(season=event.season)),
    climb.Paused: ("paused", lambda event, _: pb.LadderPaused(message=event.message)),
    climb.Resumed: ("resumed", lambda *_: pb.LadderResumed()),
    climb.Closing: ("closing", lambda event, _: pb.LadderClosing(message=event.message)),
    climb.Closed: ("closed", lambda _, held: pb.LadderClosed(message=held.ladder.message)),
}
"""The field of each event, and its message."""
