"""Converts times and durations."""

from google.protobuf.timestamp_pb2 import Timestamp

from referee.accounts.account_errors import BadField
from referee.match.clock import MS, Micros


def timestamp(unix_ms: int) -> Timestamp:
    stamp = Timestamp()
    stamp.FromMilliseconds(unix_ms)
    return stamp


def maybe_timestamp(unix_ms: int | None) -> Timestamp | None:
    return None if unix_ms is None else timestamp(unix_ms)


def unix_ms(stamp: Timestamp, field: str) -> int:
    """Return the Unix time in milliseconds. Raises BadField, with this field, for an invalid timestamp."""
    try:
        return stamp.ToMilliseconds()
    except ValueError:
        raise BadField(field, "it must be a time between the years 1 and 9999") from None


def ms_down(us: Micros) -> int:
    """Return milliseconds, rounded down, so that a bot is never shown more time than it has."""
    return us // MS
