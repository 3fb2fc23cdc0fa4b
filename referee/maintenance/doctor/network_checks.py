"""Checks of what clients connect to: who uses the two ports, and whether the TLS files fit and are valid."""

import socket
import ssl
import urllib.request
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import grpc
from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub

from referee.maintenance.doctor.finding import Finding, bad, ok, warn
from referee.server.setting_types import Address
from referee.server.settings import Settings

TIMEOUT_S = 5.0
SERVICE = "referee_api.v1.PlayService"
ALIVE = b"alive"
PROBE_HOSTS = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Address to probe when the server binds to all interfaces."""
SOON = timedelta(days=21)
"""Automatic renewals happen earlier than that."""
OTHERS = 0o077
HOST_NAMES = x509.SubjectAlternativeName


def ports(settings: Settings) -> Iterator[Finding]:
    yield _port("gRPC", settings.listen, lambda address: _is_ours(address, settings))
    yield _port("HTTP", settings.http_listen, _is_alive)


def _port(what: str, address: Address, ours: Callable[[Address], bool]) -> Finding:
    if address.port == 0:
        return ok("ports", f"{what} uses any free port")
    probe = Address(PROBE_HOSTS.get(address.host, address.host), address.port)
    if not _is_listened_on(probe):
        return _unused_port(what, address)
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


def _unused_port(what: str, address: Address) -> Finding:
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


def certificates(settings: Settings) -> Iterator[Finding]:
    if not (settings.tls_cert and settings.tls_key):
        if settings.listen.loopback:
            yield ok("TLS", "off; only this machine can connect")
        else:
            yield warn(
                "TLS",
                "off, although other machines can connect",
                "make sure that a proxy in front of the server uses TLS",
            )
        return
    chain = yield from _read_certificates(settings.tls_cert, "certificate")
    if chain:
        yield from _key_pair(chain[0], settings.tls_key)
        yield from _validity(chain[0], "certificate")
        yield _host_names(chain[0])
    for file, what in ((settings.tls_client_ca, "client authority"), (settings.cluster_ca, "authority of the cluster")):
        for authority in (yield from _read_certificates(file, what)) if file else ():
            yield from _validity(authority, what)


def _read_certificates(file: Path, what: str) -> Generator[Finding, None, list[x509.Certificate]]:
    """Yield problems; return the certificates in the file."""
    try:
        return x509.load_pem_x509_certificates(file.read_bytes())
    except OSError as why:
        yield bad(
            "TLS", f"cannot read the {what} {file}: {why.strerror}", "make it readable for the user of the server"
        )
    except ValueError:
        yield bad("TLS", f"no {what} found in {file}", "expected PEM, the server's own certificate first")
    return []


def _key_pair(certificate: x509.Certificate, file: Path) -> Iterator[Finding]:
    try:
        key = load_pem_private_key(file.read_bytes(), None)
    except OSError as why:
        yield bad("TLS", f"cannot read the key {file}: {why.strerror}", "make it readable for the user of the server")
        return
    except (ValueError, TypeError, UnsupportedAlgorithm):
        yield bad("TLS", f"no unencrypted private key found in {file}", "expected PEM")
        return
    if key.public_key() != certificate.public_key():
        yield bad("TLS", "certificate and key do not match", "use both from the same renewal")
        return
    if file.stat().st_mode & OTHERS:
        yield warn("TLS", f"other users can read {file}", f"chmod go= {file}")
    yield ok("TLS", "certificate and key match")


def _validity(certificate: x509.Certificate, what: str) -> Iterator[Finding]:
    now, ends = datetime.now(UTC), certificate.not_valid_after_utc
    if now > ends:
        yield bad("TLS", f"the {what} expired on {ends:%Y-%m-%d}", "renew it: no client can connect")
    elif now < certificate.not_valid_before_utc:
        yield bad("TLS", f"the {what} is valid from {certificate.not_valid_before_utc:%Y-%m-%d} on", "check the clock")
    elif ends - now < SOON:
        yield warn("TLS", f"the {what} expires on {ends:%Y-%m-%d}", "renew it; it is reloaded without a restart")
    else:
        yield ok("TLS", f"the {what} is valid until {ends:%Y-%m-%d}")


def _host_names(certificate: x509.Certificate) -> Finding:
    try:
        names = certificate.extensions.get_extension_for_class(HOST_NAMES).value
    except x509.ExtensionNotFound:
        return bad(
            "TLS", "the certificate has no host name (subjectAltName)", "create one that has: clients check the name"
        )
    hosts = [str(name.value) for name in names if isinstance(name, x509.DNSName | x509.IPAddress)]
    return ok("TLS", f"valid for {', '.join(hosts)}")
