"""A referee that serves from a thread of the test's own process, so that a test can read its counters."""

import asyncio
import threading
import time
from typing import Any

from referee.settings.declared import Settings
from referee.wiring.house import House
from tests.e2e.server import WITHIN_S


class InThread:
    """Serves until `close`."""

    def __init__(self, settings: Settings) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._house = self.within(self._made(settings))
        self.open: Any = self.within(self._house.open())
        """An `Open`; it stands where a `Running` is expected, of which a club needs the token only."""

    def within(self, work: Any) -> Any:
        """The result of a coroutine that runs on the referee's event loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(WITHIN_S)

    def cpu_s(self) -> float:
        """CPU time that the thread of the event loop has used."""

        async def used() -> float:
            return time.thread_time()

        return float(self.within(used()))

    def close(self) -> None:
        self._house.go(grace_us=0)
        self.within(self._house.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(WITHIN_S)
        self._loop.close()

    async def _made(self, settings: Settings) -> House:
        return House(settings)
