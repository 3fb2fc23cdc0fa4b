"""Log lines about what others on the bus cause, as often as they like: at most one line a minute."""

import time
from collections.abc import Callable

import structlog

log = structlog.get_logger("referee.cluster.bus")

INTERVAL_S = 60


class LimitedLog:
    """Writes at most one warning a minute, and says in the next one how many were left out."""

    def __init__(self, monotonic_s: Callable[[], float] = time.monotonic) -> None:
        self._monotonic_s = monotonic_s
        self._next_s = monotonic_s()
        self._left_out = 0

    def warning(self, event: str, **fields: object) -> None:
        now_s = self._monotonic_s()
        if now_s < self._next_s:
            self._left_out += 1
            return
        log.warning(event, **fields, left_out=self._left_out)
        self._next_s = now_s + INTERVAL_S
        self._left_out = 0
