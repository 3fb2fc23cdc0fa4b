"""TCP relay to the server that can stop forwarding without closing anything, like a network that has lost a route."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Relay:
    """Forwards every connection to the server until `close` is called."""

    def __init__(self, server: str) -> None:
        """Listen on a free port, and forward to `server` (HOST:PORT)."""
        host, _, port = server.rpartition(":")
        self._server = (host, int(port))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._open: list[Connection] = []
        self._accepting = threading.Thread(target=self._accept)
        self._accepting.start()

    @property
    def connections(self) -> int:
        """Number of connections that have been accepted so far."""
        return len(self._open)

    def stall(self) -> None:
        """Stop forwarding on all connections that are open now. New connections are forwarded as before."""
        for connection in self._open:
            connection.stalled = True

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
        self._listener.close()
        for connection in self._open:
            connection.close()

    def _accept(self) -> None:
        with suppress(OSError):  # Raised when the listening socket is shut down.
            while True:
                near = self._listener.accept()[0]
                self._open.append(Connection(near, socket.create_connection(self._server)))


class Connection:
    """One connection, forwarded in both directions."""

    def __init__(self, near: socket.socket, far: socket.socket) -> None:
        self.stalled = False
        self._ends = (near, far)
        self._forwarders = [
            threading.Thread(target=self._forward, args=direction) for direction in ((near, far), (far, near))
        ]
        for forwarder in self._forwarders:
            forwarder.start()

    def close(self) -> None:
        self._shut_down()
        for forwarder in self._forwarders:
            forwarder.join()
        for end in self._ends:
            end.close()

    def _forward(self, source: socket.socket, destination: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                if not self.stalled:
                    destination.sendall(data)
        if not self.stalled:
            self._shut_down()

    def _shut_down(self) -> None:
        for end in self._ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


@contextmanager
def run_relay(server: str) -> Iterator[Relay]:
    relay = Relay(server)
    try:
        yield relay
    finally:
        relay.close()
