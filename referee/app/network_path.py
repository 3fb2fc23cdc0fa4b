"""How long the network takes to a bot and back: the least that any exchange with it took in the last minutes.

Whatever a bot does beside answering at once can only add to what the network takes, so the least is nearest to the
truth, and a bot that answers some pings late gains nothing by it. The path belongs to the bot and not to a session:
a new connection does not forget it.
"""

from referee.core.clock import SECOND, Micros

WINDOW_US: Micros = 300 * SECOND
"""What is measured counts for so long, and at the most for twice as long."""


class NetworkPath:
    def __init__(self) -> None:
        self._least_us: Micros | None = None
        self._least_before_us: Micros | None = None
        """In the window before this one."""
        self._window = 0

    @property
    def us(self) -> Micros:
        """There and back; 0: nothing is known."""
        known = [us for us in (self._least_us, self._least_before_us) if us is not None]
        return min(known, default=0)

    def ping_took(self, us: Micros, now_us: Micros) -> None:
        window = now_us // WINDOW_US
        if window != self._window:
            self._least_before_us = self._least_us if window == self._window + 1 else None
            self._least_us, self._window = None, window
        self._least_us = us if self._least_us is None else min(self._least_us, us)

    def answer_took(self, us: Micros, now_us: Micros) -> None:
        """From when a turn was asked until its answer arrived. It shows that the path is no longer than that."""
        if us < self.us:
            self.ping_took(max(0, us), now_us)
