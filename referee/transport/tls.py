"""TLS by files, read anew when they change."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import grpc
import structlog

from referee.core.clock import Micros
from referee.transport.certificates import TlsUnusable, check_usable

log = structlog.get_logger("referee.transport")


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """All PEM."""

    cert: Path
    key: Path
    client_ca: Path | None = None
    """With it, nobody comes in without a certificate by this authority."""


def credentials(files: TlsFiles, every_us: Micros, monotonic_us: Callable[[], Micros]) -> grpc.ServerCredentials:
    """For a port. Whoever connects after the files have changed meets the new ones. Raises TlsUnusable."""
    watched = _Watched(files, every_us, monotonic_us)
    return grpc.dynamic_ssl_server_credentials(
        watched.configuration,
        watched.fresh,  # type: ignore[arg-type]  # The stubs forget that it may answer None.
        bool(files.client_ca),
    )


class _Watched:
    def __init__(self, files: TlsFiles, every_us: Micros, monotonic_us: Callable[[], Micros]) -> None:
        self._files = files
        self._every_us = every_us
        self._monotonic_us = monotonic_us
        self._look_us = monotonic_us() + every_us
        self._looking = threading.Lock()
        try:
            self._contents = _read(files)
        except OSError as error:
            raise TlsUnusable(f"cannot read {error.filename}: {error.strerror}") from None
        check_usable(*self._contents)
        self.configuration = _configuration(self._contents)

    def fresh(self) -> grpc.ServerCertificateConfiguration | None:
        """What has changed since the last time; None: nothing. grpc asks, in any thread, when somebody connects."""
        with self._looking:
            if self._monotonic_us() < self._look_us:
                return None
            self._look_us = self._monotonic_us() + self._every_us
            try:
                contents = _read(self._files)
            except OSError as error:
                log.warning("the TLS files cannot be read; those from before are used", exc_info=error)
                return None
            if contents == self._contents:
                return None
            try:
                check_usable(*contents)
            except TlsUnusable as why:
                log.warning("the TLS files cannot be used; those from before are", why=str(why))
                return None
            self._contents = contents
            log.info("the TLS files have changed, and were read anew")
            return _configuration(contents)


_Contents = tuple[bytes, bytes, bytes | None]


def _read(files: TlsFiles) -> _Contents:
    return files.key.read_bytes(), files.cert.read_bytes(), files.client_ca.read_bytes() if files.client_ca else None


def _configuration(contents: _Contents) -> grpc.ServerCertificateConfiguration:
    key, cert, client_ca = contents
    return grpc.ssl_server_certificate_configuration([(key, cert)], client_ca)
