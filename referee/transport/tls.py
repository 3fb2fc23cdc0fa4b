"""TLS certificates and keys, read from PEM files, checked, and reloaded when the files change."""

import ssl
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
    if client_ca is not None:
        _check_authority(client_ca, "client CA")


def _check_authority(authority: bytes, name: str) -> None:
    try:
        load_pem_x509_certificates(authority)
    except ValueError:
        raise InvalidTlsFiles(f"the {name} file contains no certificate in PEM format") from None


_Contents: TypeAlias = tuple[bytes, bytes, bytes | None]
"""Key, certificate chain and authority."""


class _FileWatcher:
    """Reads the files again when they have changed."""

    def __init__(self, read: Callable[[], _Contents], every_us: Micros, monotonic_us: Callable[[], Micros]) -> None:
        """`read` raises OSError or InvalidTlsFiles; so does this, the first time."""
        self._read = read
        self._every_us = every_us
        self._monotonic_us = monotonic_us
        self._next_check_us = monotonic_us() + every_us
        self._lock = threading.Lock()
        try:
            self.contents = read()
        except OSError as error:
            raise InvalidTlsFiles(f"cannot read {error.filename}: {error.strerror}") from None

    def has_changed(self) -> bool:
        """Return whether `contents` are new; files that cannot be used change nothing. May be called by any thread."""
        with self._lock:
            if self._monotonic_us() < self._next_check_us:
                return False
            self._next_check_us = self._monotonic_us() + self._every_us
            try:
                contents = self._read()
            except OSError as error:
                log.warning("TLS files cannot be read; the earlier ones stay in use", exc_info=error)
                return False
            except InvalidTlsFiles as why:
                log.warning("TLS files are invalid; the earlier ones stay in use", why=str(why))
                return False
            if contents == self.contents:
                return False
            self.contents = contents
            return True


class _CertificateWatcher:
    """The configuration of a server."""

    def __init__(self, files: TlsFiles, every_us: Micros, monotonic_us: Callable[[], Micros]) -> None:
        self._files = _FileWatcher(lambda: _read_files(files), every_us, monotonic_us)
        self.configuration = _make_configuration(self._files.contents)

    def changed_configuration(self) -> grpc.ServerCertificateConfiguration | None:
        """Return the new configuration; None: the files have not changed, or cannot be used.

        gRPC calls this for each new connection, from any thread.
        """
        if not self._files.has_changed():
            return None
        log.info("TLS files reloaded")
        return _make_configuration(self._files.contents)


class NodeCredentials:
    """Credentials for connections to other nodes."""

    def __init__(
        self, files: TlsFiles, cluster_ca: Path | None, every_us: Micros, monotonic_us: Callable[[], Micros]
    ) -> None:
        """`files` are those of this node, which shows its certificate if nodes demand one. Raises InvalidTlsFiles.

        `cluster_ca`: authority of the certificates of other nodes (PEM); None: those that gRPC trusts by default.
        """
        self._shows_own = bool(files.client_ca)
        self._files = _FileWatcher(lambda: _read_node_files(files, cluster_ca), every_us, monotonic_us)
        self._credentials = self._create()

    def current(self) -> grpc.ChannelCredentials:
        """Return the same object until the files change. They are read at most once in `every_us`."""
        if self._files.has_changed():
            self._credentials = self._create()
        return self._credentials

    def _create(self) -> grpc.ChannelCredentials:
        key, cert, cluster_ca = self._files.contents
        return grpc.ssl_channel_credentials(cluster_ca, *((key, cert) if self._shows_own else (None, None)))


class DoorContexts:
    """TLS for connections of front doors on other machines."""

    def __init__(self, files: TlsFiles, every_us: Micros, monotonic_us: Callable[[], Micros]) -> None:
        """Raises InvalidTlsFiles."""
        self._paths = files
        self._files = _FileWatcher(lambda: _read_files(files), every_us, monotonic_us)
        self._context = self._create()

    def current(self) -> ssl.SSLContext:
        """Return the same context until the files change. They are read at most once in `every_us`."""
        if self._files.has_changed():
            self._context = self._create()
        return self._context

    def _create(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(self._paths.client_ca)
        context.load_cert_chain(self._paths.cert, self._paths.key)
        context.set_alpn_protocols(["h2"])
        return context


def _read_files(files: TlsFiles) -> _Contents:
    key, cert, client_ca = contents = files.key.read_bytes(), files.cert.read_bytes(), _read_ca(files.client_ca)
    check_usable(key, cert, client_ca)
    return contents


def _read_node_files(files: TlsFiles, cluster_ca: Path | None) -> _Contents:
    key, cert, authority = contents = files.key.read_bytes(), files.cert.read_bytes(), _read_ca(cluster_ca)
    check_usable(key, cert, None)
    if authority is not None:
        _check_authority(authority, "cluster CA")
    return contents


def _read_ca(file: Path | None) -> bytes | None:
    return file.read_bytes() if file else None


def _make_configuration(contents: _Contents) -> grpc.ServerCertificateConfiguration:
    key, cert, client_ca = contents
    return grpc.ssl_server_certificate_configuration([(key, cert)], client_ca)
