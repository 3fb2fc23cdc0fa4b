"""Checks of the ports of a server: who uses them, and whether it could.

They call the functions by which a server prepares and opens ports, so they report what it would refuse, in its words.
"""

import socket
import ssl
import urllib.request
from collections.abc import Callable, Iterator
from http.client import HTTPException
from typing import Any, Protocol

import grpc
from cryptography import x509
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub

from referee.live.match_timing import LoopTime
from referee.observability.tracing import TracesUnavailable, create_tracing
from referee.server.edge_process import find_program
from referee.server.grpc_frontend import VERSION, door_contexts, identity_provider, server_credentials
from referee.server.maintenance.doctor.finding import Finding, bad, ok
from referee.server.node_processes import PortReservation, PortUnavailable, following
from referee.server.setting_types import Address
from referee.server.settings import Settings
from referee.server.site_process import SiteUnavailable, check_packages, open_socket
from referee.server.stores import StartupError
from referee.transport.guards.identity_tokens import OidcUnavailable, create_identity_tokens
from referee.transport.tls import InvalidTlsFiles

TIMEOUT_S = 5.0
SERVICE = "referee_api.v1.PlayService"
ALIVE = b"alive"
SITE_API = b'{"openapi":'
PROBE_HOSTS = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Address to probe when the server binds to all interfaces."""


class Closable(Protocol):
    def close(self) -> None: ...


def ports(settings: Settings) -> Iterator[Finding]:
    yield from _refusals(settings)
    for distance in range(1 + settings.processes if settings.processes > 1 else 1):
        address = following(settings.listen, distance)
        yield _port("gRPC", address, PortReservation, lambda address: _is_ours(address, settings))
    for distance in range(settings.processes):
        yield _port("HTTP", following(settings.http_listen, distance), PortReservation, _is_alive)
    if settings.site_listen:
        yield from _site(settings.site_listen)


def _refusals(settings: Settings) -> Iterator[Finding]:
    """Yield what a server does not start with, besides its data and addresses."""
    time = LoopTime()
    steps: list[Callable[[], object]] = [
        lambda: find_program(settings.edge),
        lambda: server_credentials(settings, time.monotonic_us),
        lambda: door_contexts(settings, time.monotonic_us),
        lambda: create_identity_tokens(identity_provider(settings), time),
        lambda: create_tracing(settings.traces_to, settings.traces_one_in, VERSION).close(),
    ]
    for step in steps:
        try:
            step()
        except (StartupError, InvalidTlsFiles, OidcUnavailable, TracesUnavailable) as why:
            yield bad("start", str(why), "install it, or correct the setting or file")


def _site(address: Address) -> Iterator[Finding]:
    try:
        check_packages()
    except SiteUnavailable as why:
        yield bad("site", str(why), "use the pip of the environment in which the server is installed")
    else:
        yield _port("the site", address, open_socket, _is_site)


def _port(
    what: str, address: Address, listen: Callable[[Address], Closable], ours: Callable[[Address], bool]
) -> Finding:
    """`listen` raises PortUnavailable or SiteUnavailable."""
    if address.port == 0:
        return ok("ports", f"{what} uses any free port")
    probe = Address(PROBE_HOSTS.get(address.host, address.host), address.port)
    if not _is_listened_on(probe):
        try:
            listen(address).close()
        except (PortUnavailable, SiteUnavailable) as why:
            return bad("ports", f"{why} (for {what})", "choose an address of this machine, or another port")
        return ok("ports", f"{address} is available for {what}")
    if ours(probe):
        return ok("ports", f"a referee is serving {what} on {address}")
    taken = f"{address}, configured for {what}, is in use by another program"
    return bad("ports", taken, "stop it, or choose another port")


def _is_listened_on(address: Address) -> bool:
    try:
        socket.create_connection((address.host, address.port), TIMEOUT_S).close()
    except OSError:
        return False
    return True


def _is_alive(address: Address) -> bool:
    return _begins_with(f"http://{address}/healthz", ALIVE)


def _is_site(address: Address) -> bool:
    return _begins_with(f"http://{address}/api/v1/", SITE_API)


def _begins_with(url: str, content: bytes) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=TIMEOUT_S) as page:
            return bool(page.read(len(content)) == content)
    except (OSError, ValueError, HTTPException):
        return False


def _is_ours(address: Address, settings: Settings) -> bool:
    """Check by a health call. With TLS, compare certificates instead: the server may require a client certificate."""
    if settings.tls_cert:
        return _has_our_certificate(address, settings)
    with grpc.insecure_channel(str(address), options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
        stub: Any = HealthStub(channel)  # The stub has no types.
        try:
            answer = stub.Check(HealthCheckRequest(service=SERVICE), timeout=TIMEOUT_S)
        except grpc.RpcError:
            return False
    return bool(answer.status == HealthCheckResponse.SERVING)


def _has_our_certificate(address: Address, settings: Settings) -> bool:
    """Whether the server presents the configured certificate."""
    assert settings.tls_cert
    try:
        ours = x509.load_pem_x509_certificates(settings.tls_cert.read_bytes())[0]
        shown = ssl.get_server_certificate((address.host, address.port), timeout=TIMEOUT_S)
    except (OSError, ValueError):
        return False
    return x509.load_pem_x509_certificate(shown.encode()) == ours
