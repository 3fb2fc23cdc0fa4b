"""TLS with certificate files: which clients are accepted, and what happens when the files change."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from engines.registry import games
from tests.e2e.organiser import call_method
from tests.e2e.server import run_server

GAMES = len(games())

pytestmark = pytest.mark.slow


class Certificate:
    """Self-signed certificate for 127.0.0.1."""

    def __init__(self, name: str) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        named = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        now = datetime.now(UTC)
        address = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
        certificate = (
            x509.CertificateBuilder()
            .subject_name(named)
            .issuer_name(named)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
            .add_extension(address, critical=False)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .sign(key, hashes.SHA256())
        )
        self.cert = certificate.public_bytes(Encoding.PEM)
        self.key = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())

    def write_files(self, folder: Path) -> tuple[str, ...]:
        """Write the certificate and its key into `folder`, and return the server's flags for them."""
        (folder / "cert.pem").write_bytes(self.cert)
        (folder / "key.pem").write_bytes(self.key)
        return ("--tls-cert", str(folder / "cert.pem"), "--tls-key", str(folder / "key.pem"))


def count_games(address: str, admin: str, trusted: Certificate, own: Certificate | None = None) -> int:
    """Return how many games the server lists, over a new connection. Raises grpc.RpcError."""
    client_pair = (own.key, own.cert) if own else (None, None)
    credentials = grpc.ssl_channel_credentials(trusted.cert, *client_pair)
    with grpc.secure_channel(address, credentials, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
        return len(call_method(channel, "GameService/ListGames", admin).games)


def test_changed_certificate_files_are_reloaded(tmp_path: Path) -> None:
    before, after = Certificate("before"), Certificate("after")
    flags = before.write_files(tmp_path)
    with run_server(tmp_path, "--ephemeral", "--tls-reload-interval-ms", "1", *flags) as server:
        assert count_games(server.address, server.admin_token, before) == GAMES
        after.write_files(tmp_path)
        assert count_games(server.address, server.admin_token, after) == GAMES
        with pytest.raises(grpc.RpcError):
            count_games(server.address, server.admin_token, before)


@pytest.mark.without_door
def test_invalid_certificate_files_are_logged_and_the_previous_ones_stay_in_use(tmp_path: Path) -> None:
    before, after = Certificate("before"), Certificate("after")
    flags = before.write_files(tmp_path)
    with run_server(tmp_path, "--ephemeral", "--tls-reload-interval-ms", "1", *flags) as server:
        (tmp_path / "cert.pem").write_bytes(after.cert)
        assert count_games(server.address, server.admin_token, before) == GAMES
        after.write_files(tmp_path)
        assert count_games(server.address, server.admin_token, after) == GAMES
    log = server.log.read_text()
    assert "the private key does not match the first certificate" in log


def test_a_required_client_certificate_is_enforced(tmp_path: Path) -> None:
    server_certificate, client_certificate = Certificate("server"), Certificate("client")
    (tmp_path / "ca.pem").write_bytes(client_certificate.cert)
    flags = ("--tls-client-ca", str(tmp_path / "ca.pem"), *server_certificate.write_files(tmp_path))
    with run_server(tmp_path, "--ephemeral", *flags) as server:
        assert count_games(server.address, server.admin_token, server_certificate, client_certificate) == GAMES
        with pytest.raises(grpc.RpcError):
            count_games(server.address, server.admin_token, server_certificate)
