"""One event, one line of JSON.

A line is an object: `v`, the version of this format; `kind`, the event's; then all fields of the event
in their order (see `forms`). It is ASCII, without blanks, and equal events have equal lines. Lines of
older versions are lifted here, and nowhere else.
"""

import json
from collections.abc import Callable
from typing import NoReturn

from referee.core import clock, events
from referee.core.clock import TimeControl
from referee.core.events import Event
from referee.storage.forms import PLAIN, Data, Form, Malformed, kinds_of

VERSION = 1

LIFTS: dict[int, Callable[[dict[str, Data]], dict[str, Data]]] = {}
"""By version: makes of the data of an event (without `v`) what the next version would have written."""

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


class MalformedEntry(ValueError):
    """A line that holds no event. `str()` is one sentence that says what is wrong."""


def encode(event: Event) -> str:
    """The event's line. Raises MalformedEntry if the event could not be read back from it."""
    try:
        return _ENCODER.encode({"v": VERSION, **_EVENT.write(event)})
    except Malformed as wrong:
        raise MalformedEntry(f"cannot write this {type(event).__name__}: {wrong}") from None


def decode(line: str) -> Event:
    """The event of a line, of this version or an older one. Raises MalformedEntry."""
    try:
        event: Event = _EVENT.read(_lifted(_parsed(line)))
    except Malformed as wrong:
        raise MalformedEntry(f"cannot read this entry: {wrong}") from None
    return event


def _parsed(line: str) -> dict[str, Data]:
    try:
        data = _DECODER.decode(line)
    except (ValueError, RecursionError) as wrong:
        raise Malformed(f"it is no JSON ({wrong})") from None
    if type(data) is not dict:
        raise Malformed("it is no JSON object")
    return data


def _lifted(data: dict[str, Data]) -> dict[str, Data]:
    version = data.pop("v", None)
    if type(version) is not int or not (version == VERSION or version in LIFTS):
        raise Malformed(f"its version is {version!r}; known: {', '.join(map(str, (*LIFTS, VERSION)))}")
    for older in range(version, VERSION):
        data = LIFTS[older](data)
    return data


def _no_number(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")


_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False)
_DECODER = json.JSONDecoder(parse_constant=_no_number)
_EVENT = kinds_of(EVENTS, KNOWN)
