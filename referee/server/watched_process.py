"""Child processes that run as long as the server, and are started again when they end.

Each can tell by the end of its standard input that the server was killed.
"""

import asyncio
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from subprocess import DEVNULL

import structlog

from referee.live.child_process import ChildProcess

RESTART_PAUSE_S = 1.0
PATIENCE_S = 15.0
"""Time after which a program that hangs, or does not end when it should, is killed."""

log = structlog.get_logger("referee")


class WatchedProcess:
    """Keeps a program running from its creation to `close`."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        fds: Sequence[int],
        first_line: bytes = b"",
        restart_pause_s: float = RESTART_PAUSE_S,
        is_hanging: Callable[[], bool] = lambda: False,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """`name`: as the log calls it. `fds`: what it inherits. `first_line`: the beginning of its standard input.

        `is_hanging` is called again and again while it runs.
        """
        self._name = name
        self._command = command
        self._fds = fds
        self._first_line = first_line
        self._restart_pause_s = restart_pause_s
        self._is_hanging = is_hanging
        self._patience_s = patience_s
        self._keeping = asyncio.create_task(self._keep())

    async def close(self) -> None:
        """End its standard input, send SIGTERM, and wait until it has ended."""
        self._keeping.cancel()
        await asyncio.wait([self._keeping])

    async def _keep(self) -> None:
        while True:
            try:
                log.error(f"{self._name} has ended; it is started again", status=await self._run())
            except Exception as why:  # Whatever it is, the next start may succeed.
                log.error(f"{self._name} cannot be started yet", exc_info=why)
            await asyncio.sleep(self._restart_pause_s)

    async def _run(self) -> int:
        """Start it, and return its exit status when it has ended; end it if this is cancelled. Raises OSError."""
        its_end, our_end = os.pipe()
        with os.fdopen(our_end, "wb", buffering=0) as pipe:
            # Before the start, when nobody can have closed the other end; the pipe has room for much more.
            pipe.write(self._first_line)
            try:
                process = ChildProcess(self._command, its_end, DEVNULL, self._fds)
            finally:
                os.close(its_end)
            try:
                while (status := await self._status(process)) is None:
                    if self._is_hanging():
                        log.error(f"{self._name} hangs, and is killed")
                        process.kill()
                return status
            finally:
                pipe.close()
                process.terminate()
                if await self._status(process) is None:
                    process.kill()
                    await process.wait()

    async def _status(self, process: ChildProcess) -> int | None:
        """Return the exit status if it ends in time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience_s):
                return await process.wait()
        return None
