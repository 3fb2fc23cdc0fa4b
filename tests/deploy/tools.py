"""Programs that check what lies in deploy/. Where one is missing a test is skipped, but fails in CI."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"


def tool(name: str) -> str:
    """Its path: of those that came with the virtual environment, or of the machine's."""
    found = shutil.which(name, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if found:
        return found
    why = f"{name} is not installed"
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)


def works(*command: str | Path, within_s: float = 1800) -> str:
    """What it says on standard output. Raises AssertionError with all that it said if it fails."""
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=within_s)
    assert ran.returncode == 0, f"{' '.join(map(str, command))}:\n{ran.stdout}\n{ran.stderr}"
    return ran.stdout
