"""Moments and spans, as the wire writes them."""

from google.protobuf.timestamp_pb2 import Timestamp

from referee.core.clock import MS, Micros


def timestamp(unix_ms: int) -> Timestamp:
    stamp = Timestamp()
    stamp.FromMilliseconds(unix_ms)
    return stamp


def maybe_timestamp(unix_ms: int | None) -> Timestamp | None:
    return None if unix_ms is None else timestamp(unix_ms)


def unix_ms(stamp: Timestamp) -> int:
    """Whatever the two numbers are that somebody sent."""
    return stamp.seconds * 1_000 + stamp.nanos // 1_000_000


def ms_down(us: Micros) -> int:
    """What is told to a bot is rounded down: it never has more than it hears."""
    return us // MS
