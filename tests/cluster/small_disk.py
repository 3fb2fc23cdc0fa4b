"""A small file system of its own, which a test fills."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

SIZE = "192m"
SMALL_LOG = {"min_wal_size": "32MB", "max_wal_size": "32MB"}
"""Options of a PostgreSQL server whose write-ahead log leaves room on such a disk."""
BLOCK = bytes(1 << 16)


class Disk:
    """In memory, mounted on a folder by root, or by sudo. Without that right, the test is skipped, but fails in CI."""

    def __init__(self) -> None:
        self._as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
        self._folder = Path()

    @contextmanager
    def mounted(self, folder: Path) -> Iterator[None]:
        options = f"size={SIZE},uid={os.geteuid()},mode=700"
        try:
            self._run("mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder))
        except (OSError, subprocess.CalledProcessError) as why:
            if "CI" in os.environ:
                raise
            pytest.skip(f"only root can mount a file system: {why}")
        self._folder = folder
        try:
            yield
        finally:
            self._run("umount", str(folder))

    def _run(self, *command: str) -> None:
        subprocess.run([*self._as_root, *command], check=True)

    @contextmanager
    def full(self) -> Iterator[None]:
        """Leave no room on it within this block."""
        filler = self._folder / "filler"
        with filler.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(BLOCK)
        try:
            yield
        finally:
            filler.unlink()
