"""The compiled form of the engines, which a wheel may have beside the pure one: `make compiled` puts it in place.

A build hook of hatchling, off unless HATCH_BUILD_HOOK_ENABLE_CUSTOM is true. There is one source: mypyc translates
the modules whose speed matters into C, and their Python files stay beside them.
"""

import shutil
import sys
from pathlib import Path
from subprocess import run
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NOT_COMPILED = (
    "__init__",
    "card_drawing",
    "codec",
    "drawing",
    "explain",
    "game",
    "options",
    "picture",
    "position_parser",
    "packed_pieces",
    "placing",
    "schema",
    "step_table",
    "turn_search",
    "view",
)
"""Modules of a game whose speed does not matter: first positions, options, parsing, errors and drawing.

Those of Troke's `PackedPieces` are used in the pure form only.
"""
NOT_COMPILED_FOLDERS = ("chess", "external", "go", "openspiel", "testing")
"""Games and others without a compiled form.

The speed of chess and of OpenSpiel's games is that of other distributions, which a build does not need. The boards of
Go are integers of hundreds of bits, which mypyc makes slower. The others are no games.
"""

SETUP = """\
from mypyc.build import mypycify
from setuptools import setup

setup(packages=[], py_modules=[], ext_modules=mypycify({files!r}, opt_level="{optimised}", debug_level="0"))
"""


def compiled_modules(root: Path) -> list[str]:
    """Return the modules that have a compiled form, as paths below `root`."""
    # Only those of games: games of other distributions, which are not compiled, subclass the shared ones.
    of_games = [path for path in root.glob("engines/*/*.py") if path.parent.name not in NOT_COMPILED_FOLDERS]
    found = sorted(path for path in of_games if path.stem not in NOT_COMPILED)
    return [path.relative_to(root).as_posix() for path in found]


def compile_engines(root: Path, folder: Path, optimised: int = 2) -> list[Path]:
    """Copy the engines into `folder` and compile them there, so that a library is beside each compiled module.

    Return all libraries that the compiled form needs; `optimised` is the number after -O for the C compiler.
    Raises CalledProcessError, after printing the compiler's output, if the compilation fails.
    """
    shutil.copytree(root / "engines", folder / "engines", ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.pyd"))
    (folder / "setup.py").write_text(SETUP.format(files=compiled_modules(root), optimised=optimised))
    build = run(
        [sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=folder, capture_output=True, check=False
    )
    if build.returncode:
        sys.stderr.buffer.write(build.stdout + build.stderr)
        build.check_returncode()
    shutil.rmtree(folder / "build")
    return [*folder.rglob("*.so"), *folder.rglob("*.pyd")]


class CompiledEngines(BuildHookInterface[BuilderConfig]):
    """Build hook that adds the libraries to a wheel."""

    def dependencies(self) -> list[str]:
        """Return what a build in its own environment needs; `make compiled` builds in `.venv/`, which has it."""
        return ["mypy==2.4.1", "setuptools"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        self._folder = TemporaryDirectory()
        folder = Path(self._folder.name)
        for library in compile_engines(Path(self.root), folder):
            build_data["force_include"][str(library)] = str(library.relative_to(folder))
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        self._folder.cleanup()
