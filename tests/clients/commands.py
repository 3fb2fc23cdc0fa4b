"""Commands of other toolchains and of tutorials, with their output if they fail."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

WITH_REFEREE = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
"""Environment variable for commands that need `referee` on the path."""


PLACEHOLDER = "/path/to/referee"
"""The checkout, in the commands of a README."""


def commands_of(page: Path, beginning: str) -> str:
    """Return the commands of the only console block of a page that begins with this text, as a shell script."""
    blocks = re.findall(r"^```console\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    [block] = (block for block in blocks if block.startswith(f"$ {beginning}"))
    return "set -e\n" + re.sub(r"^\$ ", "", block, flags=re.MULTILINE)


def clone_files(source: Path, checkout: Path, *folders: str) -> None:
    """Copy folders as they are in a fresh clone: without anything that git ignores."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *folders]
    listed = subprocess.run(command, cwd=source, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (source / name).is_file():
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / name, checkout / name)


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
