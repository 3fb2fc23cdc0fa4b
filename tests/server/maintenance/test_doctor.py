"""Each check of `referee doctor`: what it finds, and that it changes nothing."""

import asyncio
import socket
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias

import pytest

from referee.cli.serve import _tracing
from referee.local.embedded_server import settings as embedded_settings
from referee.server import site_process
from referee.server.maintenance.doctor.data_checks import MIN_DAYS, contests, data, growth, summaries
from referee.server.maintenance.doctor.examination import configuration, examine, tokens
from referee.server.maintenance.doctor.finding import Finding, Severity, bad, ok, warn, worst
from referee.server.maintenance.doctor.machine_checks import clocks, process
from referee.server.maintenance.doctor.network_checks import TIMEOUT_S, certificates, ports
from referee.server.referee_server import RefereeServer
from referee.server.setting_types import Address
from referee.server.settings import Settings
from referee.server.settings_reader import LoadedSettings, read_settings
from referee.server.stores import DATABASE, KEY, StartupError
from referee.storage.sqlite.database import Durability, migrations
from tests.clients.certificates import create_certificates
from tests.server.maintenance.data_dirs import (
    DAY_MS,
    create_data_dir,
    execute_sql,
    finished_match,
    flip_bit,
    match_in_play,
    with_ladder,
)
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


def test_risky_settings_are_reported() -> None:
    defaults = read_settings({}, environment={})
    assert not sentences(configuration(defaults), Severity.WARN)
    risky = replace(defaults, settings=replace(defaults.settings, ephemeral=True, durability=Durability.NORMAL))
    assert "lost at the end" in sentences(configuration(risky), Severity.WARN)
    assert "a power cut may lose acknowledged moves" in sentences(configuration(risky), Severity.WARN)


def test_a_sound_private_data_directory_passes_all_checks(data_dir: Path) -> None:
    (data_dir / DATABASE).chmod(0o600)
    assert not sentences(data(data_dir), Severity.BAD)
    found = sentences(data(data_dir), Severity.OK)
    for expected in ("is private", "records are signed with", "is that of this release", "quick check passed"):
        assert expected in found


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


def test_readable_contests_are_counted(data_dir: Path) -> None:
    with_ladder(with_ladder(data_dir, "main"), "other")
    assert [*contests(data_dir / DATABASE)] == [ok("contests", "all 2 logs can be read")]


@pytest.mark.parametrize("damage", ["UPDATE contest_entries SET line = '{}'", "DELETE FROM contest_entries"])
def test_a_damaged_contest_is_reported(data_dir: Path, damage: str) -> None:
    with_ladder(with_ladder(data_dir, "main"), "other")
    execute_sql(data_dir, f"{damage} WHERE contest = 1 AND number = 2")
    (found,) = contests(data_dir / DATABASE)
    assert (found.state, "the log of ladder/main is damaged" in found.sentence) == (Severity.BAD, True)
    assert "entry 2 of ladder/main" in found.sentence


def test_contests_of_another_release_are_not_checked(data_dir: Path) -> None:
    execute_sql(data_dir, f"PRAGMA user_version = {len(migrations()) + 1}")
    assert [*contests(data_dir / DATABASE)] == []


def test_summaries_that_agree_with_the_log_are_all_right(data_dir: Path) -> None:
    create_data_dir(data_dir, match_in_play("two"), finished_match("three"))
    assert [*summaries(data_dir / DATABASE)] == [ok("summaries", "lists of matches agree with the log")]


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE match_summaries SET phase = 'playing' WHERE match = 1",
        "UPDATE match_summaries SET ended = 2 WHERE match = 1",
        "UPDATE match_summaries SET ladder = 'main' WHERE match = 1",
        "UPDATE match_seats SET bot = 'eve' WHERE match = 1 AND seat = 1",
        "DELETE FROM match_seats WHERE match = 1",
        "DELETE FROM match_summaries WHERE match = 1",
        "DELETE FROM entries WHERE match = 1",
    ],
)
def test_a_summary_that_disagrees_with_its_log_is_found(data_dir: Path, damage: str) -> None:
    create_data_dir(data_dir, match_in_play("two"))
    execute_sql(data_dir, damage)
    (found,) = summaries(data_dir / DATABASE)
    assert (found.state, found.sentence) == (Severity.BAD, "lists of matches disagree with the log about one")


def test_a_summary_of_a_damaged_log_is_not_judged(data_dir: Path) -> None:
    execute_sql(data_dir, "UPDATE entries SET line = substr(line, 1, 40) WHERE match = 1 AND number = 1")
    assert sentences(summaries(data_dir / DATABASE), Severity.OK)


def test_of_many_wrong_summaries_some_are_named(data_dir: Path) -> None:
    create_data_dir(data_dir, *(match_in_play(f"m{number}") for number in range(6)))
    execute_sql(data_dir, "UPDATE match_summaries SET game = 'toc'")
    assert sentences(summaries(data_dir / DATABASE), Severity.BAD).endswith("one, m0, m1, m2, m3 and 2 more")


def test_summaries_of_another_release_are_left_alone(data_dir: Path) -> None:
    execute_sql(data_dir, f"PRAGMA user_version = {len(migrations()) + 1}")
    assert [*summaries(data_dir / DATABASE)] == []


