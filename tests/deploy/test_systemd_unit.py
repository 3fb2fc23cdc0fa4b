"""The systemd units, checked by systemd-analyze."""

import re
from pathlib import Path

import pytest

from referee.server.settings_reader import read_settings
from tests.deploy.tools import DEPLOY, find_tool, run_command

UNIT = DEPLOY / "systemd" / "referee.service"
BACKUP = DEPLOY / "systemd" / "referee-backup.service"
DROP_INS = [DEPLOY / "systemd" / "referee.service.d" / name for name in ("node.conf", "door.conf")]
CONFINING = re.compile("(Ambient|Capability|Device|Lock|NoNew|Private|Protect|RemoveIPC|Restrict|SystemCall|UMask)")
"""Beginnings of the directives that take rights away from a service."""
MAX_EXPOSURE = 20
"""Exposure level of 100. A service without any hardening has 96."""


def install_unit(unit: Path, folder: Path) -> Path:
    """Copy a unit, with a program that exists on this machine."""
    installed = folder / unit.name
    installed.write_text(re.sub(r"/opt/referee/bin/referee(-edge)?", "/bin/true", unit.read_text(encoding="utf-8")))
    return installed


@pytest.fixture(params=[UNIT, BACKUP], ids=lambda unit: unit.stem)
def unit(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Each unit."""
    return install_unit(request.param, tmp_path)


def verify(unit: Path) -> str:
    """Return the errors and warnings of systemd. An unknown setting is a warning only."""
    with_warnings = '"$0" verify --man=no "$1" 2>&1'
    return run_command("sh", "-c", with_warnings, find_tool("systemd-analyze"), unit)


def directives(unit: Path) -> dict[str, list[str]]:
    """Return the values of all directives of a unit."""
    found: dict[str, list[str]] = {}
    for name, value in re.findall(r"^(\w+)=(.*)$", unit.read_text(encoding="utf-8"), re.MULTILINE):
        found.setdefault(name, []).append(value)
    return found


def test_systemd_verifies_the_unit(unit: Path) -> None:
    assert verify(unit) == ""


@pytest.mark.parametrize("drop_in", DROP_INS, ids=lambda drop_in: drop_in.stem)
def test_systemd_verifies_the_unit_with_a_drop_in(tmp_path: Path, drop_in: Path) -> None:
    unit = install_unit(UNIT, tmp_path)
    folder = unit.with_suffix(".service.d")
    folder.mkdir()
    install_unit(drop_in, folder)
    assert verify(unit) == ""


def test_a_backup_is_as_confined_as_the_server() -> None:
    server, backup = directives(UNIT), directives(BACKUP)
    confinement = [name for name in server if CONFINING.match(name)]
    assert len(confinement) > 20
    differ = {name: backup.get(name) for name in confinement if backup.get(name) != server[name]}
    assert differ == {"RestrictAddressFamilies": ["AF_UNIX"]}  # It has no network.
    assert backup["PrivateNetwork"] == ["true"]


def test_memory_and_tasks_of_a_unit_are_limited(unit: Path) -> None:
    assert {"MemoryMax", "TasksMax"} <= set(directives(unit))


def test_the_exposure_level_of_the_unit_is_low(unit: Path) -> None:
    run_command(find_tool("systemd-analyze"), "security", "--offline=true", f"--threshold={MAX_EXPOSURE}", unit)


def test_the_stop_timeout_exceeds_the_drain_grace_period() -> None:
    [stop_s] = re.findall(r"^TimeoutStopSec=(\d+)$", UNIT.read_text(encoding="utf-8"), re.MULTILINE)
    assert int(stop_s) > read_settings({}, environment={}).settings.drain_grace_s


RULES = DEPLOY / "firewall" / "referee.nft"


def test_nft_accepts_the_rules() -> None:
    # In a network namespace of its own, which also those may change who are not root.
    run_command(find_tool("unshare"), "--map-root-user", "--net", find_tool("nft"), "--check", "--file", RULES)


def test_the_rules_protect_the_default_port() -> None:
    port = read_settings({}, environment={}).settings.listen.port
    assert f"tcp dport {port} jump strangers" in RULES.read_text(encoding="utf-8")
