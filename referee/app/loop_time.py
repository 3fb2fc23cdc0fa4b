"""The time of the machine, and alarms that ring on the running event loop."""

import asyncio
import time
from collections.abc import Callable

from referee.app.ports import Alarm
from referee.core.clock import SECOND, Micros


class LoopTime:
    """A Time for any number of event loops."""

    def monotonic_us(self) -> Micros:
        return time.monotonic_ns() // 1_000

    def wall_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def call_at(self, at_us: Micros, ring: Callable[[], None]) -> Alarm:
        # A loop may count from another moment than we do: it is told how long, not when.
        return asyncio.get_running_loop().call_later((at_us - self.monotonic_us()) / SECOND, ring)
