"""The line that installs an extra works after an installation from a checkout and from wheels, and pages lead to it."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.docs.test_links import PAGES, ROOT

EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
OPERATIONS = ROOT / "docs" / "operations.md"
INSTALLATION = re.compile(r"pip install '?referee\[(\w+)\]'?")
NAMED = [
    page
    for page in PAGES
    if page != OPERATIONS and page.is_relative_to(ROOT / "docs") and page.parent.name != "decisions"
    if "referee[" in page.read_text(encoding="utf-8")
]


def assert_installed(python_path: str, place: Path) -> None:
    """Assert that pip takes the distribution that is installed at a place, and asks no registry for any extra of it."""
    extras = sorted(set(EXTRAS) - {"edge"})  # That one is a wheel of the release, whose build needs Go.
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--no-index", f"referee[{','.join(extras)}]"]
    environment = {**os.environ, "PYTHONPATH": python_path}
    done = subprocess.run(command, cwd="/", env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"Requirement already satisfied: referee[{','.join(extras)}] in {place}" in done.stdout


@pytest.mark.slow
def test_pip_adds_extras_to_an_installation_from_a_checkout() -> None:
    assert_installed("", Path(sys.prefix))


@pytest.mark.slow
def test_pip_adds_extras_to_an_installation_from_wheels(tmp_path: Path) -> None:
    for project in (ROOT / "proto" / "python", ROOT / "clients" / "python", ROOT):
        build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "dist")]
        subprocess.run(build, cwd=project, check=True, capture_output=True)
    wheels = [str(wheel) for wheel in (tmp_path / "dist").glob("*.whl")]
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target"]
    subprocess.run([*install, str(tmp_path / "installed"), *wheels], check=True)
    assert_installed(str(tmp_path / "installed"), tmp_path / "installed")


def test_the_page_lists_all_extras() -> None:
    section = OPERATIONS.read_text(encoding="utf-8").partition("### Extras\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == sorted(EXTRAS)
    assert "/opt/referee/bin/pip install 'referee[site]'" in section


@pytest.mark.parametrize("page", NAMED, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_that_names_an_extra_leads_to_its_installation(page: Path) -> None:
    assert "operations.md#extras)" in page.read_text(encoding="utf-8")


def test_all_messages_and_pages_have_the_same_line() -> None:
    files = [*PAGES, *(file for folder in ("referee", "engines") for file in (ROOT / folder).rglob("*.py"))]
    texts = [file.read_text(encoding="utf-8") for file in files if file.name != "CHANGELOG.md"]
    found = [(match.group(), match[1]) for text in texts for match in INSTALLATION.finditer(text)]
    assert [line for line, name in found if line != f"pip install 'referee[{name}]'"] == []
    assert {name for _, name in found if name not in {*EXTRAS, ""}} == set()


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
