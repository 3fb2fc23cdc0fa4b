"""The server shuts down on SIGTERM, even if watchers are connected or do not read."""

import socket
import threading
from pathlib import Path
from typing import Any

import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from tests.e2e import http2
from tests.e2e.server import TIMEOUT_S, run_server

pytestmark = pytest.mark.slow


def test_a_health_watch_reports_the_shutdown_and_does_not_delay_it(tmp_path: Path) -> None:
    with run_server(tmp_path) as server, server.channel() as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        watching = stub.Watch(health_pb2.HealthCheckRequest(), timeout=TIMEOUT_S)
        assert next(watching).status == health_pb2.HealthCheckResponse.SERVING
        assert server.stop() == 0
        assert next(watching).status == health_pb2.HealthCheckResponse.NOT_SERVING


def test_an_unread_health_watch_does_not_delay_the_shutdown(tmp_path: Path) -> None:
    with run_server(tmp_path) as server, http2.connect(server.address, TIMEOUT_S) as connection:
        connection.sendall(http2.PREFACE + http2.NO_WINDOW + http2.complete_call(1, http2.HEALTH_PATH))
        answered = threading.Event()
        reader = threading.Thread(target=read_until_closed, args=(connection, answered))
        reader.start()
        assert answered.wait(TIMEOUT_S)
        assert server.stop() == 0
        reader.join(TIMEOUT_S)


def read_until_closed(connection: socket.socket, answered: threading.Event) -> None:
    """Keep the connection alive until the server closes it.

    Headers of a response need no flow control window, but its data do.
    """
    with connection.makefile("rb") as stream:
        while len(header := stream.read(http2.FRAME_HEADER_BYTES)) == http2.FRAME_HEADER_BYTES:
            size, kind, flags = int.from_bytes(header[:3], "big"), header[3], header[4]
            payload = stream.read(size)
            if kind == http2.HEADERS:
                answered.set()
            elif kind == http2.SETTINGS_ and not flags & http2.ACK:
                connection.sendall(http2.frame(http2.SETTINGS_, http2.ACK, 0))
            elif kind == http2.PING_ and not flags & http2.ACK:
                connection.sendall(http2.frame(http2.PING_, http2.ACK, 0, payload))
