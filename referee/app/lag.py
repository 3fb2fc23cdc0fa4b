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
        self._due_us = self._time.monotonic_us() + EVERY_US
        self._alarm = self._time.call_at(self._due_us, self._rings)

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

    def _rings(self) -> None:
        self._past_us = self.total_us()
        self.start()
