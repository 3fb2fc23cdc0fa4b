"""When the absence of a bot is written into its matches: after a moment, and not too often.

A bot in many matches that loses its connection and comes back at once would otherwise have two entries written in
each of them, for one call. Its absence is written once it has lasted for `WRITTEN_AFTER_US`, as of when it began;
and if one was written shortly before, only `APART_US` after the bot came back from that. Where it matters, in
grace periods, it counts from its beginning.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from referee.app.ports import Alarm, Time
from referee.core.clock import SECOND, Micros

WRITTEN_AFTER_US: Micros = SECOND
APART_US: Micros = 10 * SECOND


@dataclass(frozen=True, slots=True)
class Absence:
    since_us: Micros
    due_us: Micros
    """When it is written."""
    alarm: Alarm


class Absences:
    """Absences of bots that had a session and have none now. Times are monotonic."""

    def __init__(self, time: Time, due: Callable[[str], None]) -> None:
        """`due` is told the bot whose absence is to be written now."""
        self._time = time
        self._due = due
        self._absences: dict[str, Absence] = {}
        self._returned_us: dict[str, Micros] = {}
        """When those whose absence was written came back."""

    def note(self, bot: str, here: bool) -> None:
        """The bot has a session, or it has none. To say so again is no fault."""
        if here:
            self._ends(bot)
        elif bot not in self._absences:
            now_us = self._time.monotonic_us()
            due_us = max(now_us + WRITTEN_AFTER_US, self._returned_us.get(bot, now_us - APART_US) + APART_US)
            self._absences[bot] = Absence(now_us, due_us, self._time.call_at(due_us, lambda: self._fall_due(bot)))

    def written_from(self, bot: str) -> Micros | None:
        """When the absence of a bot that is not here began, if it is to be written; None: not yet."""
        absence, now_us = self._absences.get(bot), self._time.monotonic_us()
        if absence is None:  # It was not here since this process began.
            return now_us
        return absence.since_us if now_us >= absence.due_us else None

    def _fall_due(self, bot: str) -> None:
        # A timer of the event loop can ring a millisecond early. The absence is due all the same: nothing rings again.
        self._absences[bot] = replace(self._absences[bot], due_us=self._time.monotonic_us())
        self._due(bot)

    def close(self) -> None:
        for absence in self._absences.values():
            absence.alarm.cancel()

    def _ends(self, bot: str) -> None:
        absence = self._absences.pop(bot, None)
        if absence is None:
            return
        absence.alarm.cancel()
        now_us = self._time.monotonic_us()
        if now_us >= absence.due_us:
            self._returned_us[bot] = now_us
