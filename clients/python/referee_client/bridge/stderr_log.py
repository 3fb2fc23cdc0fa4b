"""Standard error of a program: it is always read, but only a limited amount is stored for each match."""

import asyncio
import re
import sys
from contextlib import suppress
from pathlib import Path

from referee_client.errors import Misconfigured

MAX_BYTES = 1 << 20
"""Limit of each file."""
CHUNK_BYTES = 1 << 16
TRUNCATED = b"\n(truncated by the bridge)\n"
BETWEEN_MATCHES = "between-matches"
"""File name for what is written while no match is being played."""
TAIL_BYTES = 2_000
TAIL_LINES = 5


class StderrLog:
    """Stores the standard error of one program."""

    def __init__(self, folder: Path | None) -> None:
        """`folder`: where the files are written; None: everything goes to the standard error of the bridge."""
        self._folder = folder
        self._file_name = BETWEEN_MATCHES
        self._stored_bytes: dict[str, int] = {}
        """Number of bytes stored, by file name."""
        self._tail = b""

    def start_match(self, match_id: str, seat: int) -> None:
        """Assign what the program writes from now on to this match."""
        self._file_name = _file_name(match_id, seat)

    def end_match(self, match_id: str, seat: int) -> None:
        """Stop assigning output to this match, which has ended."""
        self._stored_bytes.pop(_file_name(match_id, seat), None)
        self._file_name = BETWEEN_MATCHES

    def last_lines(self) -> list[str]:
        """Return the last lines that were written, printable characters only."""
        lines = self._tail.decode(errors="replace").splitlines()[-TAIL_LINES:]
        return ["".join(char for char in line if char.isprintable()) for line in lines]

    async def read(self, stderr: asyncio.StreamReader) -> None:
        """Read until the program closes its standard error."""
        while chunk := await stderr.read(CHUNK_BYTES):
            self._tail = (self._tail + chunk)[-TAIL_BYTES:]
            with suppress(OSError):  # Keep reading after a write error such as a full disk, or the program would block.
                self._store(chunk)

    def _store(self, chunk: bytes) -> None:
        stored = self._stored_bytes.get(self._file_name, 0)
        room = MAX_BYTES - stored
        if room <= 0:
            return
        self._stored_bytes[self._file_name] = stored + len(chunk)
        self._write(chunk if len(chunk) < room else chunk[:room] + TRUNCATED)

    def _write(self, chunk: bytes) -> None:
        if self._folder is None:
            sys.stderr.buffer.write(chunk)
            sys.stderr.buffer.flush()
            return
        with (self._folder / f"{self._file_name}.log").open("ab") as file:
            file.write(chunk)


class SharedStderrLog(StderrLog):
    """Appends the standard error of all matches to one file, which others may write to as well."""

    def __init__(self, file: Path | None) -> None:
        """`file`: None drops everything."""
        super().__init__(None)
        self._file = file

    def _write(self, chunk: bytes) -> None:
        if self._file:
            with self._file.open("ab") as file:
                file.write(chunk)


def create_stderr_log(folder: Path | None) -> StderrLog:
    """Return a log that writes into this folder. Raises Misconfigured if the folder cannot be created."""
    try:
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Misconfigured(f"standard error cannot be stored in the folder {folder}: {error.strerror}") from None
    return StderrLog(folder)


def _file_name(match_id: str, seat: int) -> str:
    """Return a name that is valid as a file name for every match id."""
    return f"{re.sub(r'[^A-Za-z0-9._-]', '_', match_id)}-seat{seat}"
