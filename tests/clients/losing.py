"""TCP proxy to the server that loses one answer."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def losing(address: str, word: bytes) -> Iterator[str]:
    """Forward connections to the server at `address`, and yield the address of the proxy.

    The first connection is closed when the server sends `word` on it, before `word` is forwarded.
    """
    host, _, port = address.rpartition(":")
    with socket.create_server(("127.0.0.1", 0)) as door:
        serving = threading.Thread(target=_serve, args=(door, (host, int(port)), word))
        serving.start()
        yield f"127.0.0.1:{door.getsockname()[1]}"
        door.shutdown(socket.SHUT_RDWR)
        serving.join()


def _serve(door: socket.socket, server: tuple[str, int], word: bytes) -> None:
    carriers = []
    lost: bytes | None = word
    with suppress(OSError):  # Raised when the listening socket is shut down.
        while True:
            near, far = door.accept()[0], socket.create_connection(server)
            carriers += [_carrier(near, far, None), _carrier(far, near, lost)]
            lost = None
    for carrier in carriers:
        carrier.join()


def _carrier(source: socket.socket, drain: socket.socket, lost: bytes | None) -> threading.Thread:
    thread = threading.Thread(target=_carry, args=(source, drain, lost))
    thread.start()
    return thread


def _carry(source: socket.socket, drain: socket.socket, lost: bytes | None) -> None:
    """Forward bytes until one end closes, or until `lost` has been received; then close both directions."""
    heard = b""
    with suppress(OSError):
        while data := source.recv(65536):
            heard += data
            if lost and lost in heard:
                break
            drain.sendall(data)
    for end in (source, drain):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
    source.close()
