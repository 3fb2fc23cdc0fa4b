"""When the token expires by which a stream was opened."""

from collections.abc import Callable

from referee.app.ports import Alarm, Time
from referee.app.tokens import Token
from referee.core.clock import MS


class Expiry:
    """Rings when the token is good for nothing any more, unless it is stopped before."""

    def __init__(self, token: Token, time: Time, ring: Callable[[], None]) -> None:
        self._expires_ms = token.expires_ms
        self._time = time
        self._ring = ring
        self._alarm: Alarm | None = None
        self._look()

    def stop(self) -> None:
        if self._alarm:
            self._alarm.cancel()

    def _look(self) -> None:
        """The alarm may ring early, and the wall clock, by which tokens expire, may be set."""
        if self._expires_ms is None:
            return
        left_ms = self._expires_ms - self._time.wall_ms()
        if left_ms <= 0:
            self._ring()
        else:
            self._alarm = self._time.call_at(self._time.monotonic_us() + left_ms * MS, self._look)
