"""Entries of a match's log, as one viewer may hear of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from referee_api.v1 import clock_pb2, entry_pb2, game_pb2, match_pb2

from engines.api import Viewer
from referee.app.heard import Heard
from referee.app.story import Standing
from referee.app.turns import SeatClock, clocks_at_entry
from referee.core import events as core
from referee.core.match import Match
from referee.core.policy import Gone
from referee.core.result import Forfeit
from referee.transport.convert.clocks import row_of
from referee.transport.convert.matches import Aside, chance_of, match_of, seats_of, state_of
from referee.transport.convert.ratings import changes_of
from referee.transport.convert.results import forfeit_of, result_of
from referee.transport.convert.rules import seat_moves
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
    aside: Aside
    with_view: bool = False

    def state(self, match: Match, clocks: Sequence[SeatClock] | None = None) -> match_pb2.MatchState:
        """How a match stands, by those clocks, or by what they were at its last entry."""
        return state_of(match, self.viewer, clocks or clocks_at_entry(match), self.with_view)

    def misses(self, heard: Heard) -> bool:
        """After a match everybody sees what was refused; but it may tell what others of the set are to be asked."""
        event = heard.event
        return isinstance(event, core.MoveRefused) and event.seat != self.viewer and self.aside.sealed(heard.match)


def entry_of(heard: Heard, eyes: Eyes) -> entry_pb2.Entry:
    """With nothing but its number and its moment where the viewer may know no more."""
    entry = entry_pb2.Entry(number=heard.number, at=timestamp(heard.at_ms))
    if heard.event and not eyes.misses(heard):
        name, message = SEALED if heard.sealed else TOLD[type(heard.event)]
        getattr(entry, name).CopyFrom(message(heard.event, heard, eyes))
    return entry


def _opened(_: core.Opened, heard: Heard, eyes: Eyes) -> match_pb2.Match:
    return match_of(Standing(heard.match, heard.at_ms, None, None), eyes.aside, eyes.viewer)


def _seat_taken(event: core.SeatTaken, _heard: Heard, _eyes: Eyes) -> entry_pb2.SeatTaken:
    by = match_pb2.BotRef(bot=event.player.bot, version=event.player.version)
    return entry_pb2.SeatTaken(seat=event.seat, by=by)


def _play_began(event: core.PlayBegan, heard: Heard, eyes: Eyes) -> entry_pb2.PlayBegan:
    return entry_pb2.PlayBegan(
        seats=seats_of(event.seated, eyes.aside.present),
        chance=chance_of(heard.match, eyes.aside),
        state=eyes.state(heard.match),
    )


def _choice_sealed(event: core.MovePlayed, heard: Heard, eyes: Eyes) -> entry_pb2.ChoiceSealed:
    return entry_pb2.ChoiceSealed(
        seat=event.seat,
        clock_row=_row(event, heard),
        source=SOURCES[event.source],
        state=eyes.state(heard.match),
    )


def _move_played(event: core.MovePlayed, heard: Heard, eyes: Eyes) -> entry_pb2.MovePlayed:
    return entry_pb2.MovePlayed(
        played=game_pb2.SeatMove(seat=event.seat, move=event.move),
        opened=seat_moves(heard.opened),
        source=SOURCES[event.source],
        clock_row=_row(event, heard),
        state=eyes.state(heard.match),
    )


def _flag_fell(event: core.FlagFell, heard: Heard, _: Eyes) -> entry_pb2.FlagFell:
    return entry_pb2.FlagFell(seat=event.seat, clock_row=_row(event, heard), move=event.move)


def _row(event: core.MovePlayed | core.FlagFell, heard: Heard) -> clock_pb2.ClockRow | None:
    return row_of(event.row, event.seat, heard.match.setup.controls[event.seat]) if event.row else None


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


def _ended(event: core.PlayEnded, heard: Heard, eyes: Eyes) -> entry_pb2.PlayEnded:
    result = result_of(event.result, heard.match.setup.match_id)
    chance = chance_of(heard.match, eyes.aside)
    return entry_pb2.PlayEnded(result=result, chance=chance, ratings=changes_of(event.ratings))


def _of_seat(message: Callable[..., Any]) -> Callable[[Any, Heard, Eyes], Any]:
    return lambda event, _heard, _eyes: message(seat=event.seat)


Told: TypeAlias = tuple[str, Callable[[Any, Heard, Eyes], Any]]

SEALED: Told = ("choice_sealed", _choice_sealed)
"""The field of a move that is still sealed, and its message."""

TOLD: dict[type, Told] = {
    core.Opened: ("opened", _opened),
    core.SeatTaken: ("seat_taken", _seat_taken),
    # What it added is a secret from the others until all have spoken: play begins with it.
    core.NonceGiven: ("nonce_given", _of_seat(entry_pb2.NonceGiven)),
    core.PlayBegan: ("play_began", _play_began),
    core.MovePlayed: ("move_played", _move_played),
    core.MoveRefused: ("attempt_refused", _attempt_refused),
    core.FlagFell: ("flag_fell", _flag_fell),
    core.DrawOffered: ("draw_offered", _of_seat(entry_pb2.DrawOffered)),
    core.DrawDeclined: ("draw_declined", _of_seat(entry_pb2.DrawDeclined)),
    core.SeatResigned: ("seat_resigned", _of_seat(entry_pb2.SeatResigned)),
    core.SeatForfeited: ("seat_forfeited", _forfeited),
    core.SeatGone: ("seat_gone", _gone),
    core.SeatBack: ("seat_back", _of_seat(entry_pb2.SeatBack)),
    core.RefereeBack: ("referee_back", lambda event, *_: entry_pb2.RefereeBack(down_ms=event.down_ms)),
    core.PlayEnded: ("play_ended", _ended),
}
"""The field of each event, and its message."""
