"""How long the pairings of a tournament have waited for absent entrants.

Only time that was observed counts. After a restart, a drain or a failure every wait begins anew, and a step of the
worker adds no more than `MAX_STEP_US`, however long the process was stopped before it: nobody is absent for a fault of
the server.
"""

from collections.abc import Collection

from referee.match.clock import SECOND, Micros

MAX_STEP_US: Micros = 10 * SECOND
"""Interval of the worker's steps while it waits for absent entrants."""

Absence = tuple[str, int, str]
"""Id of a pairing, its board if it is one of teams (else 0), and an entrant that it waits for."""


class AbsenceTimer:
    def __init__(self) -> None:
        self._waited_us: dict[Absence, Micros] = {}
        """Time for which each was absent; other absences of an open pairing are kept, so that they add up."""
        self._absent: Collection[Absence] = ()
        """Absences at the last update."""
        self._updated_us: Micros = 0

    def restart(self) -> None:
        """Let every wait begin anew."""
        self._waited_us.clear()
        self._absent = ()

    def update(self, absent: Collection[Absence], now_us: Micros) -> None:
        """Add the time since the last update to those that were absent then and still are."""
        step_us = min(now_us - self._updated_us, MAX_STEP_US)
        for absence in self._absent:
            if absence in absent:
                self._waited_us[absence] = self._waited_us.get(absence, 0) + step_us
        self._absent, self._updated_us = absent, now_us

    def waited_us(self, absence: Absence) -> Micros:
        return self._waited_us.get(absence, 0)

    def ends_us(self, no_show_us: Micros) -> dict[str, Micros]:
        """Return when the first wait of each pairing ends if those that were absent at the last update do not come."""
        ends: dict[str, Micros] = {}
        for absence in self._absent:
            end_us = self._updated_us + no_show_us - self.waited_us(absence)
            ends[absence[0]] = min(end_us, ends.get(absence[0], end_us))
        return ends

    def forget(self, pairing: str, board: int = 0) -> None:
        """Drop the waits of a pairing, or of a board of teams, that has ended."""
        self._waited_us = {key: waited for key, waited in self._waited_us.items() if key[:2] != (pairing, board)}
        self._absent = [absence for absence in self._absent if absence[:2] != (pairing, board)]
