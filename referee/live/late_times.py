"""The last times at which something was late, so that lag is known as of a moment that has passed."""

from collections import deque
from collections.abc import Mapping
from typing import NamedTuple

from referee.match.clock import Micros

MAX_TIMES = 256
"""How many are kept: more than pass while a message is on its way."""


class LateTime(NamedTuple):
    """An interval in which something was late."""

    from_us: Micros
    until_us: Micros
    own_us: Mapping[str, Micros]
    """CPU time that was charged to each holder."""

    def after(self, at_us: Micros, holder: str) -> tuple[Micros, Micros]:
        """Return how much of it came after that moment, and how much of that the holder has caused."""
        late_us = max(0, self.until_us - max(self.from_us, at_us))
        return late_us, min(late_us, self.own_us.get(holder, 0))


class LateTimes:
    def __init__(self) -> None:
        self._times: deque[LateTime] = deque(maxlen=MAX_TIMES)

    def add(self, time: LateTime) -> None:
        self._times.append(time)

    def after(self, at_us: Micros, holder: str = "") -> tuple[Micros, Micros]:
        """Return the sums of `LateTime.after`."""
        late_us = own_us = 0
        for time in reversed(self._times):
            if time.until_us <= at_us:
                break
            more_us, more_own_us = time.after(at_us, holder)
            late_us, own_us = late_us + more_us, own_us + more_own_us
        return late_us, own_us
