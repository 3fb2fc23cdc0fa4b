"""TLS certificates and keys, read from PEM files, checked, and reloaded when the files change."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import grpc
import structlog
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from cryptography.x509 import load_pem_x509_certificates

from referee.match.clock import Micros

log = structlog.get_logger("referee.transport")


class InvalidTlsFiles(Exception):
    """The files cannot be used. `str()` is one sentence."""


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """Paths of PEM files."""

    cert: Path
    key: Path
    client_ca: Path | None = None
    """If set, clients must present a certificate that was signed by this authority."""


def credentials(files: TlsFiles, every_us: Micros, monotonic_us: Callable[[], Micros]) -> grpc.ServerCredentials:
    """Return credentials that check the files for changes at most once in `every_us`. Raises InvalidTlsFiles."""
    watcher = _CertificateWatcher(files, every_us, monotonic_us)
    return grpc.dynamic_ssl_server_credentials(
        watcher.configuration,
        watcher.changed_configuration,  # type: ignore[arg-type]  # The stubs do not allow None as a result.
        bool(files.client_ca),
    )


def certificate_ends_s(chain: Path) -> float | None:
    """Return the earliest expiry in a certificate chain, as Unix time; None: the file cannot be read."""
    try:
        certificates = load_pem_x509_certificates(chain.read_bytes())
    except (OSError, ValueError):
        return None
    return min(certificate.not_valid_after_utc for certificate in certificates).timestamp()


def check_usable(key: bytes, cert: bytes, client_ca: bytes | None) -> None:
    """Raise InvalidTlsFiles if gRPC could not serve with these files.

    gRPC itself accepts invalid files: it then fails every handshake, or silently keeps the earlier configuration.
    """
    try:
        leaf = load_pem_x509_certificates(cert)[0]
    except ValueError:
        raise InvalidTlsFiles("the certificate file contains no certificate in PEM format") from None
    try:
        private_key = load_pem_private_key(key, None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise InvalidTlsFiles("the key file contains no private key in PEM format without a password") from None
    if private_key.public_key() != leaf.public_key():
        raise InvalidTlsFiles("the private key does not match the first certificate of the certificate file")
    try:
        load_pem_x509_certificates(client_ca or cert)
    except ValueError:
        raise InvalidTlsFiles("the client CA file contains no certificate in PEM format") from None


_Contents: TypeAlias = tuple[bytes, bytes, bytes | None]
"""Key, certificate chain and client CA."""


class _CertificateWatcher:
    def __init__(self, files: TlsFiles, every_us: Micros, monotonic_us: Callable[[], Micros]) -> None:
        self._files = files
        self._every_us = every_us
        self._monotonic_us = monotonic_us
        self._next_check_us = monotonic_us() + every_us
        self._lock = threading.Lock()
        try:
            self._contents = _read_files(files)
        except OSError as error:
            raise InvalidTlsFiles(f"cannot read {error.filename}: {error.strerror}") from None
        check_usable(*self._contents)
        self.configuration = _make_configuration(self._contents)

    def changed_configuration(self) -> grpc.ServerCertificateConfiguration | None:
        """Return the new configuration; None: the files have not changed, or cannot be used.

        gRPC calls this for each new connection, from any thread.
        """
        with self._lock:
            if self._monotonic_us() < self._next_check_us:
                return None
            self._next_check_us = self._monotonic_us() + self._every_us
            try:
                contents = _read_files(self._files)
            except OSError as error:
                log.warning("TLS files cannot be read; the earlier ones stay in use", exc_info=error)
                return None
            if contents == self._contents:
                return None
            try:
                check_usable(*contents)
            except InvalidTlsFiles as why:
                log.warning("TLS files are invalid; the earlier ones stay in use", why=str(why))
                return None
            self._contents = contents
            log.info("TLS files reloaded")
            return _make_configuration(contents)


def _read_files(files: TlsFiles) -> _Contents:
    return files.key.read_bytes(), files.cert.read_bytes(), files.client_ca.read_bytes() if files.client_ca else None


def _make_configuration(contents: _Contents) -> grpc.ServerCertificateConfiguration:
    key, cert, client_ca = contents
    return grpc.ssl_server_certificate_configuration([(key, cert)], client_ca)
