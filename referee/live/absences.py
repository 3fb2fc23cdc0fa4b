"""Debounces the absence of bots: short or frequent interruptions are not written to the logs of their matches.

A bot in many matches that reconnects at once would otherwise cause two entries in each of them. An absence is written
once it has lasted for `ABSENCE_DELAY_US`, dated from its beginning. After a written absence the next one is written
at the earliest `MIN_ABSENCE_GAP_US` after the bot came back. Grace periods count from the beginning of the absence.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from referee.live.ports import Time, Timer
from referee.match.clock import SECOND, Micros

ABSENCE_DELAY_US: Micros = SECOND
MIN_ABSENCE_GAP_US: Micros = 10 * SECOND


@dataclass(frozen=True, slots=True)
class Absence:
    since_us: Micros
    due_us: Micros
    """When the absence is written to the logs."""
    timer: Timer


class Absences:
    """Absences of bots that had a session and have none now. Times are monotonic."""

    def __init__(self, time: Time, due: Callable[[str], None]) -> None:
        """`due` is called with each bot whose absence must be written now."""
        self._time = time
        self._due = due
        self._absences: dict[str, Absence] = {}
        self._returned_us: dict[str, Micros] = {}
        """When each bot whose absence was written came back."""

    def update(self, bot: str, online: bool) -> None:
        """Record whether the bot has a session now. Idempotent."""
        if online:
            self._end(bot)
        elif bot not in self._absences:
            now_us = self._time.monotonic_us()
            due_us = max(
                now_us + ABSENCE_DELAY_US, self._returned_us.get(bot, now_us - MIN_ABSENCE_GAP_US) + MIN_ABSENCE_GAP_US
            )
            self._absences[bot] = Absence(now_us, due_us, self._time.call_at(due_us, lambda: self._fall_due(bot)))

    def absent_since_us(self, bot: str) -> Micros | None:
        """Return when the absence of an offline bot began, if it is due to be written; None: not yet."""
        absence, now_us = self._absences.get(bot), self._time.monotonic_us()
        if absence is None:  # It has had no session since this process started.
            return now_us
        return absence.since_us if now_us >= absence.due_us else None

    def _fall_due(self, bot: str) -> None:
        # A timer of the event loop can fire a millisecond early. The absence is due nevertheless: no timer follows.
        self._absences[bot] = replace(self._absences[bot], due_us=self._time.monotonic_us())
        self._due(bot)

    def close(self) -> None:
        for absence in self._absences.values():
            absence.timer.cancel()

    def _end(self, bot: str) -> None:
        absence = self._absences.pop(bot, None)
        if absence is None:
            return
        absence.timer.cancel()
        now_us = self._time.monotonic_us()
        if now_us >= absence.due_us:
            self._returned_us[bot] = now_us
