"""Backoff before a bot reconnects, or a call is retried."""

import math
import random
import time
from collections.abc import Callable

FIRST_S = 0.75
LONGEST_S = 10.0
LONGEST_WITH_OPEN_TURN_S = 3.0
"""Limit while a clock of the bot may run."""
AFTER_DRAINING_S = 0.5
"""The longest time that is added to the delay after draining."""
STABLE_S = 10.0
"""A session that lasts this long from its Welcome resets the backoff."""


class Backoff:
    """Exponential backoff with jitter: a random part of a time that doubles with each failure, but at least a third.

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

    def after_failure(self, has_open_turn: bool = False) -> float:
        """Return the pause after a broken session or a failed call, in seconds."""
        if self._now() >= self._stable_at:
            self._next_s = FIRST_S
        self._stable_at = math.inf
        longest_s = min(self._next_s, LONGEST_WITH_OPEN_TURN_S if has_open_turn else LONGEST_S)
        self._next_s = min(2 * self._next_s, LONGEST_S)
        return longest_s * (1 + 2 * self._random_number()) / 3

    def after_draining(self, reconnect_delay_s: float) -> float:
        """Return the pause after draining, in seconds; it is never shorter than the referee requested."""
        return reconnect_delay_s + AFTER_DRAINING_S * self._random_number()
