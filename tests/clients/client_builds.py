"""Builds of the clients in other languages, repeated only if their sources or the contract have changed."""

import fcntl
import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.clients.commands import run_command
from tests.clients.languages import Language

PROJECT = Path(__file__).parents[2]


@dataclass(frozen=True)
class ClientBuilder:
    locks: Path
    """Folder for the lock files by which concurrent test processes wait for a build."""

    def build(self, language: Language) -> None:
        """Build the client unless it is up to date. Skip the test if a tool is missing, or fail it in CI."""
        if missing := [tool for tool in language.tools if not shutil.which(tool)]:
            reason = f"the client in {language.name} needs {' and '.join(missing)}"
            pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
        built = language.folder / language.output / ".built-from"
        with (self.locks / f"{language.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            sources = hash_files(str(language.folder), "clients/vectors", "proto")
            if not built.exists() or built.read_text() != sources:
                run_in_client(language, language.build)
                built.write_text(sources)


def hash_files(*folders: str) -> str:
    """Return a hash of all files in these folders that git does not ignore."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *folders]
    listed = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True).stdout
    digest = hashlib.sha256()
    for name in sorted(set(listed.split("\0"))):
        if (file := PROJECT / name).is_file():
            digest.update(f"{name} {hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def run_in_client(language: Language, command: str) -> None:
    """Run a shell command in the client's folder. Raises AssertionError with its output if it fails."""
    run_command(command, language.folder, **language.environment)
