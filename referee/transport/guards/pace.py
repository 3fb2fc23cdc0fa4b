"""Pace of calls: evenly spread over a minute, with bursts; and the pace of calls from each address."""

from collections import OrderedDict

from referee.live.ports import Time
from referee.match.clock import MS, SECOND, Micros
from referee.transport.wire.wire_errors import TooManyCalls

MINUTE_US: Micros = 60 * SECOND
BURST = 10
"""A tenth of the calls per minute may come at once."""
MAX_ADDRESSES = 10_000
"""Addresses whose calls are remembered; beyond it, the one that has not called for the longest time is forgotten."""


class Pace:
    """The calls of one caller."""

    __slots__ = ("free_us",)

    def __init__(self) -> None:
        self.free_us: Micros = 0
        """Time at which all calls so far would have been made, had they been spread evenly."""

    def count_call(self, per_minute: int, now_us: Micros) -> None:
        """Count one call. Raises TooManyCalls, and then it is not counted."""
        interval_us = MINUTE_US // per_minute
        ahead_us = max(self.free_us, now_us) + interval_us - now_us
        burst_us = max(interval_us, MINUTE_US // BURST)
        if ahead_us > burst_us:
            raise TooManyCalls(per_minute, max(1, (ahead_us - burst_us) // MS))
        self.free_us = now_us + ahead_us


class AddressPace:
    """Limits the calls per minute of each address, for calls that need no token."""

    def __init__(self, per_minute: int, time: Time) -> None:
        self._per_minute = per_minute
        self._time = time
        self._paces: OrderedDict[str, Pace] = OrderedDict()
        """By address, the one that called last at the end."""

    def count_call(self, address: str) -> None:
        """Count one call of an address. Raises TooManyCalls."""
        pace = self._paces.setdefault(address, Pace())
        self._paces.move_to_end(address)
        if len(self._paces) > MAX_ADDRESSES:
            self._paces.popitem(last=False)
        pace.count_call(self._per_minute, self._time.monotonic_us())
