"""External programs that check the files in `deploy/`. A test is skipped if its program is missing, but fails in CI."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"


def find_tool(name: str) -> str:
    """Return the path of a program, searched first in the virtual environment and then on the path."""
    found = shutil.which(name, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if found:
        return found
    reason = f"{name} is not installed"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def run_command(*command: str | Path, timeout_s: float = 1800) -> str:
    """Run a command and return its standard output. Raises AssertionError with all of its output if it fails."""
    completed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=timeout_s)
    assert completed.returncode == 0, f"{' '.join(map(str, command))}:\n{completed.stdout}\n{completed.stderr}"
    return completed.stdout
