"""Child processes of the server, which are started and awaited without the means of its event loop.

uvloop runs Python code in the child between its fork and the start of the program. Next to the threads of gRPC, such a
child sometimes dies of a segmentation fault. `subprocess` runs none there.
"""

import asyncio
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress


class ChildProcess:
    def __init__(self, command: Sequence[str], stdin: int, stdout: int, pass_fds: Sequence[int] = ()) -> None:
        """Start a program in a session of its own, so that Ctrl-C does not reach it. Raises OSError.

        `stdin` and `stdout` are descriptors, or constants of `subprocess`.
        """
        self._process = subprocess.Popen(command, stdin=stdin, stdout=stdout, pass_fds=pass_fds, start_new_session=True)
        self._ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._wait, args=(loop,), name="wait for child", daemon=True).start()

    @property
    def status(self) -> int | None:
        """Exit status; negative for a signal, None while it is running."""
        return self._process.returncode

    def terminate(self) -> None:
        """Send SIGTERM, unless it has ended."""
        self._process.terminate()

    def kill(self) -> None:
        """Send SIGKILL, unless it has ended."""
        self._process.kill()

    async def wait(self) -> int:
        """Return the exit status once it has ended."""
        await self._ended.wait()
        return self._process.returncode

    def _wait(self, loop: asyncio.AbstractEventLoop) -> None:
        self._process.wait()
        with suppress(RuntimeError):  # The loop is closed: nobody waits any more.
            loop.call_soon_threadsafe(self._ended.set)
