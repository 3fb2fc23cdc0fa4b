"""Whether the files of a database are still those that were opened.

Whoever removes or replaces them under a process that has them open does not keep it from writing: it goes on in files
that nobody can open any more, and all that it says is durable is gone when it ends. SQLite does not look; we do.
"""

import sqlite3
from pathlib import Path


class InPlace:
    """Of a database with a write-ahead log that is open, and stays so."""

    def __init__(self, path: Path) -> None:
        self._opened = {file: _identity(file) for file in (path, Path(f"{path}-wal"))}

    def need(self) -> None:
        """To be called before something is written. Raises sqlite3.OperationalError."""
        for file, opened in self._opened.items():
            if _identity(file) != opened:
                raise sqlite3.OperationalError(f"{file.name} has been removed or replaced since it was opened")


def _identity(file: Path) -> tuple[int, int] | None:
    """None: there is no such file, or nobody can look."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
