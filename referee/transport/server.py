"""The gRPC server: what it serves, by which limits, on which port."""

import asyncio
import os
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse

from referee.core.clock import SECOND, Micros
from referee.transport.admission import PACKAGE
from referee.transport.auth import RULES
from referee.transport.open_calls import OpenCalls
from referee.transport.reflection import add_reflection

SERVING, NOT_SERVING = HealthCheckResponse.SERVING, HealthCheckResponse.NOT_SERVING
SERVICE_UNKNOWN = HealthCheckResponse.SERVICE_UNKNOWN
SERVICES = tuple(f"{PACKAGE}{service}" for service in RULES)
METHODS = tuple(f"/{PACKAGE}{service}/{method}" for service, methods in RULES.items() for method in methods)

PENDING_AT_MOST = 20_000
"""Calls that wait to be taken. By default grpc turns many away when thousands of streams open at once."""

HANDSHAKE_WITHIN_MS = 10_000
"""Who has not said by then what it speaks is thrown out: a connection that says nothing costs a file, and memory."""

IDLE_AT_MOST_MS = 300_000
"""So long a connection may stand without a call. Whoever calls again opens another, and does not notice."""

STREAMS_PER_CONNECTION = 256
"""Calls of one connection at once, streams included; without a limit one may have millions. Who needs more, such as
a program that watches hundreds of matches, opens another connection."""

NUMBER_AT_MOST = 2**31 - 1
"""What grpc takes for an option."""

READ_BEYOND = 4
"""So many times the largest message is read, to be refused in our words; beyond that grpc refuses in its own."""


class CannotListen(Exception):
    """`str()` is one sentence."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What grpc is to keep to. Times in milliseconds, sizes in bytes."""

    message_at_most_bytes: int
    keepalive_every_ms: int
    keepalive_within_ms: int
    client_pings_apart_ms: int

    def options(self) -> list[tuple[str, int]]:
        return [
            ("grpc.max_receive_message_length", min(READ_BEYOND * self.message_at_most_bytes, NUMBER_AT_MOST)),
            ("grpc.max_send_message_length", -1),
            ("grpc.keepalive_time_ms", self.keepalive_every_ms),
            ("grpc.keepalive_timeout_ms", self.keepalive_within_ms),
            ("grpc.http2.ping_timeout_ms", self.keepalive_within_ms),  # Without it the one above is not heeded.
            ("grpc.keepalive_permit_without_calls", 1),
            ("grpc.http2.min_ping_interval_without_data_ms", self.client_pings_apart_ms),
            ("grpc.max_concurrent_streams", STREAMS_PER_CONNECTION),
            ("grpc.server_handshake_timeout_ms", HANDSHAKE_WITHIN_MS),
            ("grpc.max_connection_idle_ms", IDLE_AT_MOST_MS),
            ("grpc.server.max_pending_requests", PENDING_AT_MOST),
            ("grpc.server.max_pending_requests_hard_limit", 2 * PENDING_AT_MOST),
            ("grpc.so_reuseport", 0),  # A second referee on the same port is a mistake, and no help.
        ]


class Health(health.aio.HealthServicer):
    """grpc's own, what it leaves out, and a `Watch` that lets the server stop.

    Theirs holds a lock while it writes, and whoever sets a status waits for that lock: one watcher that does not read
    would keep the server from stopping. A status changes only when the server stops.
    """

    def __init__(self) -> None:
        super().__init__()
        self._stopping = asyncio.Event()

    async def Watch(self, request: Any, context: Any) -> None:
        """Tell the status, and what it becomes when the server stops; then end."""
        known = request.service in ("", *SERVICES)
        now, then = (SERVING, NOT_SERVING) if known else (SERVICE_UNKNOWN, SERVICE_UNKNOWN)
        if not self._stopping.is_set():
            await context.write(HealthCheckResponse(status=now))
        await self._stopping.wait()
        await context.write(HealthCheckResponse(status=then))

    async def enter_graceful_shutdown(self) -> None:
        await super().enter_graceful_shutdown()
        self._stopping.set()

    async def List(self, request: Any, context: Any) -> Any:
        stubs: Any = health_pb2  # Their types are older than this method.
        asked = {name: HealthCheckRequest(service=name) for name in ("", *SERVICES)}
        return stubs.HealthListResponse(statuses={name: await self.Check(one, context) for name, one in asked.items()})


class Server:
    """Serves from `open` to `close`."""

    def __init__(
        self,
        services: Sequence[Callable[[grpc.aio.Server], None]],
        interceptors: Sequence[grpc.aio.ServerInterceptor],
        limits: Limits,
        calls: OpenCalls,
    ) -> None:
        """`services` add themselves to a server."""
        self._calls = calls
        self._server = grpc.aio.server(interceptors=interceptors, options=limits.options())
        for add in services:
            add(self._server)
        self._health = Health()
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        add_reflection((*SERVICES, health.SERVICE_NAME), self._server)

    async def open(self, address: str, credentials: grpc.ServerCredentials | None) -> int:
        """Listen, and serve. The port that it became. Raises CannotListen."""
        try:
            if credentials:
                port = self._server.add_secure_port(address, credentials)
            else:
                port = self._server.add_insecure_port(address)
        except RuntimeError as error:
            raise CannotListen(f"cannot listen on {address}: {_bind_error(address) or error}") from None
        self._calls.start()
        await self._server.start()
        for service in SERVICES:
            await self._health.set(service, SERVING)
        return port

    async def stop_serving(self) -> None:
        """Say so to whoever asks about our health. Calls are answered as before."""
        await self._health.enter_graceful_shutdown()

    async def close(self, grace_us: Micros) -> None:
        """Take no calls any more, and end those that are open still after the grace."""
        await self._server.stop(grace_us / SECOND)
        self._calls.stop()


def _bind_error(address: str) -> str:
    """What the system says to binding this address, since grpc does not tell; empty if it would be possible now."""
    host, _, port = address.rpartition(":")
    family = socket.AF_INET6 if host.startswith("[") else socket.AF_INET
    try:
        socket.create_server((host.strip("[]"), int(port)), family=family).close()
    except OSError as error:
        return os.strerror(error.errno) if error.errno else str(error)
    return ""
