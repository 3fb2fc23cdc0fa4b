"""What a program writes to its standard error: always read, never too much of it kept, for each match apart."""

import asyncio
import re
import sys
from contextlib import suppress
from pathlib import Path

AT_MOST_BYTES = 1 << 20
"""Of each file."""
PIECE_BYTES = 1 << 16
CUT = b"\n(the bridge keeps no more of this)\n"
BETWEEN = "between-matches"
LAST_BYTES = 2_000
LAST_LINES = 5


class ErrorsKept:
    """For one program."""

    def __init__(self, folder: Path | None) -> None:
        """None: all goes to the bridge's own standard error."""
        self._folder = folder
        self._about = BETWEEN
        self._kept: dict[str, int] = {}
        """How much, by file."""
        self._last = b""

    def about(self, match_id: str, seat: int) -> None:
        """From now on it is this match that the program writes about."""
        self._about = _name(match_id, seat)

    def over(self, match_id: str, seat: int) -> None:
        """The match has ended."""
        self._kept.pop(_name(match_id, seat), None)
        self._about = BETWEEN

    def last_lines(self) -> list[str]:
        """The last that was written, fit to be shown."""
        lines = self._last.decode(errors="replace").splitlines()[-LAST_LINES:]
        return ["".join(char for char in line if char.isprintable()) for line in lines]

    async def drain(self, errors: asyncio.StreamReader) -> None:
        """Until the program closes it."""
        while piece := await errors.read(PIECE_BYTES):
            self._last = (self._last + piece)[-LAST_BYTES:]
            with suppress(OSError):  # As on a full disk. A program that nobody reads any more could not play on.
                self._keep(piece)

    def _keep(self, piece: bytes) -> None:
        kept = self._kept.get(self._about, 0)
        room = AT_MOST_BYTES - kept
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
    """As a file may be called, whatever the referee calls its matches."""
    return f"{re.sub(r'[^A-Za-z0-9._-]', '_', match_id)}-seat{seat}"
