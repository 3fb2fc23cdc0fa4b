"""As much of HTTP/2 as one needs to abuse it: frames as bytes (RFC 9113), headers without compression (RFC 7541)."""

from collections.abc import Iterator
from itertools import count
from random import Random

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

DATA, HEADERS, RST_STREAM, SETTINGS_, PING_, GO_AWAY = 0, 1, 3, 4, 6, 7
END_STREAM, ACK, END_HEADERS = 1, 1, 4
CANCEL = 8
CALLED = "/referee_api.v1.GameService/ListGames"


def frame(kind: int, flags: int, stream_id: int, payload: bytes = b"") -> bytes:
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream_id.to_bytes(4, "big") + payload


SETTINGS = frame(SETTINGS_, 0, 0)
PING = frame(PING_, 0, 0, bytes(8))
PONG = frame(PING_, ACK, 0, bytes(8))


def stream_ids() -> Iterator[int]:
    """Those of a client, in their order."""
    return count(1, 2)


def call(stream_id: int) -> bytes:
    """The beginning of a call by somebody without a token."""
    return frame(HEADERS, END_HEADERS, stream_id, _HEAD)


def whole_call(stream_id: int) -> bytes:
    return call(stream_id) + frame(DATA, END_STREAM, stream_id, bytes(5))  # An empty message has no more than its head.


def reset(stream_id: int) -> bytes:
    return frame(RST_STREAM, 0, stream_id, CANCEL.to_bytes(4, "big"))


def go_away(why: bytes) -> bytes:
    """With a code that means nothing."""
    return frame(GO_AWAY, 0, 0, bytes(4) + (77).to_bytes(4, "big") + why)


def any_frame(chance: Random) -> bytes:
    """One of any kind, that says it is as long as it is, and nothing else that is true."""
    payload = chance.randbytes(chance.choice((0, 1, 4, 5, 8, 100)))
    return frame(chance.randrange(12), chance.randrange(256), chance.choice((0, 1, 2, 3, 2**31 - 1)), payload)


def _header(name: str, value: str) -> bytes:
    """Literal, not to be indexed."""
    return b"\0" + b"".join(bytes([len(text)]) + text.encode() for text in (name, value))


_HEAD = b"".join(
    _header(name, value)
    for name, value in (
        (":method", "POST"),
        (":scheme", "http"),
        (":path", CALLED),
        (":authority", "referee"),
        ("te", "trailers"),
        ("content-type", "application/grpc"),
    )
)
