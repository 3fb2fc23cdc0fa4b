"""The Ed25519 key pair that signs the records of a referee.

The private key is in a PEM file that only its owner can read. The public key is shown as 64 hexadecimal digits, and as
a fingerprint where people compare it.
"""

import contextlib
import hashlib
import os
import re
import tempfile
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
    load_pem_public_key,
)

_HEX = re.compile("[0-9a-fA-F]{64}", re.ASCII)


class KeyUnusable(ValueError):
    """A key that cannot be read. `str()` is one sentence."""


def load_or_create(path: Path) -> Ed25519PrivateKey:
    """Return the private key of this file, which is created if there is none. Raises KeyUnusable."""
    try:
        if not path.exists():
            _create(path)
    except OSError as error:
        raise KeyUnusable(f"cannot use the key {path}: {error.strerror}") from None
    return load(path)


def load(path: Path) -> Ed25519PrivateKey:
    """Return the private key of this file. Raises KeyUnusable, also if there is no such file."""
    try:
        return _loaded(path)
    except OSError as error:
        raise KeyUnusable(f"cannot use the key {path}: {error.strerror}") from None


def create_pem() -> bytes:
    """Return a new private key in PEM, without a password."""
    return Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def read_pem(pem: bytes, source: str) -> Ed25519PrivateKey:
    """Return a private key in PEM. Raises KeyUnusable, which names the source."""
    try:
        key = load_pem_private_key(pem, None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise KeyUnusable(f"{source} holds no private key in PEM without a password") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyUnusable(f"{source} holds a private key, but none of Ed25519")
    return key


def public_hex(key: Ed25519PrivateKey | Ed25519PublicKey) -> str:
    public = key.public_key() if isinstance(key, Ed25519PrivateKey) else key
    return public.public_bytes_raw().hex()


def fingerprint(public: str) -> str:
    """Return the first half of the SHA-256 of a public key, in groups of four digits."""
    digest = hashlib.sha256(bytes.fromhex(public)).hexdigest()
    return "-".join(digest[at : at + 4] for at in range(0, 32, 4))


def read_public_key(named: str) -> str:
    """Return a public key in hexadecimal, given as such, or as a file with the digits or PEM. Raises KeyUnusable."""
    if _HEX.fullmatch(named):
        return named.lower()
    try:
        data = Path(named).read_bytes()
    except OSError as error:
        raise KeyUnusable(f"{named} is neither 64 hexadecimal digits nor a file: {error.strerror}") from None
    text = data.decode("ascii", "replace").strip()
    return text.lower() if _HEX.fullmatch(text) else _public_from_pem(named, data)


def is_signature_valid(public: str, signature: str, message: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _create(path: Path) -> None:
    """Create a key file atomically. If another process has just created one, that one stays."""
    pem = create_pem()
    handle, beside = tempfile.mkstemp(dir=path.parent)  # Readable and writable by its owner only.
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(pem)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(beside, path)
    finally:
        Path(beside).unlink()


def _loaded(path: Path) -> Ed25519PrivateKey:
    return read_pem(path.read_bytes(), str(path))


def _public_from_pem(named: str, data: bytes) -> str:
    try:
        key = load_pem_public_key(data)
    except (ValueError, UnsupportedAlgorithm):
        raise KeyUnusable(f"{named} holds no public key: neither 64 hexadecimal digits nor PEM") from None
    if not isinstance(key, Ed25519PublicKey):
        raise KeyUnusable(f"{named} holds a public key, but none of Ed25519")
    return public_hex(key)
