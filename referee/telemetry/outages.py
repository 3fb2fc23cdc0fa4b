"""When the log of the matches cannot be written: heard of once when that begins, and once when it is over."""

from collections.abc import Callable

Outage = Callable[[str], None]
"""Is told why the log cannot be written; empty: it can again."""


def untold(_: str) -> None:
    """There is nobody to tell."""


class Outages:
    def __init__(self, outage: Outage) -> None:
        self._outage = outage
        self._away = False

    def failed(self, why: str) -> None:
        if not self._away:
            self._away = True
            self._outage(why)

    def written(self) -> None:
        if self._away:
            self._away = False
            self._outage("")
