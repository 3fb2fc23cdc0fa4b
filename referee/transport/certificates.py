"""What PEM files hold: certificates, and the key to the first of them."""

from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from cryptography.x509 import load_pem_x509_certificates


class TlsUnusable(Exception):
    """The files cannot be used. `str()` is one sentence."""


def certificate_ends_s(chain: Path) -> float | None:
    """Until when all certificates of a chain hold, as Unix time; None: they cannot be read."""
    try:
        certificates = load_pem_x509_certificates(chain.read_bytes())
    except (OSError, ValueError):
        return None
    return min(one.not_valid_after_utc for one in certificates).timestamp()


def check_usable(key: bytes, cert: bytes, client_ca: bytes | None) -> None:
    """gRPC would take what cannot be used, and then let nobody in, or go on as before. Raises TlsUnusable."""
    try:
        own = load_pem_x509_certificates(cert)[0]
    except ValueError:
        raise TlsUnusable("the certificate's file holds no certificate in PEM") from None
    try:
        private = load_pem_private_key(key, None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise TlsUnusable("the key's file holds no private key in PEM, or one with a password") from None
    if private.public_key() != own.public_key():
        raise TlsUnusable("the key does not belong to the first certificate of the file")
    try:
        load_pem_x509_certificates(client_ca or cert)
    except ValueError:
        raise TlsUnusable("the file of the clients' authority holds no certificate in PEM") from None
