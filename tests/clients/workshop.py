"""Where the clients in other languages are built: each once in a test run, however many workers it has."""

import fcntl
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.clients.languages import Language


@dataclass(frozen=True)
class Workshop:
    folder: Path
    """Shared by all workers of the test run, and by nobody else."""

    def build(self, language: Language) -> None:
        """By whoever comes first; the others wait. Skips the test where a tool is missing, but fails it in CI."""
        if missing := [tool for tool in language.tools if not shutil.which(tool)]:
            why = f"the client in {language.name} needs {' and '.join(missing)}"
            pytest.fail(why) if os.environ.get("CI") else pytest.skip(why)
        with (self.folder / language.name).open("a+") as done:
            fcntl.flock(done, fcntl.LOCK_EX)
            done.seek(0)
            if not done.read():
                works(language, language.build)
                done.write("built")


def works(language: Language, command: str) -> None:
    """Run it in the client's folder. Raises AssertionError with what it printed if it fails."""
    ran = subprocess.run(command, shell=True, cwd=language.folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, f"{command}:\n{ran.stdout}\n{ran.stderr}"
