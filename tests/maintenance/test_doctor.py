"""Each check of `referee doctor`: what it finds, and that it changes nothing."""

import socket
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from referee.maintenance.doctor.data_checks import contests, data
from referee.maintenance.doctor.examination import configuration
from referee.maintenance.doctor.finding import Finding, Severity, bad, ok, warn, worst
from referee.maintenance.doctor.machine_checks import clocks, process
from referee.maintenance.doctor.network_checks import certificates, ports
from referee.maintenance.doctor.token_checks import tokens
from referee.server.setting_types import Address
from referee.server.settings import Settings
from referee.server.settings_reader import read_settings
from referee.server.stores import DATABASE, KEY
from referee.storage.sqlite.database import Durability, migrations
from tests.maintenance.data_dirs import DAY_MS, finished, remembered, scribble, tell, with_ladder
from tests.storage.stores import NOON_MS

KNOCKS = 2
"""Connections that the doctor makes: one to see whether anything listens, one to see whether it is a referee."""


def hang_up_on(listening: socket.socket) -> None:
    for _ in range(KNOCKS):
        listening.accept()[0].close()


def sentences(found: Iterable[Finding], state: Severity) -> str:
    return "\n".join(one.sentence for one in found if one.state is state)


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    return remembered(tmp_path / "data", finished("one"))


def test_the_worst_finding_counts() -> None:
    assert worst([]) is Severity.OK
    assert worst([ok("a", "b"), bad("a", "b", "c"), warn("a", "b", "c")]) is Severity.BAD
    assert worst([warn("a", "b", "c"), ok("a", "b")]) is Severity.WARN


def test_settings_that_would_hurt_are_named() -> None:
    usual = read_settings({}, environment={})
    assert not sentences(configuration(usual), Severity.WARN)
    daring = replace(usual, settings=replace(usual.settings, ephemeral=True, durability=Durability.NORMAL))
    assert "lost at the end" in sentences(configuration(daring), Severity.WARN)
    assert "a power cut may lose acknowledged moves" in sentences(configuration(daring), Severity.WARN)


def test_a_sound_memory_that_is_ours_alone_is_all_right(memory: Path) -> None:
    (memory / DATABASE).chmod(0o600)
    assert not sentences(data(memory), Severity.BAD)
    found = sentences(data(memory), Severity.OK)
    for what in ("is private", "records are signed with", "is that of this release", "quick check passed"):
        assert what in found


def test_a_memory_that_is_not_there_is_no_fault_yet(tmp_path: Path) -> None:
    assert [one.state for one in data(tmp_path / "none")] == [Severity.WARN]


def test_a_file_in_the_place_of_the_memory_is_found(tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.touch()
    assert "is a file, not a directory" in sentences(data(file), Severity.BAD)


def test_a_damaged_database_is_found(memory: Path) -> None:
    scribble(memory / DATABASE, 4096 + 8)
    assert sentences([one for one in data(memory) if one.about == "database"], Severity.BAD)


def test_a_key_that_is_none_is_found(memory: Path) -> None:
    (memory / KEY).write_text("no key")
    assert [one.about for one in data(memory) if one.state is Severity.BAD] == ["key"]


@pytest.mark.parametrize(("more", "state"), [(1, Severity.BAD), (-1, Severity.WARN)])
def test_a_database_of_another_release_is_found(memory: Path, more: int, state: Severity) -> None:
    version = len(migrations()) + more
    tell(memory, f"PRAGMA user_version = {version}")
    assert f"version {version} is" in sentences(data(memory), state)


def test_contests_that_can_be_followed_are_counted(memory: Path) -> None:
    with_ladder(with_ladder(memory, "main"), "other")
    assert [*contests(memory / DATABASE)] == [ok("contests", "all 2 logs can be read")]


@pytest.mark.parametrize("damage", ["UPDATE contest_entries SET line = '{}'", "DELETE FROM contest_entries"])
def test_a_contest_that_cannot_be_followed_is_named(memory: Path, damage: str) -> None:
    with_ladder(with_ladder(memory, "main"), "other")
    tell(memory, f"{damage} WHERE contest = 1 AND number = 2")
    (found,) = contests(memory / DATABASE)
    assert (found.state, "the log of ladder/main is damaged" in found.sentence) == (Severity.BAD, True)
    assert "entry 2 of ladder/main" in found.sentence


def test_contests_of_another_release_are_left_alone(memory: Path) -> None:
    tell(memory, "PRAGMA user_version = 1")
    assert [*contests(memory / DATABASE)] == []


def test_a_wall_clock_that_was_set_back_is_found(memory: Path) -> None:
    assert "set back" not in sentences(clocks(memory / DATABASE), Severity.WARN)
    tell(memory, "UPDATE entries SET at_ms = ?", int(datetime.now(UTC).timestamp() * 1000) + DAY_MS)
    assert "set back:" in sentences(clocks(memory / DATABASE), Severity.WARN)


def test_a_memory_that_knows_no_administrator_is_found(memory: Path) -> None:
    assert "there is no valid administrator token" in sentences(tokens(memory / DATABASE, NOON_MS), Severity.WARN)


def test_a_port_that_something_else_has_taken_is_found() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, ThreadPoolExecutor() as others:
        others.submit(hang_up_on, taken)
        at = Address("127.0.0.1", taken.getsockname()[1])
        found = [*ports(Settings(listen=Address("127.0.0.1", 0), http_listen=at))]
    assert [one.state for one in found] == [Severity.OK, Severity.BAD]
    assert str(at) in found[1].sentence


def test_without_tls_nobody_beyond_this_machine_may_come_in() -> None:
    assert [one.state for one in certificates(Settings())] == [Severity.OK]
    open_to_all = Settings(listen=Address("0.0.0.0", 1), public_without_tls=True)
    assert [one.state for one in certificates(open_to_all)] == [Severity.WARN]


def test_more_streams_than_files_that_may_be_open_are_found() -> None:
    assert "limit of" in sentences(process(Settings(max_streams=1_000_000_000)), Severity.WARN)
    assert "limit of" not in sentences(process(Settings(max_streams=1)), Severity.WARN)
