"""Checks of what clients connect to: who uses the ports, and whether the TLS files fit and are valid.

They open ports and read files by the functions of the server, so they report what it would refuse, in its words.
"""

import socket
import ssl
import urllib.request
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http.client import HTTPException
from typing import Any, Protocol

import grpc
from cryptography import x509
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub

from referee.server.maintenance.doctor.finding import Finding, bad, ok, warn
from referee.server.node_processes import PortReservation, PortUnavailable, following
from referee.server.setting_types import Address
from referee.server.settings import Settings
from referee.server.site_process import SiteUnavailable, check_packages, open_socket
from referee.transport.tls import InvalidTlsFiles, NodeCredentials, TlsFiles, credentials

TIMEOUT_S = 5.0
SERVICE = "referee_api.v1.PlayService"
ALIVE = b"alive"
SITE_API = b'{"openapi":'
PROBE_HOSTS = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Address to probe when the server binds to all interfaces."""
SOON = timedelta(days=21)
"""Automatic renewals happen earlier than that."""
OTHERS = 0o077
HOST_NAMES = x509.SubjectAlternativeName


class Closable(Protocol):
    def close(self) -> None: ...


def ports(settings: Settings) -> Iterator[Finding]:
    for distance in range(1 + settings.processes if settings.processes > 1 else 1):
        address = following(settings.listen, distance)
        yield _port("gRPC", address, PortReservation, lambda address: _is_ours(address, settings))
    for distance in range(settings.processes):
        yield _port("HTTP", following(settings.http_listen, distance), PortReservation, _is_alive)
    if settings.site_listen:
        yield from _site(settings.site_listen)


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
    files = TlsFiles(settings.tls_cert, settings.tls_key, settings.tls_client_ca)
    try:
        credentials(files, 0, int)
        NodeCredentials(files, settings.cluster_ca, 0, int)
    except InvalidTlsFiles as why:
        yield bad("TLS", str(why), "give the server files in PEM that it can read, of one renewal, its own first")
        return
    yield ok("TLS", "certificate and key match")
    if settings.tls_key.stat().st_mode & OTHERS:
        yield warn("TLS", f"other users can read {settings.tls_key}", f"chmod go= {settings.tls_key}")
    [own, *_] = x509.load_pem_x509_certificates(settings.tls_cert.read_bytes())
    yield from _validity(own, "certificate")
    yield _host_names(own)
    for file, what in ((settings.tls_client_ca, "client authority"), (settings.cluster_ca, "authority of the cluster")):
        for authority in x509.load_pem_x509_certificates(file.read_bytes()) if file else ():
            yield from _validity(authority, what)


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
