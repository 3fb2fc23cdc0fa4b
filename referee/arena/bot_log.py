"""What a bot writes on its standard output and error: kept in a file of bounded size."""

import asyncio
import os
from contextlib import suppress
from pathlib import Path

LOG_BYTES = 1 << 20
"""A log that has grown to this becomes NAME.log.1, in place of the one before."""
CHUNK_BYTES = 1 << 16
BYTES_PER_S = 10 << 20
"""A bot that writes faster waits, so that reading its output never keeps the referee busy."""
TAIL_BYTES = 2_000
REMARK = "(what was written before is in {}; what was before that has been dropped)\n"


class BotLog:
    """Reads a pipe to its end, in a task of its own."""

    def __init__(self, pipe: int, file: Path) -> None:
        """Takes over `pipe`, the reading end. Raises OSError if the file cannot be written."""
        self.tail = b""
        """The last that was written."""
        self._file = file.open("ab")
        self._reading = asyncio.create_task(self._read(pipe))

    async def ended(self, within_s: float) -> None:
        """Everything has been read. A process that escaped may keep the pipe open for ever: `within_s`, no longer."""
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
                    with suppress(OSError):  # The disk is full: the bot plays on.
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
