"""Each check of `referee doctor`: what it finds, and that it changes nothing."""

import asyncio
import os
import socket
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from referee.cli.serve import _create_server
from referee.local.embedded_server import settings as embedded_settings
from referee.server import edge_process, site_process
from referee.server.maintenance.doctor import examination
from referee.server.maintenance.doctor.data_checks import data
from referee.server.maintenance.doctor.examination import examine
from referee.server.maintenance.doctor.finding import Finding, Severity, bad, ok, warn, worst
from referee.server.maintenance.doctor.port_checks import TIMEOUT_S, ports
from referee.server.setting_types import Address
from referee.server.settings import EdgeUse, Settings
from referee.server.stores import DATABASE, KEY, StartupError
from referee.storage.sqlite.database import DataDirLock, migrations
from tests.server.maintenance.data_dirs import create_data_dir, execute_sql, finished_match, flip_bit, match_in_play
from tests.storage.stores import NOON_MS

CONNECTION_COUNT = 2
"""Connections that the doctor makes: one to see whether anything listens, one to see whether it is a referee."""


def close_connections(listening: socket.socket) -> None:
    for _ in range(CONNECTION_COUNT):
        listening.accept()[0].close()


def sentences(found: Iterable[Finding], state: Severity) -> str:
    return "\n".join(finding.sentence for finding in found if finding.state is state)


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return create_data_dir(tmp_path / "data", finished_match("one"))


def test_the_worst_finding_counts() -> None:
    assert worst([]) is Severity.OK
    assert worst([ok("a", "b"), bad("a", "b", "c"), warn("a", "b", "c")]) is Severity.BAD
    assert worst([warn("a", "b", "c"), ok("a", "b")]) is Severity.WARN


def test_the_growth_of_the_last_day_is_named(data_dir: Path) -> None:
    create_data_dir(data_dir, finished_match("two"), match_in_play("three"), at_ms=time.time_ns() // 1_000_000)
    execute_sql(data_dir, "UPDATE entries SET line = line || ?", " " * 2**20)
    [(entries,)] = execute_sql(data_dir, "SELECT count(*) FROM entries WHERE at_ms > ?", NOON_MS)
    assert f"2 matches of the last 24 hours take {entries}.0 MiB" in sentences(data(data_dir), Severity.OK)


def test_a_sound_private_data_directory_passes_all_checks(data_dir: Path) -> None:
    (data_dir / DATABASE).chmod(0o600)
    assert not sentences(data(data_dir), Severity.BAD)
    found = sentences(data(data_dir), Severity.OK)
    for expected in (
        "is private",
        "no server has used",
        "records are signed with",
        "is that of this release",
        "quick check passed",
    ):
        assert expected in found


def test_the_process_that_holds_the_lock_is_named(data_dir: Path) -> None:
    with DataDirLock(data_dir):
        assert f"held by process {os.getpid()}" in sentences(data(data_dir), Severity.OK)
    assert "free: no server is running" in sentences(data(data_dir), Severity.OK)


def test_a_missing_data_directory_is_only_a_warning(tmp_path: Path) -> None:
    assert [finding.state for finding in data(tmp_path / "none")] == [Severity.WARN]


def test_a_file_in_place_of_the_data_directory_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.touch()
    assert "is a file, not a directory" in sentences(data(file), Severity.BAD)


def test_a_damaged_database_is_reported(data_dir: Path) -> None:
    flip_bit(data_dir / DATABASE, 4096 + 8)
    assert sentences([finding for finding in data(data_dir) if finding.about == "database"], Severity.BAD)


def test_an_invalid_signing_key_is_reported(data_dir: Path) -> None:
    (data_dir / KEY).write_text("no key")
    assert [finding.about for finding in data(data_dir) if finding.state is Severity.BAD] == ["key"]


@pytest.mark.parametrize(("more", "state"), [(1, Severity.BAD), (-1, Severity.WARN)])
def test_a_database_of_another_release_is_reported(data_dir: Path, more: int, state: Severity) -> None:
    version = len(migrations()) + more
    execute_sql(data_dir, f"PRAGMA user_version = {version}")
    assert f"version {version} is" in sentences(data(data_dir), state)


Changes: TypeAlias = dict[str, Any]


def test_a_site_without_its_packages_is_reported_in_the_words_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site_process, "PACKAGES", ("no_such_package",))
    settings = replace(embedded_settings(1, patient=True), site_listen=Address("127.0.0.1", 0))
    assert start_failure(settings) in sentences(examine(settings), Severity.BAD).splitlines()


def test_a_check_that_fails_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Path) -> None:
        raise ValueError("no such thing")

    monkeypatch.setattr(examination, "data", fail)
    assert "check failed: ValueError: no such thing" in sentences(examine(Settings(data_dir=tmp_path)), Severity.BAD)


@pytest.mark.parametrize("name", ["listen", "http_listen", "site_listen"])
def test_a_port_that_is_not_available_is_reported_in_the_words_of_the_server(name: str) -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        address = Address("127.0.0.1", reserved.getsockname()[1])
        changes: Changes = {name: address}
        settings = replace(embedded_settings(1, patient=True), **changes)
        assert start_failure(settings)
        assert sentences(ports(settings), Severity.BAD).startswith(f"cannot listen on {address}: ")


def test_a_data_directory_that_cannot_be_created_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    settings = replace(embedded_settings(1, patient=True), ephemeral=False, data_dir=tmp_path / "file" / "data")
    assert start_failure(settings)
    assert "cannot be created" in sentences(data(settings.data_dir), Severity.BAD)


@pytest.mark.parametrize(
    "changes",
    [
        {"edge": EdgeUse.ON},
        {"tls_cert": Path("no.pem"), "tls_key": Path("no.pem")},
        {"oidc_issuer": "https://issuer.example"},
        {"traces_to": "http://127.0.0.1:4317"},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_what_a_server_does_not_start_with_is_reported_in_its_words(
    changes: Changes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edge_process, "PROGRAM", "no-such-program")
    for optional in ("referee.transport.guards.oidc", "referee.observability.opentelemetry_tracing"):
        monkeypatch.setitem(sys.modules, optional, None)
    settings = replace(embedded_settings(1, patient=True), **changes)
    assert start_failure(settings) in sentences(examine(settings), Severity.BAD).splitlines()


def start_failure(settings: Settings) -> str:
    """Return why a server with these settings does not start."""

    async def start() -> None:
        await _create_server(settings, None).open()

    with pytest.raises(StartupError) as raised:
        asyncio.run(start())
    return str(raised.value)


def test_the_port_of_the_site_is_checked() -> None:
    site = Address("127.0.0.1", 0)
    with socket.create_server(("127.0.0.1", 0)) as other_server, ThreadPoolExecutor() as executor:
        other_server.settimeout(TIMEOUT_S)
        executor.submit(close_connections, other_server)
        taken = replace(site, port=other_server.getsockname()[1])
        found = sentences(ports(Settings(listen=site, http_listen=site, site_listen=taken)), Severity.BAD)
    assert f"{taken}, configured for the site, is in use by another program" in found
    found = sentences(ports(Settings(listen=site, http_listen=site, site_listen=taken)), Severity.OK)
    assert f"{taken} is available for the site" in found


def test_the_ports_of_all_processes_are_checked() -> None:
    several = Settings(listen=Address("127.0.0.1", 7700), http_listen=Address("127.0.0.1", 7780), processes=2)
    found = " ".join(finding.sentence for finding in ports(several))
    assert all(f"127.0.0.1:{port}" in found for port in (7700, 7701, 7702, 7780, 7781))
