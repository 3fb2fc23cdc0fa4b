"""The gRPC server: its options, health and reflection, and how it starts and stops."""

import asyncio
import os
import socket
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import descriptor_pool
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_reflection.v1alpha import reflection, reflection_pb2

from referee.match.clock import SECOND, Micros
from referee.transport.contract_options import CALL_RULES, PACKAGE, SERVICES
from referee.transport.guards.open_calls import OpenCalls

SERVING, NOT_SERVING = HealthCheckResponse.SERVING, HealthCheckResponse.NOT_SERVING
SERVICE_UNKNOWN = HealthCheckResponse.SERVICE_UNKNOWN
METHODS = tuple(f"/{PACKAGE}{method}" for method in CALL_RULES)

V1ALPHA, V1 = "grpc.reflection.v1alpha", "grpc.reflection.v1"
REFLECTION = "ServerReflection"
REFLECTION_SERVICES = tuple(f"{package}.{REFLECTION}" for package in (V1ALPHA, V1))

MAX_PENDING_CALLS = 20_000
"""Calls that wait to be accepted. With the default of grpc, many fail when thousands of streams open at once."""

HANDSHAKE_TIMEOUT_MS = 10_000
"""Deadline of the TLS and HTTP/2 handshake: a silent connection uses a file descriptor and memory."""

MAX_IDLE_MS = 30_000
"""Time without an open call after which a connection is closed. Clients reconnect transparently with their next call.

A stranger can open connections without a token, and grpc has no other time for connections that have shown one.
"""

MAX_STREAMS_PER_CONNECTION = 256
"""Concurrent calls of one connection, streams included. A client that needs more, such as a program that watches
hundreds of matches, opens another connection."""

MAX_INT32 = 2**31 - 1
"""Largest value of an option of grpc."""

OVERSIZE_FACTOR = 4
"""Messages up to this multiple of the limit are read, and rejected by MESSAGE_TOO_LARGE; larger ones by grpc."""


class ListenError(Exception):
    """The address cannot be used. `str()` is one sentence."""


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """Limits and keepalive settings of grpc. Times in milliseconds, sizes in bytes."""

    max_message_bytes: int
    keepalive_interval_ms: int
    keepalive_timeout_ms: int
    min_client_ping_interval_ms: int
    _: KW_ONLY
    max_calls_per_connection: int = MAX_STREAMS_PER_CONNECTION
    max_connections: int = MAX_INT32
    """Connections to each address at once. Those above are closed as soon as they are accepted."""
    shares_port: bool = False
    """Whether other processes of this machine listen on the same port."""

    def options(self) -> list[tuple[str, int]]:
        return [
            ("grpc.max_receive_message_length", min(OVERSIZE_FACTOR * self.max_message_bytes, MAX_INT32)),
            ("grpc.max_send_message_length", -1),
            ("grpc.keepalive_time_ms", self.keepalive_interval_ms),
            ("grpc.keepalive_timeout_ms", self.keepalive_timeout_ms),
            (
                "grpc.http2.ping_timeout_ms",
                self.keepalive_timeout_ms,
            ),  # Without it, keepalive_timeout_ms has no effect.
            ("grpc.keepalive_permit_without_calls", 1),
            ("grpc.http2.min_ping_interval_without_data_ms", self.min_client_ping_interval_ms),
            ("grpc.max_concurrent_streams", self.max_calls_per_connection),
            ("grpc.server_handshake_timeout_ms", HANDSHAKE_TIMEOUT_MS),
            ("grpc.max_connection_idle_ms", MAX_IDLE_MS),
            # The largest value stands for no limit, and grpc aborts the process if a limit is set to it.
            ("grpc.max_allowed_incoming_connections", min(self.max_connections, MAX_INT32 - 1)),
            ("grpc.server.max_pending_requests", MAX_PENDING_CALLS),
            ("grpc.server.max_pending_requests_hard_limit", 2 * MAX_PENDING_CALLS),
            # Otherwise, a second server on the same port must fail to start.
            ("grpc.so_reuseport", int(self.shares_port)),
        ]


class Health(health.aio.HealthServicer):
    """The health servicer of grpc, with `List`, and with a `Watch` that cannot delay the shutdown.

    The inherited `Watch` holds a lock while it writes, and setting a status waits for that lock: a watcher that does
    not read would prevent the server from stopping. Here a status changes only when the server stops.
    """

    def __init__(self) -> None:
        super().__init__()
        self._stopping = asyncio.Event()

    async def Watch(self, request: Any, context: Any) -> None:
        """Write the current status, and the next one when the server stops; then end."""
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
        stubs: Any = health_pb2  # The type stubs do not have this method yet.
        requests = {name: HealthCheckRequest(service=name) for name in ("", *SERVICES)}
        return stubs.HealthListResponse(
            statuses={name: await self.Check(check, context) for name, check in requests.items()}
        )


