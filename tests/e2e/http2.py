"""Minimal HTTP/2 for tests of abuse: frames as bytes (RFC 9113), headers without compression (RFC 7541)."""

import select
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from random import Random

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

DATA, HEADERS, RST_STREAM, SETTINGS_, PING_, GO_AWAY, CONTINUATION = 0, 1, 3, 4, 6, 7, 9
END_STREAM, ACK, END_HEADERS = 1, 1, 4
CANCEL = 8
INITIAL_WINDOW = 4
FRAME_HEADER_BYTES = 9
CALL_PATH = "/referee_api.v1.GameService/ListGames"
HEALTH_PATH = "/grpc.health.v1.Health/Watch"
REFLECTION_PATH = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"


def frame(kind: int, flags: int, stream_id: int, payload: bytes = b"") -> bytes:
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream_id.to_bytes(4, "big") + payload


SETTINGS = frame(SETTINGS_, 0, 0)
NO_WINDOW = frame(SETTINGS_, 0, 0, INITIAL_WINDOW.to_bytes(2, "big") + bytes(4))
"""Settings with a flow control window of zero, so that no response data can be sent."""
PING = frame(PING_, 0, 0, bytes(8))
PONG = frame(PING_, ACK, 0, bytes(8))


def stream_ids() -> Iterator[int]:
    """Yield the stream ids that a client uses, in order."""
    return count(1, 2)


def call(stream_id: int, path: str = CALL_PATH, token: str = "") -> bytes:
    """Return the headers that begin a call; without a token if it is empty."""
    return frame(HEADERS, END_HEADERS, stream_id, _headers(path, token))


def complete_call(
    stream_id: int, path: str = CALL_PATH, token: str = "", message: bytes = b"", more: bytes = b""
) -> bytes:
    """Return a whole call; `more` are further headers."""
    prefixed = bytes(1) + len(message).to_bytes(4, "big") + message
    begin = frame(HEADERS, END_HEADERS, stream_id, _headers(path, token) + more)
    return begin + frame(DATA, END_STREAM, stream_id, prefixed)


def reset(stream_id: int) -> bytes:
    return frame(RST_STREAM, 0, stream_id, CANCEL.to_bytes(4, "big"))


def go_away(debug_data: bytes) -> bytes:
    """Return a GOAWAY frame with an undefined error code."""
    return frame(GO_AWAY, 0, 0, bytes(4) + (77).to_bytes(4, "big") + debug_data)


def random_frame(rng: Random) -> bytes:
    """Return a frame of a random type with a correct length and otherwise random contents."""
    payload = rng.randbytes(rng.choice((0, 1, 4, 5, 8, 100)))
    return frame(rng.randrange(12), rng.randrange(256), rng.choice((0, 1, 2, 3, 2**31 - 1)), payload)


def _header(name: str, value: str) -> bytes:
    """Return a literal header field without indexing."""
    return b"\0" + b"".join(bytes([len(text)]) + text.encode() for text in (name, value))


def _headers(path: str, token: str) -> bytes:
    headers = [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", path),
        (":authority", "referee"),
        ("te", "trailers"),
        ("content-type", "application/grpc"),
    ]
    return b"".join(
        _header(name, value) for name, value in headers + [("authorization", f"Bearer {token}")] * bool(token)
    )


def connect(address: str, timeout_s: float | None = None) -> socket.socket:
    host, _, port = address.rpartition(":")
    return socket.create_connection((host, int(port)), timeout_s)


class RawConnection:
    """Connection that can send anything, and tracks which of its calls have ended. It answers pings."""

    def __init__(self, address: str, settings: bytes = SETTINGS) -> None:
        self._socket = connect(address)
        self._ids = stream_ids()
        self.open: set[int] = set()
        """Calls that this connection has started and that have not ended."""
        self.closed = False
        """Whether the other side has closed the connection."""
        self._buffer = b""
        self._socket.sendall(PREFACE + settings + frame(SETTINGS_, ACK, 0))

    def start_call(self, path: str = CALL_PATH, token: str = "", message: bytes | None = None) -> None:
        """Begin a call. Without a message, only its headers are sent."""
        stream_id = next(self._ids)
        self.open.add(stream_id)
        data = call(stream_id, path, token) if message is None else complete_call(stream_id, path, token, message)
        self._socket.sendall(data)

    def close(self) -> None:
        self._socket.close()

    def fileno(self) -> int:
        return self._socket.fileno()

    def receive(self) -> None:
        """Read what has arrived, answer pings, and remove the calls that have ended from `open`."""
        data = self._socket.recv(65_536)
        self.closed = not data
        self._buffer += data
        while len(self._buffer) >= FRAME_HEADER_BYTES:
            length = int.from_bytes(self._buffer[:3], "big")
            if len(self._buffer) < FRAME_HEADER_BYTES + length:
                return
            kind, flags, stream_id = self._buffer[3], self._buffer[4], int.from_bytes(self._buffer[5:9], "big")
            end = FRAME_HEADER_BYTES + length
            payload, self._buffer = self._buffer[FRAME_HEADER_BYTES:end], self._buffer[end:]
            if kind == PING_ and not flags & ACK:
                self._socket.sendall(frame(PING_, ACK, 0, payload))
            elif stream_id in self.open and (kind == RST_STREAM or (kind in (DATA, HEADERS) and flags & END_STREAM)):
                self.open.discard(stream_id)


def receive_until(connections: Sequence[RawConnection], done: Callable[[], bool], timeout_s: float) -> bool:
    """Read from all connections until `done()` is true. Return whether it was within `timeout_s`."""
    deadline_s = time.monotonic() + timeout_s
    while not done() and (left_s := deadline_s - time.monotonic()) > 0:
        ready, _, _ = select.select([connection for connection in connections if not connection.closed], [], [], left_s)
        for connection in ready:
            connection.receive()
    return done()
