"""How the protocol of NATS is read, whatever the server sends and however it is divided."""

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.cluster.bus import nats_connection
from referee.cluster.bus.nats_connection import (
    MAX_LINE_BYTES,
    MAX_MESSAGE_BYTES,
    ConnectionFailed,
    NatsConnection,
    NatsInfo,
)
from tests.live.runner_harness import in_loop

SENT = (
    b'INFO {"max_payload": 1048576}\r\n'
    b"+OK\r\nPING\r\n"
    b"MSG referee.c.news 1 5\r\nfirst\r\n"
    b"MSG referee.c.news 22 some.reply 0\r\n\r\n"
    b"-ERR 'Permissions Violation'\r\n"
    b"MSG referee.c.more 1 13\r\nMSG a 1 1\r\n\r\n\r\n"
    b"PONG\r\n"
)
RECEIVED = [(b"1", b"first"), (b"22", b""), (b"1", b"MSG a 1 1\r\n\r\n")]


class Recorder:
    """A connection without a network, with what it has received and sent."""

    def __init__(self) -> None:
        self.received: list[tuple[bytes, bytes]] = []
        self.errors: list[str] = []
        self.transport = FakeTransport()
        self.connection = NatsConnection(
            lambda id_, payload: self.received.append((id_, payload)), self.errors.append, lambda: None
        )
        self.connection.connection_made(self.transport)


class FakeTransport(asyncio.Transport):
    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.aborted = False
        self.on_close: Callable[[], None] = lambda: None

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += data

    def get_write_buffer_size(self) -> int:
        return 0

    def abort(self) -> None:
        self.aborted = True

    def close(self) -> None:
        self.on_close()


@given(st.lists(st.integers(0, len(SENT)), max_size=20).map(sorted))
@in_loop
async def test_what_is_read_does_not_depend_on_how_it_is_divided(cuts: list[int]) -> None:
    recorder = Recorder()
    pong = recorder.connection.ping()
    for start, end in zip([0, *cuts], [*cuts, len(SENT)], strict=True):
        recorder.connection.data_received(SENT[start:end])
    assert pong.result()
    assert recorder.connection.info.result() == NatsInfo(1048576)
    await asyncio.sleep(0)
    assert recorder.received == RECEIVED
    assert recorder.errors == ["Permissions Violation"]
    assert recorder.transport.written == b"PING\r\nPONG\r\n"
    assert not recorder.transport.aborted


@pytest.mark.parametrize(
    "line",
    [
        b"HELLO\r\n",
        b"\r\n",
        b"INFO []\r\n",
        b"INFO {\r\n",
        b"INFO \xff\r\n",
        b"MSG a 1 -1\r\n",
        b"MSG a 1 x\r\n",
        b"MSG 1\r\n",
        b"MSG a 1\r\n",
        b"MSG a 1 %d\r\n" % (MAX_MESSAGE_BYTES + 1),
        b"x" * MAX_LINE_BYTES,
        b"MSG " + b"x" * MAX_LINE_BYTES,
    ],
)
async def test_a_violation_of_the_protocol_breaks_the_connection(line: bytes) -> None:
    recorder = Recorder()
    recorder.connection.data_received(b"MSG a 7 1\r\n1\r\n" + line + b"MSG a 7 1\r\n2\r\n")
    assert recorder.connection.reason.startswith("the server does not speak the protocol of NATS")
    with pytest.raises(ConnectionFailed):
        recorder.connection.info.result()
    assert recorder.received == [(b"7", b"1")]
    assert recorder.transport.aborted


async def test_nothing_is_received_after_the_connection_was_closed() -> None:
    recorder = Recorder()
    connection = recorder.connection
    recorder.transport.on_close = lambda: connection.connection_lost(None)
    connection.send(b"PUB a 0\r\n\r\n")
    await connection.close()
    connection.data_received(SENT)
    connection.send(b"PUB b 0\r\n\r\n")
    assert await connection.ping() is False
    assert recorder.received == []
    assert recorder.transport.written == b"PUB a 0\r\n\r\n"


async def test_a_server_that_does_not_take_the_rest_is_left_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nats_connection, "CLOSE_TIMEOUT_S", 0)
    recorder = Recorder()
    await recorder.connection.close()
    assert recorder.transport.aborted


async def test_what_is_sent_in_one_iteration_is_one_write() -> None:
    recorder = Recorder()
    recorder.connection.send(b"1")
    recorder.connection.send(b"2")
    assert recorder.connection.waiting_bytes == 2
    assert recorder.transport.written == b""
    await asyncio.sleep(0)
    assert recorder.transport.written == b"12"
    assert recorder.connection.waiting_bytes == 0


async def test_a_ping_fails_when_the_connection_breaks() -> None:
    recorder = Recorder()
    pong = recorder.connection.ping()
    recorder.connection.connection_lost(None)
    assert pong.result() is False
    assert recorder.connection.reason == "the server closed the connection"
