"""How late the event loop is: the stall of this process that no bot can help.

An alarm is set every few milliseconds, and how late it rings is added up. A stall that is still going on
counts too, so that the first thing that is done after it knows of it already, also before the alarm does.
"""

from referee.app.ports import Alarm, Time
from referee.core.clock import MS, Micros

EVERY_US = 10 * MS
GRAIN_US = 5 * MS
"""Less is no stall: that is how late the alarms of an idle machine ring."""


class Lag:
    """For one event loop. It measures from `start` to `stop`."""

    def __init__(self, time: Time) -> None:
        self._time = time
        self._past_us: Micros = 0
        self._due_us: Micros | None = None
        self._alarm: Alarm | None = None

    def start(self) -> None:
        self._ring_in(EVERY_US)

    def stop(self) -> None:
        if self._alarm:
            self._alarm.cancel()
        self._past_us, self._due_us, self._alarm = self.total_us(), None, None

    def total_us(self) -> Micros:
        """All stalls so far, the present one included. Between two moments it grows by the stall between them."""
        return self._past_us + self._late_us()

    def _late_us(self) -> Micros:
        late_us = 0 if self._due_us is None else self._time.monotonic_us() - self._due_us
        return late_us if late_us > GRAIN_US else 0

    def _ring_in(self, us: Micros) -> None:
        self._due_us = self._time.monotonic_us() + us
        self._alarm = self._time.call_at(self._due_us, self._rings)

    def _rings(self) -> None:
        late_us = self._late_us()
        self._past_us += late_us
        # A loop that is late is busy. Who waits for it waits for whole rounds of it, and so they are counted whole.
        self._ring_in(0 if late_us else EVERY_US)