def test_the_growth_of_the_last_day_is_named_with_a_warning_if_the_disk_is_full_soon(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create_data_dir(data_dir, finished_match("two"), match_in_play("three"), at_ms=NOON_MS + DAY_MS)
    [(written,)] = execute_sql(
        data_dir,
        "SELECT sum(length(line) + coalesce(length(request), 0)) FROM entries WHERE at_ms > ?",
        NOON_MS,
    )
    assert isinstance(written, int)

    def found(now_ms: int, free_bytes: int) -> list[tuple[Severity, str]]:
        monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=free_bytes))
        return [(one.state, one.sentence) for one in growth(data_dir / DATABASE, now_ms)]

    sentence = f"grew by {written / 2**20:.1f} MiB in the last 24 hours, by 2 matches"
    now_ms = NOON_MS + DAY_MS + 1
    assert found(now_ms, MIN_DAYS * written) == [(Severity.OK, sentence)]
    soon = f"{sentence}: the disk is full in 13.0 days"
    assert found(now_ms, (MIN_DAYS - 1) * written) == [(Severity.WARN, soon)]
    nothing = "grew by 0.0 MiB in the last 24 hours, by 0 matches"
    assert found(now_ms + DAY_MS, 0) == [(Severity.OK, nothing)]


def test_the_growth_of_a_database_of_another_release_is_not_read(data_dir: Path) -> None:
    execute_sql(data_dir, f"PRAGMA user_version = {len(migrations()) + 1}")
    assert [*growth(data_dir / DATABASE, NOON_MS)] == []


def test_a_wall_clock_that_was_set_back_is_reported(data_dir: Path) -> None:
    assert "set back" not in sentences(clocks(data_dir / DATABASE), Severity.WARN)
    execute_sql(data_dir, "UPDATE entries SET at_ms = ?", int(datetime.now(UTC).timestamp() * 1000) + DAY_MS)
    assert "set back:" in sentences(clocks(data_dir / DATABASE), Severity.WARN)


def test_a_data_directory_without_an_administrator_token_is_reported(data_dir: Path) -> None:
    assert "there is no valid administrator token" in sentences(tokens(data_dir / DATABASE, NOON_MS), Severity.WARN)


def test_a_port_used_by_another_program_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other_server, ThreadPoolExecutor() as executor:
        executor.submit(close_connections, other_server)
        address = Address("127.0.0.1", other_server.getsockname()[1])
        found = [*ports(Settings(listen=Address("127.0.0.1", 0), http_listen=address))]
    assert [finding.state for finding in found] == [Severity.OK, Severity.BAD]
    assert str(address) in found[1].sentence


def test_a_public_server_without_tls_is_a_warning() -> None:
    assert [finding.state for finding in certificates(Settings())] == [Severity.OK]
    public_settings = Settings(listen=Address("0.0.0.0", 1), public_without_tls=True)
    assert [finding.state for finding in certificates(public_settings)] == [Severity.WARN]


def test_more_streams_than_allowed_open_files_are_a_warning() -> None:
    assert "limit of" in sentences(process(Settings(max_streams=1_000_000_000)), Severity.WARN)
    assert "limit of" not in sentences(process(Settings(max_streams=1)), Severity.WARN)


Changes: TypeAlias = dict[str, Any]


def without_site_packages(_: Path, patch: pytest.MonkeyPatch) -> Changes:
    patch.setattr(site_process, "PACKAGES", ("no_such_package",))
    return {"site_listen": Address("127.0.0.1", 0)}


def without_oidc_packages(_: Path, patch: pytest.MonkeyPatch) -> Changes:
    patch.setitem(sys.modules, "referee.transport.guards.oidc", None)
    return {"oidc_issuer": "https://login.example.org", "oidc_audience": "referee"}


def without_traces_packages(_: Path, patch: pytest.MonkeyPatch) -> Changes:
    patch.setitem(sys.modules, "referee.observability.opentelemetry_tracing", None)
    return {"traces_to": "http://127.0.0.1:4317"}


def with_another_key(folder: Path, _patch: pytest.MonkeyPatch) -> Changes:
    keys = []
    for name in ("first", "second"):
        (folder / name).mkdir()
        _, (_, cert, _, key) = create_certificates(folder / name)
        keys.append((Path(cert), Path(key)))
    return {"tls_cert": keys[0][0], "tls_key": keys[1][1]}


def without_key(folder: Path, _patch: pytest.MonkeyPatch) -> Changes:
    _, (_, cert, *_) = create_certificates(folder)
    return {"tls_cert": Path(cert), "tls_key": folder / "none.pem"}


def with_invalid_client_ca(folder: Path, _patch: pytest.MonkeyPatch) -> Changes:
    _, (_, cert, _, key) = create_certificates(folder)
    (folder / "empty.pem").touch()
    return {"tls_cert": Path(cert), "tls_key": Path(key), "tls_client_ca": folder / "empty.pem"}


@pytest.mark.parametrize(
    "prepare",
    [
        without_site_packages,
        without_oidc_packages,
        without_traces_packages,
        with_another_key,
        without_key,
        with_invalid_client_ca,
    ],
)
def test_the_doctor_says_why_a_server_would_not_start(
    prepare: Callable[[Path, pytest.MonkeyPatch], Changes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = replace(embedded_settings(1, patient=True), **prepare(tmp_path, monkeypatch))
    assert start_failure(settings) in sentences(examine(LoadedSettings(settings, {})), Severity.BAD).splitlines()


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


def test_a_file_for_the_first_token_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    settings = replace(embedded_settings(1, patient=True), admin_token_file=tmp_path / "none" / "token")
    assert start_failure(settings)
    assert "none/token cannot be written" in sentences(configuration(LoadedSettings(settings, {})), Severity.BAD)


def start_failure(settings: Settings) -> str:
    """Return why a server with these settings does not start."""

    async def start() -> None:
        await RefereeServer(settings, _tracing(settings)).open()

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
