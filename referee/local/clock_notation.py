"""Parse a time control: text in the notation of the SDK, or a table with the contract's fields.

60+1                                 a minute plus a second per move (see referee_client.organiser)
{japanese_byo_yomi = {main_ms = 60000, period_ms = 5000, periods = 3}}
"""

from collections.abc import Mapping

from google.protobuf import json_format
from referee_api.v1 import clock_pb2
from referee_client.organiser import clock_text

from referee.local.local_errors import BadClock
from referee.match.clock import TimeControl
from referee.match.match_errors import BadTimeControl
from referee.wire.clocks import read_rule

TAKES = "cannot be read; write for example 60+1, 60 byoyomi 3x10, 5/move or none"


def read_clock(given: object) -> TimeControl:
    """Parse a time control from text or a table. Raises BadClock."""
    try:
        return _table(given) if isinstance(given, Mapping) else _text(str(given))
    except BadTimeControl as wrong:
        raise BadClock(given, f"is invalid: {wrong}") from None


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
        raise BadClock(given, f"is not a valid ClockRule ({error}); known: {known}") from None
