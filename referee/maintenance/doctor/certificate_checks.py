"""Checks of the TLS files: readable, matching, valid for a while, and for which host names."""

from collections.abc import Generator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from referee.maintenance.doctor.finding import Finding, bad, ok, warn
from referee.server.settings import Settings

SOON = timedelta(days=21)
"""Automatic renewals happen earlier than that."""
OTHERS = 0o077
NAMES = x509.SubjectAlternativeName


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
    chain = yield from _read(settings.tls_cert, "certificate")
    if chain:
        yield from _pair(chain[0], settings.tls_key)
        yield from _dates(chain[0], "certificate")
        yield _names(chain[0])
    if settings.tls_client_ca:
        for authority in (yield from _read(settings.tls_client_ca, "client authority")):
            yield from _dates(authority, "client authority")


def _read(file: Path, what: str) -> Generator[Finding, None, list[x509.Certificate]]:
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


def _pair(certificate: x509.Certificate, file: Path) -> Iterator[Finding]:
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


def _dates(certificate: x509.Certificate, what: str) -> Iterator[Finding]:
    now, ends = datetime.now(UTC), certificate.not_valid_after_utc
    if now > ends:
        yield bad("TLS", f"the {what} expired on {ends:%Y-%m-%d}", "renew it: no client can connect")
    elif now < certificate.not_valid_before_utc:
        yield bad("TLS", f"the {what} is valid from {certificate.not_valid_before_utc:%Y-%m-%d} on", "check the clock")
    elif ends - now < SOON:
        yield warn("TLS", f"the {what} expires on {ends:%Y-%m-%d}", "renew it; it is reloaded without a restart")
    else:
        yield ok("TLS", f"the {what} is valid until {ends:%Y-%m-%d}")


def _names(certificate: x509.Certificate) -> Finding:
    try:
        names = certificate.extensions.get_extension_for_class(NAMES).value
    except x509.ExtensionNotFound:
        return bad(
            "TLS", "the certificate has no host name (subjectAltName)", "create one that has: clients check the name"
        )
    hosts = [str(name.value) for name in names if isinstance(name, x509.DNSName | x509.IPAddress)]
    return ok("TLS", f"valid for {', '.join(hosts)}")
