"""Checks of the two ports: free, in use by this server, or in use by something else."""

import socket
import ssl
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import grpc
from cryptography import x509
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub

from referee.maintenance.doctor.finding import Finding, bad, ok
from referee.server.setting_types import Address
from referee.server.settings import Settings

TIMEOUT_S = 5.0
SERVICE = "referee_api.v1.PlayService"
ALIVE = b"alive"
PROBE_HOSTS = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Address to probe when the server binds to all interfaces."""


def ports(settings: Settings) -> Iterator[Finding]:
    yield _port("gRPC", settings.listen, lambda address: _is_ours(address, settings))
    yield _port("HTTP", settings.http_listen, _is_alive)


def _port(what: str, address: Address, ours: Callable[[Address], bool]) -> Finding:
    if address.port == 0:
        return ok("ports", f"{what} uses any free port")
    probe = Address(PROBE_HOSTS.get(address.host, address.host), address.port)
    if not _is_listened_on(probe):
        return _free(what, address)
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


def _free(what: str, address: Address) -> Finding:
    try:
        found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, place = found[0]
        with closing(socket.socket(family, kind, protocol)) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(place)
    except OSError as why:
        return bad(
            "ports", f"cannot listen on {address} for {what}: {why.strerror}", "choose an address of this machine"
        )
    return ok("ports", f"{address} is available for {what}")


def _is_alive(address: Address) -> bool:
    try:
        with urllib.request.urlopen(f"http://{address}/healthz", timeout=TIMEOUT_S) as page:
            return bool(page.read(len(ALIVE)) == ALIVE)
    except (OSError, ValueError):
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
