"""Converts entries of the log of a match to what one viewer may see of them."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from msgspec import UNSET
from referee_api.v1 import clock_pb2, entry_pb2, game_pb2, match_pb2, match_service_pb2, result_pb2

from engines.api import Viewer
from referee.live.match_history import MatchStatus, WatchedEntry
from referee.live.turns import SeatClock, clocks_at_entry
from referee.match import events as core
from referee.match.match_terms import forfeits_if_gone
from referee.match.state import Match
from referee.transport.wire.basic_types import add_event, copy_fields, timestamp
from referee.transport.wire.clocks import clock_charge_of
from referee.transport.wire.matches import MatchContext, match_of, seats_of, seed_commitment_of, state_of
from referee.transport.wire.results import changes_of, result_of
from referee.transport.wire.rules import seat_moves

WATCH_CACHE_SIZE = 256
MOVE_SOURCES = {source: entry_pb2.MoveSource.Value(f"MOVE_SOURCE_{source.name}") for source in core.MoveSource}


@dataclass(frozen=True, slots=True)
class ViewerContext:
    """The viewer of an entry, and what may be disclosed to it."""

    viewer: Viewer
    match_context: MatchContext
    with_view: bool = False

    def state(self, match: Match, clocks: Sequence[SeatClock] | None = None) -> match_pb2.MatchState:
        """Convert the state of a match, with these clocks, or with the clocks at its last entry."""
        return state_of(match, self.viewer, clocks or clocks_at_entry(match), self.with_view)

    def hides(self, watched: WatchedEntry) -> bool:
        """Return whether the entry must stay secret although the match may be over.

        A rejected move can disclose positions that other matches of the same duplicate set have yet to reach.
        """
        event = watched.event
        return (
            isinstance(event, core.MoveRejected)
            and event.seat != self.viewer
            and self.match_context.secret(watched.match)
        )


EventConverter: TypeAlias = Callable[[Any, WatchedEntry, ViewerContext], Any]


def entry_of(watched: WatchedEntry, context: ViewerContext) -> entry_pb2.Entry:
    """Convert an entry; one that the viewer may not see has only its number and time."""
    entry = entry_pb2.Entry(number=watched.number, create_time=timestamp(watched.at_ms))
    if watched.event and not context.hides(watched):
        convert: EventConverter = _choice_sealed if watched.sealed else EVENT_CONVERTERS[type(watched.event)]
        add_event(entry, convert(watched.event, watched, context))
    return entry


def _match_created(_: core.MatchCreated, watched: WatchedEntry, context: ViewerContext) -> match_pb2.Match:
    return match_of(MatchStatus(watched.match, watched.at_ms, None, None), context.match_context, context.viewer)


def _seat_taken(event: core.SeatTaken, _watched: WatchedEntry, _context: ViewerContext) -> entry_pb2.SeatTaken:
    return entry_pb2.SeatTaken(seat=event.seat, bot=copy_fields(event.player, match_pb2.BotRef))


def _play_started(event: core.PlayStarted, watched: WatchedEntry, context: ViewerContext) -> entry_pb2.PlayStarted:
    return entry_pb2.PlayStarted(
        seats=seats_of(event.seated, context.match_context.present),
        seed_commitment=seed_commitment_of(watched.match, context.match_context),
        state=context.state(watched.match),
    )


def _choice_sealed(event: core.MovePlayed, watched: WatchedEntry, context: ViewerContext) -> entry_pb2.ChoiceSealed:
    return copy_fields(
        event, entry_pb2.ChoiceSealed, clock_charge=_charge_of(event, watched), state=context.state(watched.match)
    )


def _move_played(event: core.MovePlayed, watched: WatchedEntry, context: ViewerContext) -> entry_pb2.MovePlayed:
    return entry_pb2.MovePlayed(  # Written field by field, because it is on the path of every move.
        played=game_pb2.SeatMove(seat=event.seat, move=event.move),
        revealed=seat_moves(watched.revealed),
        source=MOVE_SOURCES[event.source],
        clock_charge=_charge_of(event, watched),
        state=context.state(watched.match),
        score=event.score if event.score is not UNSET else None,
    )


def _flag_fell(event: core.FlagFell, watched: WatchedEntry, _: ViewerContext) -> entry_pb2.FlagFell:
    return copy_fields(event, entry_pb2.FlagFell, clock_charge=_charge_of(event, watched))


def _charge_of(event: core.MovePlayed | core.FlagFell, watched: WatchedEntry) -> clock_pb2.ClockCharge | None:
    return clock_charge_of(event.row, event.seat, watched.match.controls[event.seat]) if event.row else None


def _move_rejected(event: core.MoveRejected, _watched: WatchedEntry, _context: ViewerContext) -> entry_pb2.MoveRejected:
    return copy_fields(event, entry_pb2.MoveRejected, message=event.sentence)


def _forfeited(event: core.SeatForfeited, watched: WatchedEntry, _: ViewerContext) -> result_pb2.Forfeit:
    return copy_fields(event, result_pb2.Forfeit, ply=watched.match.ply)


def _seat_disconnected(
    event: core.SeatDisconnected, watched: WatchedEntry, _: ViewerContext
) -> entry_pb2.SeatDisconnected:
    policies = watched.match.terms.policies
    grace_period_ms = policies.disconnect.grace_period_ms if forfeits_if_gone(policies) else None
    return entry_pb2.SeatDisconnected(seat=event.seat, grace_period_ms=grace_period_ms)


def _ended(event: core.PlayEnded, watched: WatchedEntry, context: ViewerContext) -> entry_pb2.PlayEnded:
    result = result_of(event.result, watched.match.setup.match_id)
    chance = seed_commitment_of(watched.match, context.match_context)
    return entry_pb2.PlayEnded(result=result, seed_commitment=chance, ratings=changes_of(event.ratings))


def _copy_to(message_class: type[Any]) -> EventConverter:
    return lambda event, _watched, _context: copy_fields(event, message_class)


EVENT_CONVERTERS: dict[type, EventConverter] = {
    core.MatchCreated: _match_created,
    core.SeatTaken: _seat_taken,
    core.SeatVacated: _copy_to(entry_pb2.SeatVacated),
    # Without the nonce itself, which stays secret until play starts.
    core.NonceAdded: _copy_to(entry_pb2.NonceAdded),
    core.PlayStarted: _play_started,
    core.MovePlayed: _move_played,
    core.MoveRejected: _move_rejected,
    core.FlagFell: _flag_fell,
    core.DrawOffered: _copy_to(entry_pb2.DrawOffered),
    core.DrawDeclined: _copy_to(entry_pb2.DrawDeclined),
    core.SeatResigned: _copy_to(entry_pb2.SeatResigned),
    core.SeatForfeited: _forfeited,
    core.SeatDisconnected: _seat_disconnected,
    core.SeatReconnected: _copy_to(entry_pb2.SeatReconnected),
    core.RefereeRecovered: _copy_to(entry_pb2.RefereeRecovered),
    core.PlayEnded: _ended,
}
"""Functions that make the messages of events."""


Audience: TypeAlias = tuple[str, Viewer, bool]
"""Watchers that receive the same messages: id of the match, viewer, and whether views are included."""


@dataclass(frozen=True, slots=True)
class EncodedEntries:
    """An encoded WatchMatchResponse, and the numbers of its entries."""

    encoded: bytes
    entry_numbers: tuple[int, ...]

    @classmethod
    def join(cls, responses: Sequence["EncodedEntries"]) -> "EncodedEntries":
        """Return one response with the entries of all: concatenated messages are one message."""
        encoded = b"".join([response.encoded for response in responses])
        return cls(encoded, tuple(number for response in responses for number in response.entry_numbers))


class WatchCache:
    """LRU cache of the last entries that each audience received, encoded, so that they are encoded once."""

    def __init__(self) -> None:
        self._last: OrderedDict[Audience, tuple[Sequence[WatchedEntry], EncodedEntries]] = OrderedDict()

    def encode(self, watched: Sequence[WatchedEntry], context: ViewerContext) -> EncodedEntries:
        """Return a response with the entries."""
        audience = (watched[0].match.setup.match_id, context.viewer, context.with_view)
        cached = self._last.get(audience)
        if cached and cached[0] is watched:
            return cached[1]
        encoded = encode_entries(watched, context)
        self._last[audience] = watched, encoded
        self._last.move_to_end(audience)
        if len(self._last) > WATCH_CACHE_SIZE:
            self._last.popitem(last=False)
        return encoded


def encode_entries(watched: Sequence[WatchedEntry], context: ViewerContext) -> EncodedEntries:
    """Return a response with the entries."""
    items = [match_service_pb2.WatchMatchItem(entry=entry_of(each, context)) for each in watched]
    response = match_service_pb2.WatchMatchResponse(items=items)
    return EncodedEntries(response.SerializeToString(), tuple(each.number for each in watched))
