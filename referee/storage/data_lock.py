"""An exclusive lock on a data directory, so that no two processes run the same matches.

The lock is advisory (`flock`) and belongs to an open file: the system releases it when the process ends, however it
ends. The lock file stays; only the lock on it counts.
"""

import os
from pathlib import Path

SERVER_LOCK = "referee.lock"
"""Held by whatever may run matches or change the schema."""
ARCHIVE_LOCK = "referee-archive.lock"
"""Held by `referee archive`, which works beside a server."""


class DataDirLocked(OSError):
    """Another process holds the lock. `str()` is one sentence."""

    def __init__(self, file: Path, owner: str) -> None:
        super().__init__(f"process {owner or 'unknown'} already uses it (lock file {file.name})")


class DataDirLock:
    """Held from construction to `release`, or to the end of a `with` block."""

    def __init__(self, data_dir: Path, name: str = SERVER_LOCK) -> None:
        """Acquire the lock without waiting. Raises DataDirLocked, or another OSError if there can be no lock file."""
        import fcntl  # noqa: PLC0415  # POSIX only, and commands that need no data directory run elsewhere too.

        file = data_dir / name
        self._handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.pread(self._handle, 20, 0).decode("ascii", "replace").strip()
            os.close(self._handle)
            raise DataDirLocked(file, owner) from None
        except OSError:
            os.close(self._handle)
            raise
        os.ftruncate(self._handle, 0)
        os.pwrite(self._handle, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Release the lock. Idempotent."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def __enter__(self) -> "DataDirLock":
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
