"""TCP proxy to the server that loses one answer."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def run_losing_proxy(address: str, lost_data: bytes) -> Iterator[str]:
    """Forward connections to the server at `address`, and yield the address of the proxy.

    The first connection is closed when the server sends `word` on it, before `word` is forwarded.
    """
    host, _, port = address.rpartition(":")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        serving = threading.Thread(target=_serve, args=(listener, (host, int(port)), lost_data))
        serving.start()
        yield f"127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
        serving.join()


def _serve(listener: socket.socket, server: tuple[str, int], lost_data: bytes) -> None:
    forwarders = []
    lost: bytes | None = lost_data
    with suppress(OSError):  # Raised when the listening socket is shut down.
        while True:
            near, far = listener.accept()[0], socket.create_connection(server)
            forwarders += [_start_forwarder(near, far, None), _start_forwarder(far, near, lost)]
            lost = None
    for forwarder in forwarders:
        forwarder.join()


def _start_forwarder(source: socket.socket, destination: socket.socket, lost: bytes | None) -> threading.Thread:
    thread = threading.Thread(target=_forward, args=(source, destination, lost))
    thread.start()
    return thread


def _forward(source: socket.socket, destination: socket.socket, lost: bytes | None) -> None:
    """Forward bytes until one end closes, or until `lost` has been received; then close both directions."""
    received = b""
    with suppress(OSError):
        while data := source.recv(65536):
            received += data
            if lost and lost in received:
                break
            destination.sendall(data)
    for end in (source, destination):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
    source.close()
