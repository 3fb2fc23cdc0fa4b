"""Writes the standard output and error of a bot to a log file of limited size."""

import asyncio
import os
from contextlib import suppress
from pathlib import Path

LOG_BYTES = 1 << 20
"""A log of this size is rotated to NAME.log.1."""
CHUNK_BYTES = 1 << 16
BYTES_PER_S = 10 << 20
"""Rate limit: a bot that writes faster blocks, so that its output cannot keep the referee busy."""
TAIL_BYTES = 2_000
REMARK = "(log rotated: earlier output is in {}, older output was deleted)\n"


class BotLogFile:
    """Copies a pipe to a file in a task."""

    def __init__(self, pipe: int, file: Path) -> None:
        """Take ownership of `pipe`, the reading end. Raises OSError if the file cannot be opened."""
        self.tail = b""
        """The end of the output."""
        self._file = file.open("ab")
        self._reading = asyncio.create_task(self._read(pipe))

    async def ended(self, within_s: float) -> None:
        """Wait until everything is read, at most `within_s`: an escaped process may keep the pipe open forever."""
        await asyncio.wait([self._reading], timeout=within_s)
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)

    async def _read(self, pipe: int) -> None:
        reader = asyncio.StreamReader(CHUNK_BYTES)
        with os.fdopen(pipe, "rb") as opened:
            loop = asyncio.get_running_loop()
            transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), opened)
            try:
                while chunk := await reader.read(CHUNK_BYTES):
                    self.tail = (self.tail + chunk)[-TAIL_BYTES:]
                    with suppress(OSError):  # If the disk is full, the bot continues.
                        self._keep(chunk)
                    await asyncio.sleep(len(chunk) / BYTES_PER_S)
            finally:
                transport.close()
                self._file.close()

    def _keep(self, chunk: bytes) -> None:
        if self._file.tell() + len(chunk) > LOG_BYTES:
            name = Path(self._file.name)
            older = name.with_name(f"{name.name}.1")
            name.replace(older)
            self._file.close()
            self._file = name.open("ab")
            self._file.write(REMARK.format(older.name).encode())
        self._file.write(chunk)
        self._file.flush()
