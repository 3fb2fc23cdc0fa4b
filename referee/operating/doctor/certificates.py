"""The TLS files: readable, made for each other, good for a while, and for which names."""

from collections.abc import Generator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from referee.operating.doctor.finding import Finding, bad, ok, warn
from referee.settings.declared import Settings

SOON = timedelta(days=21)
"""Who renews by a machine does so before."""
OTHERS = 0o077
NAMES = x509.SubjectAlternativeName


def certificates(settings: Settings) -> Iterator[Finding]:
    if not (settings.tls_cert and settings.tls_key):
        if settings.listen.loopback:
            yield ok("TLS", "there is none, and nobody beyond this machine can come in")
        else:
            yield warn("TLS", "there is none, and others can come in", "see that a proxy in front of it has one")
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
    """Yields what is wrong; returns the certificates in the file."""
    try:
        return x509.load_pem_x509_certificates(file.read_bytes())
    except OSError as why:
        yield bad("TLS", f"the {what} {file} cannot be read: {why.strerror}", "let the user of the server read it")
    except ValueError:
        yield bad("TLS", f"there is no {what} in {file}", "it is PEM, the server's own certificate first")
    return []


def _pair(certificate: x509.Certificate, file: Path) -> Iterator[Finding]:
    try:
        key = load_pem_private_key(file.read_bytes(), None)
    except OSError as why:
        yield bad("TLS", f"the key {file} cannot be read: {why.strerror}", "let the user of the server read it")
        return
    except (ValueError, TypeError, UnsupportedAlgorithm):
        yield bad("TLS", f"there is no private key without a password in {file}", "it is PEM")
        return
    if key.public_key() != certificate.public_key():
        yield bad("TLS", "the key is not that of the certificate", "take both from the same renewal")
        return
    if file.stat().st_mode & OTHERS:
        yield warn("TLS", f"others on this machine can read {file}", f"chmod go= {file}")
    yield ok("TLS", "certificate and key belong together")


def _dates(certificate: x509.Certificate, what: str) -> Iterator[Finding]:
    now, ends = datetime.now(UTC), certificate.not_valid_after_utc
    if now > ends:
        yield bad("TLS", f"the {what} expired on {ends:%Y-%m-%d}", "renew it: nobody can come in")
    elif now < certificate.not_valid_before_utc:
        yield bad(
            "TLS", f"the {what} is good from {certificate.not_valid_before_utc:%Y-%m-%d} on", "is the clock right?"
        )
    elif ends - now < SOON:
        yield warn("TLS", f"the {what} expires on {ends:%Y-%m-%d}", "renew it; it is read without a restart")
    else:
        yield ok("TLS", f"the {what} is good until {ends:%Y-%m-%d}")


def _names(certificate: x509.Certificate) -> Finding:
    try:
        names = certificate.extensions.get_extension_for_class(NAMES).value
    except x509.ExtensionNotFound:
        return bad("TLS", "the certificate names no host (subjectAltName)", "make one that does: bots check the name")
    hosts = [str(name.value) for name in names if isinstance(name, x509.DNSName | x509.IPAddress)]
    return ok("TLS", f"bots can come to {', '.join(hosts)}")