ReflectionServicer: Any = reflection.aio.ReflectionServicer
"""Typed as Any, because the stubs omit its base class."""


class Reflection(ReflectionServicer):  # type: ignore[misc]  # The base class is Any.
    """Server reflection, versions v1 and v1alpha, which differ only in the name of their package.

    grpcio-reflection implements only v1alpha, and does not find methods by name, as `grpcurl describe` needs.
    """

    def _file_containing_symbol(self, request: Any, fully_qualified_name: str) -> Any:
        service, _, method = fully_qualified_name.rpartition(".")
        name = service if self._is_method(service, method) else fully_qualified_name
        return super()._file_containing_symbol(request, name)

    def _is_method(self, service: str, method: str) -> bool:
        try:
            return method in self._pool.FindServiceByName(service).methods_by_name
        except KeyError:
            return False


def _add_reflection(services: tuple[str, ...], server: grpc.aio.Server) -> None:
    """Serve descriptions of these services, and of reflection itself."""
    _describe_v1()
    servicer = Reflection((*services, *REFLECTION_SERVICES))
    handler = grpc.stream_stream_rpc_method_handler(
        servicer.ServerReflectionInfo,
        reflection_pb2.ServerReflectionRequest.FromString,
        reflection_pb2.ServerReflectionResponse.SerializeToString,
    )
    for name in REFLECTION_SERVICES:
        server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(name, {"ServerReflectionInfo": handler}),)
        )


def _describe_v1() -> None:
    """Add the file of v1 to the default descriptor pool, so that v1 can describe itself."""
    file = FileDescriptorProto()
    reflection_pb2.DESCRIPTOR.CopyToProto(file)
    file.name = file.name.replace("v1alpha", "v1")
    file.package = V1
    for message in file.message_type:
        for field in message.field:
            if field.HasField("type_name"):
                field.type_name = field.type_name.replace(V1ALPHA, V1)
    for method in file.service[0].method:
        method.input_type = method.input_type.replace(V1ALPHA, V1)
        method.output_type = method.output_type.replace(V1ALPHA, V1)
    file.ClearField("options")  # They are options of code generators.
    descriptor_pool.Default().AddSerializedFile(file.SerializeToString())


class Server:
    """Accepts calls from `open` to `close`."""

    def __init__(
        self,
        services: Sequence[Callable[[grpc.aio.Server], None]],
        interceptors: Sequence[grpc.aio.ServerInterceptor],
        limits: ServerLimits,
        calls: OpenCalls,
    ) -> None:
        """`services`: functions that add a servicer to a server."""
        self._calls = calls
        self._server = grpc.aio.server(interceptors=interceptors, options=limits.options())
        for add in services:
            add(self._server)
        self._health = Health()
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        _add_reflection((*SERVICES, health.SERVICE_NAME), self._server)

    async def open(
        self,
        address: str,
        credentials: grpc.ServerCredentials | None,
        own_address: str = "",
        local_paths: Sequence[Path] = (),
    ) -> int:
        """Listen and serve; return the port of `address`. Raises ListenError.

        It also listens at `own_address` if it is given, and at the Unix sockets `local_paths`, which need no TLS.
        """
        port = self._listen(address, credentials)
        if own_address:
            self._listen(own_address, credentials)
        for path in local_paths:
            self._listen(f"unix:{path}", None)
        self._calls.start()
        await self._server.start()
        for service in SERVICES:
            await self._health.set(service, SERVING)
        return port

    def _listen(self, address: str, credentials: grpc.ServerCredentials | None) -> int:
        try:
            if credentials:
                return self._server.add_secure_port(address, credentials)
            return self._server.add_insecure_port(address)
        except RuntimeError as error:
            raise ListenError(f"cannot listen on {address}: {_bind_error(address) or error}") from None

    async def stop_serving(self) -> None:
        """Report NOT_SERVING to health checks. Calls are still answered."""
        await self._health.enter_graceful_shutdown()

    async def close(self, grace_us: Micros) -> None:
        """Accept no new calls, and cancel those that are still open after the grace period."""
        await self._server.stop(grace_us / SECOND)
        self._calls.stop()


def _bind_error(address: str) -> str:
    """Return the error of the system for binding this address, which grpc hides; empty: binding succeeds now."""
    host, _, port = address.rpartition(":")
    family = socket.AF_INET6 if host.startswith("[") else socket.AF_INET
    try:
        socket.create_server((host.strip("[]"), int(port)), family=family).close()
    except OSError as error:
        return os.strerror(error.errno) if error.errno else str(error)
    return ""
