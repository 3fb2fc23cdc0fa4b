"""The tests of the core are themselves tested: every mistake of the list makes them fail."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.core.mutations import MUTATIONS, Mutation

HOUSE = Path(__file__).parents[2]
SOME_FAILED = 1
"""What pytest says when tests failed; a module that cannot even be imported is another number."""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A house whose core can be spoilt; the rest of it is ours."""
    core = Path("referee", "core")
    shutil.copytree(HOUSE / core, tmp_path / core, ignore=shutil.ignore_patterns("__pycache__"))
    for ours in ("engines", "tests", "pyproject.toml", "referee/__init__.py"):
        (tmp_path / ours).symlink_to(HOUSE / ours)
    return tmp_path


def tried(copy: Path, modules: list[str]) -> subprocess.CompletedProcess[str]:
    paths = [f"tests/core/test_{module}.py" for module in modules]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not slow"]
    alone = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PYTHON", "COV", "CI"))
    }
    return subprocess.run([*command, *paths], cwd=copy, env=alone, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("mutation", MUTATIONS[::20], ids=lambda mutation: mutation.mistake.replace(" ", "_"))
def test_a_mistake_is_noticed(mutation: Mutation, copy: Path) -> None:
    need_noticed(mutation, copy)


@pytest.mark.soak
@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.mistake.replace(" ", "_"))
def test_every_mistake_is_noticed(mutation: Mutation, copy: Path) -> None:
    need_noticed(mutation, copy)


def need_noticed(mutation: Mutation, copy: Path) -> None:
    file = copy / "referee" / "core" / mutation.file
    source = file.read_text()
    assert source.count(mutation.text) == 1, "the list is no longer true"
    file.write_text(source.replace(mutation.text, mutation.instead))
    run = tried(copy, mutation.noticed_by.split())
    assert run.returncode == SOME_FAILED, run.stdout + run.stderr


@pytest.mark.slow
def test_without_a_mistake_nothing_is_noticed(copy: Path) -> None:
    run = tried(copy, sorted({module for mutation in MUTATIONS for module in mutation.noticed_by.split()}))
    assert run.returncode == 0, run.stdout + run.stderr


def test_the_list_of_mistakes_is_true() -> None:
    """Quick, so that whoever changes the core hears of it at once."""
    core = HOUSE / "referee" / "core"
    gone = [it.mistake for it in MUTATIONS if (core / it.file).read_text().count(it.text) != 1]
    assert gone == []
    assert len(MUTATIONS) >= 40
    assert len({it.mistake for it in MUTATIONS}) == len(MUTATIONS)
