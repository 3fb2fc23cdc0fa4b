"""Commands of other toolchains and of tutorials, with their output if they fail."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

WITH_REFEREE = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
"""Environment variable for commands that need `referee` on the path."""


def run_command(command: str | Sequence[str], folder: Path, **variables: str) -> str:
    """Run a command in the folder, or a shell command if it is a text, and return its standard output.

    `variables` are added to the environment. Raises AssertionError with the output if the command fails.
    """
    completed = subprocess.run(
        command,
        shell=isinstance(command, str),
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 0, f"{command}:\n{completed.stdout}\n{completed.stderr}"
    return completed.stdout
