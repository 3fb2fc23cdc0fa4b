"""Moments and spans, as the wire writes them."""

from google.protobuf.timestamp_pb2 import Timestamp

from referee.app.refusals import BadField
from referee.core.clock import MS, Micros


def timestamp(unix_ms: int) -> Timestamp:
    stamp = Timestamp()
    stamp.FromMilliseconds(unix_ms)
    return stamp


def maybe_timestamp(unix_ms: int | None) -> Timestamp | None:
    return None if unix_ms is None else timestamp(unix_ms)


def unix_ms(stamp: Timestamp, field: str) -> int:
    """Raises BadField, of that field, if the two numbers that somebody sent are no moment."""
    try:
        return stamp.ToMilliseconds()
    except ValueError:
        raise BadField(field, "it is no moment between the years 1 and 9999") from None


def ms_down(us: Micros) -> int:
    """What is told to a bot is rounded down: it never has more than it hears."""
    return us // MS
