"""The time of one match: microseconds since it was opened, standing still while the referee is down."""

from referee.app.ports import Time
from referee.core.clock import MS, Micros


class MatchTime:
    """It runs from the start. It is stopped while the match's log cannot be written: nobody loses time by that."""

    def __init__(self, time: Time, at_us: Micros) -> None:
        """Go on from `at_us`."""
        self._time = time
        self._opened_us = time.monotonic_us() - at_us
        self._stopped_us: Micros | None = None
        self._went_on_us = at_us
        """When it last began to run."""

    @property
    def stopped(self) -> bool:
        return self._stopped_us is not None

    def at_us(self, monotonic_us: Micros) -> Micros:
        """Match time at a past moment of the machine; if it has stood still since, no earlier than it did."""
        return min(self.now_us(), max(self._went_on_us, monotonic_us - self._opened_us))

    def now_us(self) -> Micros:
        return self._running_us() if self._stopped_us is None else self._stopped_us

    def stop(self) -> None:
        self._stopped_us = self.now_us()

    def down_ms(self) -> int:
        """For how long it has stood still."""
        return (self._running_us() - self.now_us()) // MS

    def go_on(self) -> None:
        self._went_on_us = self.now_us()
        self._opened_us += self._running_us() - self._went_on_us
        self._stopped_us = None

    def monotonic_us(self, at_us: Micros) -> Micros:
        """The moment of the machine at which the match will be at `at_us`, if it is not stopped before."""
        return self._opened_us + at_us

    def _running_us(self) -> Micros:
        return self._time.monotonic_us() - self._opened_us
