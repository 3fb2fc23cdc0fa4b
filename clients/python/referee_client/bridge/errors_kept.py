"""Standard error of a program: it is always read, but only a limited amount is kept for each match."""

import asyncio
import re
import sys
from contextlib import suppress
from pathlib import Path

MAX_BYTES = 1 << 20
"""Limit of each file."""
PIECE_BYTES = 1 << 16
CUT = b"\n(the bridge keeps no more of this)\n"
BETWEEN = "between-matches"
LAST_BYTES = 2_000
LAST_LINES = 5


class ErrorsKept:
    """Keeps the standard error of one program."""

    def __init__(self, folder: Path | None) -> None:
        """`folder`: where the files are written; None: everything goes to the standard error of the bridge."""
        self._folder = folder
        self._about = BETWEEN
        self._kept: dict[str, int] = {}
        """Number of bytes kept, by file name."""
        self._last = b""

    def about(self, match_id: str, seat: int) -> None:
        """Assign what the program writes from now on to this match."""
        self._about = _name(match_id, seat)

    def over(self, match_id: str, seat: int) -> None:
        """Stop assigning output to this match, which has ended."""
        self._kept.pop(_name(match_id, seat), None)
        self._about = BETWEEN

    def last_lines(self) -> list[str]:
        """Return the last lines that were written, printable characters only."""
        lines = self._last.decode(errors="replace").splitlines()[-LAST_LINES:]
        return ["".join(char for char in line if char.isprintable()) for line in lines]

    async def drain(self, errors: asyncio.StreamReader) -> None:
        """Read until the program closes its standard error."""
        while piece := await errors.read(PIECE_BYTES):
            self._last = (self._last + piece)[-LAST_BYTES:]
            with suppress(OSError):  # Keep reading after a write error such as a full disk, or the program would block.
                self._keep(piece)

    def _keep(self, piece: bytes) -> None:
        kept = self._kept.get(self._about, 0)
        room = MAX_BYTES - kept
        if room <= 0:
            return
        self._kept[self._about] = kept + len(piece)
        self._write(piece if len(piece) < room else piece[:room] + CUT)

    def _write(self, piece: bytes) -> None:
        if self._folder is None:
            sys.stderr.buffer.write(piece)
            sys.stderr.buffer.flush()
            return
        with (self._folder / f"{self._about}.log").open("ab") as file:
            file.write(piece)


def _name(match_id: str, seat: int) -> str:
    """Return a name that is valid as a file name for every match id."""
    return f"{re.sub(r'[^A-Za-z0-9._-]', '_', match_id)}-seat{seat}"
