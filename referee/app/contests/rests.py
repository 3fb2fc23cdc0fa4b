"""Matches that broke down, and rest before they are tried again: what is broken now may still be in a second."""

from collections import Counter
from collections.abc import Hashable

from referee.core.clock import SECOND, Micros
from referee.core.result import Cause, Result

LONGEST_US: Micros = 60 * SECOND
BROKEN = (Cause.ENGINE_FAULT, Cause.REFEREE_FAULT)


class Rests:
    def __init__(self) -> None:
        self._times: Counter[Hashable] = Counter()
        """How often each broke down."""
        self._until_us: dict[Hashable, Micros] = {}

    def ended(self, what: Hashable, result: Result, now_us: Micros) -> None:
        """If it broke down, it rests: a second at first, then twice as long each time, up to a minute."""
        if result.cause in BROKEN:
            self._until_us[what] = now_us + min(SECOND << min(self._times[what], 10), LONGEST_US)
            self._times[what] += 1

    def until_us(self, what: Hashable, now_us: Micros) -> Micros | None:
        """None: it does not rest."""
        until_us = self._until_us.get(what, now_us)
        return until_us if until_us > now_us else None
