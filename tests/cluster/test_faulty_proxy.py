"""The proxy forwards, cuts, stalls and slows down connections, and forwards again afterwards."""

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from socketserver import BaseRequestHandler, ThreadingTCPServer

import pytest

from tests.cluster.faulty_proxy import FaultyProxy, run_proxy

TIMEOUT_S = 60


class Echo(BaseRequestHandler):
    """Sends back what it receives."""

    def handle(self) -> None:
        with suppress(OSError):
            while data := self.request.recv(1024):
                self.request.sendall(data)


@pytest.fixture
def proxy() -> Iterator[FaultyProxy]:
    """Return a proxy to a server that sends back what it receives."""
    with ThreadingTCPServer(("127.0.0.1", 0), Echo) as server:
        serving = threading.Thread(target=server.serve_forever, args=(0.01,))
        serving.start()
        with run_proxy(*server.socket.getsockname()) as running:
            yield running
        server.shutdown()
        serving.join()


def connect(proxy: FaultyProxy) -> socket.socket:
    return socket.create_connection(("127.0.0.1", proxy.port), TIMEOUT_S)


def ask(connection: socket.socket, text: bytes) -> bytes:
    """Send a text, and return the same number of bytes of the answer, or less if the connection breaks."""
    connection.sendall(text)
    return receive(connection, len(text))


def receive(connection: socket.socket, size: int) -> bytes:
    answer = b""
    while len(answer) < size and (data := connection.recv(size - len(answer))):
        answer += data
    return answer


def test_it_forwards_several_connections(proxy: FaultyProxy) -> None:
    with connect(proxy) as first, connect(proxy) as other:
        assert ask(first, b"one") == b"one"
        assert ask(other, b"other") == b"other"
        assert ask(first, b"one again") == b"one again"
        assert proxy.connections == 2


def test_a_cut_breaks_old_and_new_connections_until_it_is_healed(proxy: FaultyProxy) -> None:
    with connect(proxy) as old:
        assert ask(old, b"old") == b"old"
        proxy.cut()
        with pytest.raises(OSError):  # noqa: PT011  # The error depends on which side notices it.
            _fail_if_empty(old)
        with pytest.raises(OSError), connect(proxy) as new:  # noqa: PT011
            _fail_if_empty(new)
    proxy.heal()
    with connect(proxy) as new:
        assert ask(new, b"new") == b"new"


def _fail_if_empty(connection: socket.socket) -> None:
    """Raise OSError if the connection is broken, in whichever way that shows."""
    if not ask(connection, b"anything"):
        raise ConnectionResetError


def test_stalled_data_arrive_in_order_when_it_is_healed(proxy: FaultyProxy) -> None:
    with connect(proxy) as old:
        assert ask(old, b"old") == b"old"
        proxy.stall()
        old.sendall(b"later")
        with connect(proxy) as new:
            new.sendall(b"new")
            old.setblocking(False)
            with pytest.raises(BlockingIOError):
                old.recv(1)
            proxy.heal()
            old.settimeout(TIMEOUT_S)
            assert receive(old, 5) == b"later"
            assert receive(new, 3) == b"new"


def test_slow_connections_keep_the_order(proxy: FaultyProxy) -> None:
    proxy.slow_down(0.01)
    with connect(proxy) as connection:
        for number in range(5):
            connection.sendall(b"%d" % number)
        assert receive(connection, 5) == b"01234"


def test_a_server_that_is_gone_breaks_the_connection() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = listener.getsockname()
    with run_proxy(*address) as proxy, pytest.raises(OSError), connect(proxy) as connection:  # noqa: PT011
        _fail_if_empty(connection)
