"""Until when a certificate holds."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from referee.transport.tls import certificate_ends_s
from tests.e2e.test_tls import Certificate


def test_a_certificate_holds_until_its_end(tmp_path: Path) -> None:
    Certificate("short").put(tmp_path)
    ends_s = certificate_ends_s(tmp_path / "cert.pem")
    assert ends_s is not None
    left = datetime.fromtimestamp(ends_s, UTC) - datetime.now(UTC)
    assert timedelta(hours=23) < left < timedelta(hours=25)


def test_of_what_cannot_be_read_nothing_is_known(tmp_path: Path) -> None:
    (tmp_path / "cert.pem").write_text("no certificate")
    assert certificate_ends_s(tmp_path / "cert.pem") is None
    assert certificate_ends_s(tmp_path / "none.pem") is None
