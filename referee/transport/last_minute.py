"""How often something happened in the last minute, to the second."""

from collections import deque

from referee.core.clock import SECOND, Micros

SECONDS = 60


class LastMinute:
    def __init__(self) -> None:
        self._seconds: deque[list[int]] = deque()
        """Each second in which it happened, and how often."""

    def note(self, now_us: Micros) -> None:
        """It happens."""
        second = now_us // SECOND
        if self._seconds and self._seconds[-1][0] == second:
            self._seconds[-1][1] += 1
        else:
            self._forget(second)
            self._seconds.append([second, 1])

    def count(self, now_us: Micros) -> int:
        self._forget(now_us // SECOND)
        return sum(many for _, many in self._seconds)

    def _forget(self, second: int) -> None:
        while self._seconds and self._seconds[0][0] <= second - SECONDS:
            self._seconds.popleft()
