"""Gauges that are read at scrape time: disk, certificate and readiness."""

from pathlib import Path

from referee.observability.metrics import GaugeSources, Metrics
from tests.observability.exposition import Page


def gauges_page(ready: bool = True, ends_s: float | None = None, data_dir: Path | None = None) -> Page:
    metrics = Metrics("1.2.3")
    metrics.register_gauges(
        GaugeSources(list, list, lambda: 0, lambda: [0] * 7, lambda: ready, lambda: ends_s, data_dir)
    )
    return Page(metrics)


def test_a_draining_referee_is_not_ready() -> None:
    assert gauges_page(ready=True).value("referee_ready") == 1
    assert gauges_page(ready=False).families["referee_ready"].samples[0].value == 0


def test_the_expiry_of_the_certificate_is_exported_if_there_is_one() -> None:
    assert gauges_page(ends_s=1.8e9).value("referee_certificate_expiry_timestamp_seconds") == 1.8e9
    assert "referee_certificate_expiry_timestamp_seconds" not in gauges_page().families


def test_the_size_of_the_database_includes_its_write_ahead_log(tmp_path: Path) -> None:
    (tmp_path / "referee.db").write_bytes(b"x" * 1000)
    (tmp_path / "referee.db-wal").write_bytes(b"x" * 100)
    (tmp_path / "referee-key.pem").write_bytes(b"x" * 10)
    disk = gauges_page(data_dir=tmp_path)
    assert disk.value("referee_database_bytes") == 1100
    assert 0 < disk.value("referee_disk_free_bytes") <= disk.value("referee_disk_size_bytes")


def test_an_ephemeral_server_exports_no_disk_metrics() -> None:
    assert not [name for name in gauges_page().families if "disk" in name or "database" in name]


def test_the_duration_of_the_recovery_is_exported() -> None:
    metrics = Metrics("1.2.3")
    metrics.recovered(7, 2_500_000)
    assert Page(metrics).value("referee_recovered_matches") == 7
    assert Page(metrics).value("referee_recovery_seconds") == 2.5
