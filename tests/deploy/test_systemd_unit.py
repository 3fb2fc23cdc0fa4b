"""The systemd unit, checked by systemd-analyze."""

import re
import shutil
from pathlib import Path

import pytest

from referee.server.settings_reader import read_settings
from tests.deploy.tools import DEPLOY, find_tool, run_command

UNIT = DEPLOY / "systemd" / "referee.service"
NODE = DEPLOY / "systemd" / "referee.service.d" / "node.conf"
MAX_EXPOSURE = 20
"""Exposure level of 100. A service without any hardening has 96."""


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The unit with a program that exists on this machine."""
    installed = tmp_path / UNIT.name
    installed.write_text(UNIT.read_text(encoding="utf-8").replace("/opt/referee/bin/referee", "/bin/true"))
    return installed


def test_systemd_verifies_the_unit(unit: Path) -> None:
    run_command(find_tool("systemd-analyze"), "verify", "--man=no", unit)


def test_systemd_verifies_the_unit_of_a_node(unit: Path) -> None:
    folder = unit.with_suffix(".service.d")
    folder.mkdir()
    shutil.copy(NODE, folder)
    with_warnings = '"$0" verify --man=no "$1" 2>&1'  # An unknown setting is a warning only.
    assert run_command("sh", "-c", with_warnings, find_tool("systemd-analyze"), unit) == ""


def test_the_exposure_level_of_the_unit_is_low(unit: Path) -> None:
    run_command(find_tool("systemd-analyze"), "security", "--offline=true", f"--threshold={MAX_EXPOSURE}", unit)


def test_the_stop_timeout_exceeds_the_drain_grace_period() -> None:
    [stop_s] = re.findall(r"^TimeoutStopSec=(\d+)$", UNIT.read_text(encoding="utf-8"), re.MULTILINE)
    assert int(stop_s) > read_settings({}, environment={}).settings.drain_grace_s
