"""Estimates the network round trip of a bot."""

from referee.match.clock import SECOND, Micros

WINDOW_US: Micros = 300 * SECOND
"""A measurement counts for at least this long, and at most twice as long."""


class NetworkPath:
    """Estimates the network round trip of a bot as the minimum over the last minutes.

    A bot can only add to what the network takes, so the minimum is closest to the truth, and answering pings late gains
    nothing. It belongs to the bot, so a new connection does not reset it.
    """

    def __init__(self) -> None:
        self._least_us: Micros | None = None
        self._least_before_us: Micros | None = None
        """Minimum of the window before the current one."""
        self._window = 0
        self.round_trip_us: Micros = 0
        """Estimated round trip; 0: unknown."""

    def record_ping(self, us: Micros, now_us: Micros) -> None:
        window = now_us // WINDOW_US
        if window != self._window:
            self._least_before_us = self._least_us if window == self._window + 1 else None
            self._least_us, self._window = None, window
        self._least_us = us if self._least_us is None else min(self._least_us, us)
        before_us = self._least_before_us
        self.round_trip_us = self._least_us if before_us is None else min(self._least_us, before_us)
