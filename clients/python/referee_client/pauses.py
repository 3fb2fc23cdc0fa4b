"""How long to stay away when a stream has ended."""

import random
from collections.abc import Callable

FIRST_S = 0.5
LONGEST_S = 10.0


class Pauses:
    """Half a second, one, two, up to ten, each times some chance; from the beginning again after a Welcome."""

    def __init__(self, chance: Callable[[], float] = random.random) -> None:
        """`chance` gives numbers from 0 to 1."""
        self._chance = chance
        self._next_s = FIRST_S

    def welcomed(self) -> None:
        self._next_s = FIRST_S

    def after_break(self) -> float:
        """In seconds."""
        pause_s = self._next_s * (0.5 + self._chance())
        self._next_s = min(2 * self._next_s, LONGEST_S)
        return pause_s

    def after_draining(self, return_after_s: float) -> float:
        """In seconds: never earlier than the referee asked for."""
        return return_after_s + FIRST_S * self._chance()
