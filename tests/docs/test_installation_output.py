"""`make` installs in a few lines, but shows all that a failed installation says."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.docs.test_links import ROOT

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PYTHON = """\
#!/bin/sh
case "$*" in *--quiet*) ;; *) seq 370 ;; esac
case "$*" in *"$FAILING"*) echo "no such package" >&2; exit 1 ;; esac
"""
"""Stands for the Python of the environment, with a pip that fails if its arguments contain $FAILING."""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "Makefile").write_text(MAKEFILE, encoding="utf-8")
    for name in (
        "requirements/dev.txt",
        "pyproject.toml",
        "proto/python/pyproject.toml",
        "clients/python/pyproject.toml",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(PYTHON)
    python.chmod(0o755)
    return tmp_path


def install(checkout: Path, failing: str) -> "subprocess.CompletedProcess[str]":
    command = ["make", ".venv/.ready", f"FAILING={failing}"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}  # As typed.
    return subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)


def test_an_installation_prints_at_most_three_lines(checkout: Path) -> None:
    done = install(checkout, "nothing")
    assert (done.returncode, len(done.stdout.splitlines()) <= 3, done.stderr) == (0, True, "")


@pytest.mark.parametrize("failing", ["dev.txt", "proto/python"])
def test_a_failed_installation_shows_why(checkout: Path, failing: str) -> None:
    done = install(checkout, failing)
    assert (done.returncode, "no such package" in done.stderr) == (2, True)
    assert not (checkout / ".venv" / ".ready").exists()
