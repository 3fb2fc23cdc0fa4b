"""A clock as a person gives it: as text in the SDK's notation, or as the table that the contract has for it.

60+1                                 a minute, and a second more after every move (see referee_client.organiser)
{japanese_byo_yomi = {main_ms = 60000, period_ms = 5000, periods = 3}}
"""

from collections.abc import Mapping

from google.protobuf import json_format
from referee_api.v1 import clock_pb2
from referee_client.organiser import clock_text

from referee.arena.refusals import BadClock
from referee.core.clock import TimeControl
from referee.core.errors import BadTimeControl
from referee.transport.convert.controls import read_rule

TAKES = "cannot be read; write for example 60+1, 60 byoyomi 3x10, 5/move or none"


def read_clock(given: object) -> TimeControl:
    """Return the clock that is given as text or as a table. Raises BadClock."""
    try:
        return _table(given) if isinstance(given, Mapping) else _text(str(given))
    except BadTimeControl as wrong:
        raise BadClock(given, f"cannot be: {wrong}") from None


def _text(text: str) -> TimeControl:
    try:
        return read_rule(clock_text.clock(text))
    except clock_text.BadClock:
        raise BadClock(text, TAKES) from None


def _table(given: Mapping[str, object]) -> TimeControl:
    try:
        return read_rule(json_format.ParseDict(dict(given), clock_pb2.ClockRule()))
    except json_format.ParseError as error:
        known = ", ".join(field.name for field in clock_pb2.ClockRule.DESCRIPTOR.fields)
        raise BadClock(given, f"is no ClockRule of the contract ({error}); known: {known}") from None
