"""A server in a thread of the test's own process, so that a test can read its counters."""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from referee.server.referee_server import RefereeServer
from referee.server.settings import Settings
from tests.e2e.server import TIMEOUT_S


class ServerThread:
    """Serves until `close` is called."""

    def __init__(self, settings: Settings) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = self.run(self._create(settings))
        self.info: Any = self.run(self._server.open())
        """A `ServerInfo`, used in place of a `ServerProcess`, of which an organiser needs only the token."""

    @classmethod
    @contextmanager
    def serving(cls, settings: Settings) -> Iterator["ServerThread"]:
        """Run a server, which is closed on exit."""
        server = cls(settings)
        try:
            yield server
        finally:
            server.close()

    def run(self, work: Any) -> Any:
        """Run a coroutine on the server's event loop, and return its result."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(TIMEOUT_S)

    def cpu_s(self) -> float:
        """Return the CPU time that the thread of the event loop has used."""

        async def cpu_time() -> float:
            return time.thread_time()

        return float(self.run(cpu_time()))

    def wait_for_failure(self) -> str:
        """Wait until the server stops by itself, and return the reason."""
        self.run(self._server.wait_for_shutdown())
        return str(self._server.failure)

    def close(self) -> None:
        self._server.shutdown(grace_us=0)
        self.run(self._server.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(TIMEOUT_S)
        self._loop.close()

    async def _create(self, settings: Settings) -> RefereeServer:
        return RefereeServer(settings)
