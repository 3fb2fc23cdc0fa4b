"""The two ports: free, served by a referee already, or taken by something else."""

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

from referee.operating.doctor.finding import Finding, bad, ok
from referee.settings.declared import Settings
from referee.settings.kinds import Address

WITHIN_S = 5.0
SERVICE = "referee_api.v1.PlayService"
ALIVE = b"alive"
ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Where to knock at who listens everywhere."""


def ports(settings: Settings) -> Iterator[Finding]:
    yield _port("gRPC", settings.listen, lambda address: _is_ours(address, settings))
    yield _port("HTTP", settings.http_listen, _is_alive)


def _port(what: str, address: Address, ours: Callable[[Address], bool]) -> Finding:
    if address.port == 0:
        return ok("ports", f"{what} takes any port that is free")
    knock = Address(ANYWHERE.get(address.host, address.host), address.port)
    if not _is_listened_on(knock):
        return _free(what, address)
    if ours(knock):
        return ok("ports", f"a referee serves {what} on {address}")
    taken = f"something else listens on {address}, where {what} is to be served"
    return bad("ports", taken, "stop it, or take another port")


def _is_listened_on(address: Address) -> bool:
    try:
        socket.create_connection((address.host, address.port), WITHIN_S).close()
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
        return bad("ports", f"{what} cannot be served on {address}: {why.strerror}", "take an address of this machine")
    return ok("ports", f"{address} is free for {what}")


def _is_alive(address: Address) -> bool:
    try:
        with urllib.request.urlopen(f"http://{address}/healthz", timeout=WITHIN_S) as page:
            return bool(page.read(len(ALIVE)) == ALIVE)
    except (OSError, ValueError):
        return False


def _is_ours(address: Address, settings: Settings) -> bool:
    """By its health. With TLS it is enough that it shows our certificate: it may want one of us too."""
    if settings.tls_cert:
        return _shows(address, settings)
    with grpc.insecure_channel(str(address), options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
        stub: Any = HealthStub(channel)  # Its types are younger than its code.
        try:
            answer = stub.Check(HealthCheckRequest(service=SERVICE), timeout=WITHIN_S)
        except grpc.RpcError:
            return False
    return bool(answer.status == HealthCheckResponse.SERVING)


def _shows(address: Address, settings: Settings) -> bool:
    """Does it show our certificate?"""
    assert settings.tls_cert
    try:
        ours = x509.load_pem_x509_certificates(settings.tls_cert.read_bytes())[0]
        shown = ssl.get_server_certificate((address.host, address.port), timeout=WITHIN_S)
    except (OSError, ValueError):
        return False
    return x509.load_pem_x509_certificate(shown.encode()) == ours
