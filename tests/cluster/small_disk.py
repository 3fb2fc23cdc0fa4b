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
    """In memory, mounted on a folder. Only root can do that: the test is skipped for others, but fails in CI."""

    def __init__(self) -> None:
        if os.geteuid() != 0:
            if os.environ.get("CI"):
                pytest.fail("only root can mount a file system")
            pytest.skip("only root can mount a file system")
        self._folder = Path()

    @contextmanager
    def mounted(self, folder: Path) -> Iterator[None]:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", folder], check=True)
        self._folder = folder
        try:
            yield
        finally:
            subprocess.run(["umount", folder], check=True)

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
