"""The log file of a bot's output, which keeps the latest output and deletes the older one."""

from contextlib import suppress
from pathlib import Path

LOG_BYTES = 1 << 20
"""A log of this size is rotated to NAME.log.1."""
CHUNK_BYTES = 1 << 16
BYTES_PER_S = 10 << 20
"""Rate limit: a bot that writes faster blocks, so that its output cannot keep the referee busy."""
REMARK = "(log rotated: earlier output is in {}, older output was deleted)\n"


class RotatedLog:
    """Appends to a file, which others may append to as well."""

    def __init__(self, file: Path) -> None:
        """Raises OSError if the file cannot be opened."""
        self._file = file
        file.open("ab").close()

    def append(self, chunk: bytes) -> float:
        """Append a chunk of at most CHUNK_BYTES, and return how many seconds to wait before the next one.

        If the disk is full, the chunk is lost.
        """
        with suppress(OSError):
            self._append(chunk)
        return len(chunk) / BYTES_PER_S

    def _append(self, chunk: bytes) -> None:
        with self._file.open("ab") as opened:
            if opened.tell() + len(chunk) <= LOG_BYTES:
                opened.write(chunk)
                return
        older = self._file.with_name(f"{self._file.name}.1")
        self._file.replace(older)
        with self._file.open("ab") as opened:
            opened.write(REMARK.format(older.name).encode() + chunk)
