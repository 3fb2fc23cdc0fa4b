"""A reserved port is free for the server that it is for, and for no other program."""

import socket
import sys

import pytest

from deploy.cluster_demo.nats_server import ReservedPort


def bind(port: int, *, reuses: bool) -> socket.socket:
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, reuses)
    try:
        server.bind(("127.0.0.1", port))
    except OSError:
        server.close()
        raise
    return server


def test_a_server_can_listen_there_again_and_again() -> None:
    port = ReservedPort()
    for _ in range(2):
        with bind(port.number, reuses=True) as server:
            server.listen()
            with socket.create_connection(("127.0.0.1", port.number)):
                pass


@pytest.mark.skipif(sys.platform != "linux", reason="other systems let no server listen on a port that is bound")
def test_the_port_is_not_free_while_no_server_listens_there() -> None:
    port = ReservedPort()
    number = port.number
    with pytest.raises(OSError, match="in use"):
        bind(number, reuses=False)
    del port
    bind(number, reuses=False).close()
