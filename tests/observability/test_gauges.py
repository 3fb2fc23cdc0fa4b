"""Gauges that are read at scrape time: disk, certificate and readiness."""

from pathlib import Path

from referee.observability.metrics import GaugeSources, Metrics
from tests.observability.exposition import Page


def page(ready: bool = True, ends_s: float | None = None, data_dir: Path | None = None) -> Page:
    metrics = Metrics("1.2.3")
    metrics.register_gauges(
        GaugeSources(list, list, lambda: 0, lambda: [0] * 7, lambda: ready, lambda: ends_s, data_dir)
    )
    return Page(metrics)


def test_a_referee_that_is_about_to_go_is_not_ready() -> None:
    assert page(ready=True).value("referee_ready") == 1
    assert page(ready=False).families["referee_ready"].samples[0].value == 0


def test_the_end_of_the_certificate_is_told_where_there_is_one() -> None:
    assert page(ends_s=1.8e9).value("referee_certificate_expiry_timestamp_seconds") == 1.8e9
    assert "referee_certificate_expiry_timestamp_seconds" not in page().families


def test_the_database_is_measured_with_what_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "referee.db").write_bytes(b"x" * 1000)
    (tmp_path / "referee.db-wal").write_bytes(b"x" * 100)
    (tmp_path / "referee-key.pem").write_bytes(b"x" * 10)
    disk = page(data_dir=tmp_path)
    assert disk.value("referee_database_bytes") == 1100
    assert 0 < disk.value("referee_disk_free_bytes") <= disk.value("referee_disk_size_bytes")


def test_what_is_kept_in_memory_has_no_disk() -> None:
    assert not [name for name in page().families if "disk" in name or "database" in name]


def test_how_long_the_start_took_is_told() -> None:
    metrics = Metrics("1.2.3")
    metrics.recovered(7, 2_500_000)
    assert Page(metrics).value("referee_recovered_matches") == 7
    assert Page(metrics).value("referee_recovery_seconds") == 2.5
