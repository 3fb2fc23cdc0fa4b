"""TLS files: expiry, and what makes them unusable."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from referee.transport.tls import InvalidTlsFiles, certificate_ends_s, check_usable
from tests.e2e.test_tls import Certificate


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
