"""Certificate authority for tests, and a server certificate that it signs."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

DAY = timedelta(days=1)


def create_certificates(folder: Path) -> tuple[Path, tuple[str, ...]]:
    """Create an authority and a server certificate in `folder`.

    Both are valid for 127.0.0.1 and one day. Return the file of root certificates and the server's TLS flags.
    """
    authority_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    address = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    authority = _draft("authority", authority_key, is_authority=True).sign(authority_key, hashes.SHA256())
    certificate = _draft("referee", key, is_authority=False).add_extension(address, critical=False)
    roots, cert_file, key_file = (folder / name for name in ("roots.pem", "cert.pem", "key.pem"))
    roots.write_bytes(authority.public_bytes(Encoding.PEM))
    cert_file.write_bytes(certificate.sign(authority_key, hashes.SHA256()).public_bytes(Encoding.PEM))
    key_file.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return roots, ("--tls-cert", str(cert_file), "--tls-key", str(key_file))


def _draft(name: str, key: ec.EllipticCurvePrivateKey, is_authority: bool) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(_name(name))
        .issuer_name(_name("authority"))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - DAY)
        .not_valid_after(now + DAY)
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
    )


def _name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
