"""Pauses before a bot reconnects."""

import math
import random
import time
from collections.abc import Callable

FIRST_S = 0.5
LONGEST_S = 10.0
STABLE_S = 10.0
"""A session that lasts this long from its Welcome resets the backoff."""


class Pauses:
    """Exponential backoff with jitter: half a second, one, two, up to ten.

    It is reset by a session that has lasted for a while, and not by a Welcome alone: otherwise a bot whose own message
    breaks the stream would reconnect at full speed for ever.
    """

    def __init__(self, chance: Callable[[], float] = random.random, now: Callable[[], float] = time.monotonic) -> None:
        """`chance` returns numbers from 0 to 1, `now` returns seconds."""
        self._chance = chance
        self._now = now
        self._next_s = FIRST_S
        self._stable_at = math.inf

    def welcomed(self) -> None:
        self._stable_at = self._now() + STABLE_S

    def after_break(self) -> float:
        """Return the pause after a broken session, in seconds."""
        if self._now() >= self._stable_at:
            self._next_s = FIRST_S
        self._stable_at = math.inf
        pause_s = self._next_s * (0.5 + self._chance())
        self._next_s = min(2 * self._next_s, LONGEST_S)
        return pause_s

    def after_draining(self, return_after_s: float) -> float:
        """Return the pause after draining, in seconds; it is never shorter than the referee asked for."""
        return return_after_s + FIRST_S * self._chance()
