"""Backoff before a bot reconnects, or a call is retried."""

import math
import random
import time
from collections.abc import Callable

FIRST_S = 0.5
LONGEST_S = 10.0
STABLE_S = 10.0
"""A session that lasts this long from its Welcome resets the backoff."""


class Backoff:
    """Exponential backoff with jitter: half a second, one, two, up to ten.

    It is reset by a session that has lasted for a while, and not by a Welcome alone: otherwise a bot whose own message
    breaks the stream would reconnect at full speed for ever.
    """

    def __init__(
        self, random_number: Callable[[], float] = random.random, now: Callable[[], float] = time.monotonic
    ) -> None:
        """`random_number` returns numbers from 0 to 1, `now` returns seconds."""
        self._random_number = random_number
        self._now = now
        self._next_s = FIRST_S
        self._stable_at = math.inf

    def on_welcome(self) -> None:
        self._stable_at = self._now() + STABLE_S

    def after_failure(self) -> float:
        """Return the pause after a broken session or a failed call, in seconds."""
        if self._now() >= self._stable_at:
            self._next_s = FIRST_S
        self._stable_at = math.inf
        pause_s = self._next_s * (0.5 + self._random_number())
        self._next_s = min(2 * self._next_s, LONGEST_S)
        return pause_s

    def after_draining(self, reconnect_delay_s: float) -> float:
        """Return the pause after draining, in seconds; it is never shorter than the referee requested."""
        return reconnect_delay_s + FIRST_S * self._random_number()
