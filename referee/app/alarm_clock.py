"""One alarm for all deadlines of a match. It rings in time for the next one, and may ring too early.

Deadlines move on with every move, mostly away; an alarm that rings too early, finds nothing due and is
set again costs less than one that is taken back and set anew with every move.
"""

from collections.abc import Callable

from referee.app.ports import Alarm, Time
from referee.core.clock import Micros


class AlarmClock:
    def __init__(self, time: Time, ring: Callable[[], None]) -> None:
        self._time = time
        self._ring = ring
        self._alarm: Alarm | None = None
        self._at_us: Micros = 0

    def set(self, at_us: Micros | None) -> None:
        """Ring at that moment of the machine, or before. None: there is nothing to ring for."""
        if at_us is None:
            self.stop()
        elif self._alarm is None or at_us < self._at_us:
            self.stop()
            self._alarm, self._at_us = self._time.call_at(at_us, self._ring), at_us

    def rings_by(self, at_us: Micros | None) -> bool:
        """Will it ring at that moment of the machine at the latest? None: need it not ring?"""
        return at_us is None if self._alarm is None else at_us is not None and self._at_us <= at_us

    def stop(self) -> None:
        """Do not ring; or if it has rung: that was heard, and it can be set again."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
