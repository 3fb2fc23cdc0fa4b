"""Runs the quick tests of the pure packages on the compiled form of the engines."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from hatch_build import compile_engines, compiled_modules

ROOT = Path(__file__).parents[2]
PRINT_FILES = """
import importlib, json, sys
print(json.dumps({name: importlib.import_module(name).__file__ for name in sys.argv[1:]}))
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the project in which the engines are compiled."""
    compiler = str(sysconfig.get_config_var("CC") or "cc").split()[0]
    if not shutil.which(compiler) or not Path(sysconfig.get_path("include"), "Python.h").exists():
        why = f"{compiler} or the headers of Python are not installed"
        pytest.fail(why) if os.environ.get("CI") else pytest.skip(why)
    folder = tmp_path_factory.mktemp("compiled")
    # Not optimised, which is much faster: the test is about the C code that mypyc writes.
    compile_engines(ROOT, folder, optimised=0)
    for name in ("referee", "tests", "docs"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "hatch_build.py"):
        shutil.copy(ROOT / name, folder)
    return folder


def python(project: Path, *words: str) -> str:
    """Return the output of Python with the project copy as its folder, so that it imports from there first."""
    # CI tests the pure form thoroughly; here the settings of a developer are enough.
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PYTHON", "COV", "CI"))
    }
    completed = subprocess.run(
        [sys.executable, *words], cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr
    return completed.stdout


@pytest.mark.slow
@pytest.mark.toolchain
def test_imports_find_the_compiled_modules(project: Path) -> None:
    modules = [path.removesuffix(".py").replace("/", ".") for path in compiled_modules(ROOT)]
    file_of = json.loads(python(project, "-c", PRINT_FILES, *modules))
    assert len(file_of) > len(["alquerque", "toc", "troke", "trox"])
    for module, file in file_of.items():
        assert Path(file).parent == project.joinpath(*module.split(".")).parent
        assert Path(file).name.endswith(sysconfig.get_config_var("EXT_SUFFIX"))


@pytest.mark.slow
@pytest.mark.toolchain
@pytest.mark.parametrize(
    "tests",
    [
        ("tests/engines/test_golden.py", "tests/engines/test_every_game.py"),
        pytest.param(("tests/engines", "tests/match"), marks=pytest.mark.soak),
    ],
    ids=["some", "all"],
)
def test_quick_tests_of_pure_packages_pass_on_the_compiled_form(project: Path, tests: tuple[str, ...]) -> None:
    python(project, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow", *tests)
