"""The systemd unit, checked by systemd-analyze."""

import re
from pathlib import Path

import pytest

from referee.server.settings_reader import read_settings
from tests.deploy.tools import DEPLOY, tool, works

UNIT = DEPLOY / "systemd" / "referee.service"
EXPOSED_AT_MOST = 20
"""Exposure level of 100. A service without any hardening has 96."""


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The unit with a program that exists on this machine."""
    installed = tmp_path / UNIT.name
    installed.write_text(UNIT.read_text(encoding="utf-8").replace("/opt/referee/bin/referee", "/bin/true"))
    return installed


def test_systemd_understands_every_line(unit: Path) -> None:
    works(tool("systemd-analyze"), "verify", "--man=no", unit)


def test_little_is_left_to_somebody_who_breaks_in(unit: Path) -> None:
    works(tool("systemd-analyze"), "security", "--offline=true", f"--threshold={EXPOSED_AT_MOST}", unit)


def test_it_is_let_finish_its_turns() -> None:
    [stop_s] = re.findall(r"^TimeoutStopSec=(\d+)$", UNIT.read_text(encoding="utf-8"), re.MULTILINE)
    assert int(stop_s) > read_settings({}, environment={}).settings.drain_grace_s
