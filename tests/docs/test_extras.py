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
