"""A clock as a person gives it: in a word, or as the table that the contract has for it.

60        a minute for the whole game
60+1      a minute, and a second more after every move
2/move    two seconds for each move
none      no clock
{japanese_byo_yomi = {main_ms = 60000, period_ms = 5000, periods = 3}}
"""

import re
from collections.abc import Mapping

from google.protobuf import json_format
from referee_api.v1 import clock_pb2

from referee.arena.refusals import BadClock
from referee.core.clock import SECOND, Fischer, Micros, PerMove, SuddenDeath, TimeControl, Untimed
from referee.core.errors import BadTimeControl
from referee.transport.convert.controls import read_rule

SECONDS = r"\d{1,9}(?:\.\d{1,3})?"
MAIN = re.compile(rf"({SECONDS})(?:\+({SECONDS}))?")
A_MOVE = re.compile(rf"({SECONDS})/move")
NONE = "none"
TAKES = "cannot be read; it is written 60 (seconds a game), 60+1 (and one more a move), 2/move, or none"


def read_clock(given: object) -> TimeControl:
    """Raises BadClock."""
    try:
        return _table(given) if isinstance(given, Mapping) else _word(str(given))
    except BadTimeControl as wrong:
        raise BadClock(given, f"cannot be: {wrong}") from None


def _word(text: str) -> TimeControl:
    if text == NONE:
        return Untimed()
    if a_move := A_MOVE.fullmatch(text):
        return PerMove(_us(a_move[1]))
    main = MAIN.fullmatch(text)
    if not main:
        raise BadClock(text, TAKES)
    return Fischer(_us(main[1]), _us(main[2])) if main[2] else SuddenDeath(_us(main[1]))


def _table(given: Mapping[str, object]) -> TimeControl:
    try:
        return read_rule(json_format.ParseDict(dict(given), clock_pb2.ClockRule()))
    except json_format.ParseError as error:
        known = ", ".join(field.name for field in clock_pb2.ClockRule.DESCRIPTOR.fields)
        raise BadClock(given, f"is no ClockRule of the contract ({error}); known: {known}") from None


def _us(seconds: str) -> Micros:
    return round(float(seconds) * SECOND)
