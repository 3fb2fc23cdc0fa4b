"""The lines of a match's events, as its log holds them (see `line`).

Lines of older versions are lifted here, and nowhere else.
"""

from referee.core import clock, events
from referee.core.clock import TimeControl
from referee.core.events import Event
from referee.storage.forms import KIND, PLAIN, Data, Form, kinds_of
from referee.storage.line import Lift, Lines

VERSION = 2

CONTROLS: dict[str, type] = {
    "untimed": clock.Untimed,
    "sudden_death": clock.SuddenDeath,
    "hourglass": clock.Hourglass,
    "fischer": clock.Fischer,
    "bronstein": clock.Bronstein,
    "us_delay": clock.UsDelay,
    "per_move": clock.PerMove,
    "bank": clock.Bank,
    "correspondence": clock.Correspondence,
    "japanese_byo_yomi": clock.JapaneseByoYomi,
    "canadian_byo_yomi": clock.CanadianByoYomi,
    "moves_per_period": clock.MovesPerPeriod,
}

KNOWN: dict[object, Form] = {**PLAIN, TimeControl: kinds_of(CONTROLS, PLAIN)}
"""The forms that do not follow from the type."""

EVENTS: dict[str, type] = {
    "opened": events.Opened,
    "seat_taken": events.SeatTaken,
    "nonce_given": events.NonceGiven,
    "play_began": events.PlayBegan,
    "move_played": events.MovePlayed,
    "move_refused": events.MoveRefused,
    "flag_fell": events.FlagFell,
    "draw_offered": events.DrawOffered,
    "draw_declined": events.DrawDeclined,
    "seat_resigned": events.SeatResigned,
    "seat_forfeited": events.SeatForfeited,
    "seat_gone": events.SeatGone,
    "seat_back": events.SeatBack,
    "referee_back": events.RefereeBack,
    "play_ended": events.PlayEnded,
}


def _with_ratings(data: dict[str, Data]) -> dict[str, Data]:
    """Version 1 is from before there were ratings."""
    return {**data, "ratings": []} if data.get(KIND) == "play_ended" else data


LIFTS: dict[int, Lift] = {1: _with_ratings}

_LINES: Lines[Event] = Lines(EVENTS, KNOWN, VERSION, LIFTS)

encode = _LINES.encode
decode = _LINES.decode
