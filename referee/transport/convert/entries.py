"""Entries of a match's log, as one viewer may hear of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from referee_api.v1 import entry_pb2, game_pb2, match_pb2

from engines.api import Viewer
from referee.app.story import Standing
from referee.app.turns import seat_clocks
from referee.app.watching import Heard
from referee.core import events as core
from referee.core.match import Match
from referee.core.policy import Gone
from referee.core.result import Forfeit
from referee.transport.convert.clocks import row_of
from referee.transport.convert.matches import Present, chance_of, match_of, seats_of, state_of
from referee.transport.convert.results import forfeit_of, result_of
from referee.transport.convert.times import ms_down, timestamp

SOURCES = {
    core.Source.BOT: entry_pb2.MOVE_SOURCE_BOT,
    core.Source.RANDOM: entry_pb2.MOVE_SOURCE_RANDOM,
    core.Source.DEFAULT: entry_pb2.MOVE_SOURCE_DEFAULT,
}


@dataclass(frozen=True, slots=True)
class Eyes:
    """Through which an entry is seen."""

    viewer: Viewer
    present: Present
    with_view: bool = False

    def state(self, match: Match) -> match_pb2.MatchState:
        """How a match stood at its last entry."""
        clocks = seat_clocks(match, match.at_us, (0,) * len(match.players))
        return state_of(match, self.viewer, clocks, self.with_view)


def entry_of(heard: Heard, eyes: Eyes) -> entry_pb2.Entry:
    """With nothing but its number and its moment where the viewer may know no more, or the contract has no word."""
    entry = entry_pb2.Entry(number=heard.number, at=timestamp(heard.at_ms))
    told = TOLD.get(type(heard.event))
    if told:
        name, message = told
        getattr(entry, name).CopyFrom(message(heard.event, heard, eyes))
    return entry


def _opened(_: core.Opened, heard: Heard, eyes: Eyes) -> match_pb2.Match:
    return match_of(Standing(heard.match, heard.at_ms, None, None), eyes.present, eyes.viewer)


def _seat_taken(event: core.SeatTaken, _heard: Heard, _eyes: Eyes) -> entry_pb2.SeatTaken:
    by = match_pb2.BotRef(bot=event.player.bot, version=event.player.version)
    return entry_pb2.SeatTaken(seat=event.seat, by=by)


def _play_began(event: core.PlayBegan, heard: Heard, eyes: Eyes) -> entry_pb2.PlayBegan:
    return entry_pb2.PlayBegan(
        seats=seats_of(event.seated, eyes.present), chance=chance_of(heard.match), state=eyes.state(heard.match)
    )


def _move_played(event: core.MovePlayed, heard: Heard, eyes: Eyes) -> entry_pb2.MovePlayed:
    row = event.row
    return entry_pb2.MovePlayed(
        played=game_pb2.SeatMove(seat=event.seat, move=event.move),
        source=SOURCES[event.source],
        clock_row=row_of(row, event.seat, heard.match.setup.controls[event.seat]) if row else None,
        state=eyes.state(heard.match),
    )


def _attempt_refused(event: core.MoveRefused, _heard: Heard, _eyes: Eyes) -> entry_pb2.AttemptRefused:
    return entry_pb2.AttemptRefused(
        seat=event.seat, move=event.move, message=event.sentence, attempts_left=event.attempts_left
    )


def _forfeited(event: core.SeatForfeited, heard: Heard, _: Eyes) -> Any:
    return forfeit_of(Forfeit(event.seat, event.fault, heard.match.ply))


def _gone(event: core.SeatGone, heard: Heard, _: Eyes) -> entry_pb2.SeatGone:
    policies = heard.match.setup.policies
    graced = policies.gone is Gone.FORFEIT_AFTER_GRACE
    return entry_pb2.SeatGone(seat=event.seat, grace_ms=ms_down(policies.grace_us) if graced else None)


def _ended(event: core.PlayEnded, heard: Heard, _: Eyes) -> entry_pb2.PlayEnded:
    return entry_pb2.PlayEnded(result=result_of(event.result), chance=chance_of(heard.match))


def _of_seat(message: Callable[..., Any]) -> Callable[[Any, Heard, Eyes], Any]:
    return lambda event, _heard, _eyes: message(seat=event.seat)


TOLD: dict[type, tuple[str, Callable[[Any, Heard, Eyes], Any]]] = {
    core.Opened: ("opened", _opened),
    core.SeatTaken: ("seat_taken", _seat_taken),
    core.PlayBegan: ("play_began", _play_began),
    core.MovePlayed: ("move_played", _move_played),
    core.MoveRefused: ("attempt_refused", _attempt_refused),
    core.DrawOffered: ("draw_offered", _of_seat(entry_pb2.DrawOffered)),
    core.DrawDeclined: ("draw_declined", _of_seat(entry_pb2.DrawDeclined)),
    core.SeatResigned: ("seat_resigned", _of_seat(entry_pb2.SeatResigned)),
    core.SeatForfeited: ("seat_forfeited", _forfeited),
    core.SeatGone: ("seat_gone", _gone),
    core.SeatBack: ("seat_back", _of_seat(entry_pb2.SeatBack)),
    core.RefereeBack: ("referee_back", lambda event, *_: entry_pb2.RefereeBack(down_ms=event.down_ms)),
    core.PlayEnded: ("play_ended", _ended),
}
"""The field of each event, and its message. A nonce, and a flag by itself, have none: what follows says it."""
