"""Options of the gRPC server."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import grpc
import pytest

from referee.transport import server as server_module
from referee.transport.server import HANDSHAKE_TIMEOUT_MS, MAX_IDLE_MS, MAX_INT32, ServerLimits
from referee.transport.tls import InvalidTlsFiles, certificate_ends_s, check_usable
from tests.e2e import http2
from tests.e2e.test_tls import Certificate

UNFINISHED_HEADERS = http2.frame(http2.HEADERS, 0, 1, bytes(1))
LIMITS = (1 << 20, 60_000, 20_000, 5_000)


def test_the_largest_settings_are_valid_options_of_grpc() -> None:
    most = ServerLimits(*[MAX_INT32] * 4, max_connections=1 << 62).options()
    asyncio.run(start_and_stop(most))  # Raises OverflowError if one is.
    assert max(value for _, value in most) == MAX_INT32


async def start_and_stop(options: list[tuple[str, int]]) -> None:
    server = grpc.aio.server(options=options)
    server.add_insecure_port("127.0.0.1:0")
    await server.stop(None)


@pytest.mark.parametrize("sent", [b"", UNFINISHED_HEADERS], ids=["nothing", "unfinished headers"])
def test_a_connection_is_closed_that_has_no_call(monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    monkeypatch.setattr(server_module, "MAX_IDLE_MS", 200)
    received = asyncio.run(receive_all(ServerLimits(*LIMITS), http2.PREFACE + http2.SETTINGS + sent))
    assert b"idle" in received


def test_a_stranger_occupies_a_connection_for_less_than_a_minute() -> None:
    assert HANDSHAKE_TIMEOUT_MS + MAX_IDLE_MS < 60_000


async def receive_all(limits: ServerLimits, sent: bytes) -> bytes:
    """Connect to a server, send this, and return what it sends until it closes the connection."""
    server = grpc.aio.server(options=limits.options())
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(sent)
        return await reader.read(-1)
    finally:
        writer.close()
        await server.stop(None)


def test_the_expiry_of_a_certificate_is_read(tmp_path: Path) -> None:
    Certificate("short").write_files(tmp_path)
    ends_s = certificate_ends_s(tmp_path / "cert.pem")
    assert ends_s is not None
    left = datetime.fromtimestamp(ends_s, UTC) - datetime.now(UTC)
    assert timedelta(hours=23) < left < timedelta(hours=25)


def test_a_file_that_cannot_be_read_has_no_expiry(tmp_path: Path) -> None:
    (tmp_path / "cert.pem").write_text("no certificate")
    assert certificate_ends_s(tmp_path / "cert.pem") is None
    assert certificate_ends_s(tmp_path / "none.pem") is None


def test_a_certificate_and_its_key_can_be_used() -> None:
    ours = Certificate("ours")
    check_usable(ours.key, ours.cert, None)
    check_usable(ours.key, ours.cert + Certificate("above").cert, Certificate("clients").cert)


@pytest.mark.parametrize("wrong", ["certificate", "private key", "does not match", "client CA"])
def test_the_invalid_file_is_named(wrong: str) -> None:
    ours = Certificate("ours")
    files = {
        "certificate": (ours.key, b"half a certificate", None),
        "private key": (b"", ours.cert, None),
        "does not match": (Certificate("another").key, ours.cert, None),
        "client CA": (ours.key, ours.cert, b"garbage"),
    }
    with pytest.raises(InvalidTlsFiles, match=wrong):
        check_usable(*files[wrong])
