"""Measures how late the front door is, which no bot is responsible for.

The door sends a beat every few milliseconds. While none comes it may be suspended, starved or gone, and what bots send
or should get waits there. A lost door counts as late until another one is there and bots have had time to come back.
"""

from collections.abc import Callable

from referee.live.late_times import LateTime, LateTimes
from referee.live.ports import Time
from referee.match.clock import MS, SECOND, Micros

BEAT_US = 50 * MS
"""Interval of beats."""
MIN_LATE_US = 20 * MS
"""Less is ignored: beats of a busy machine come that late."""
RETURN_US = SECOND
"""Time in which bots come back after a door was lost."""


class DoorLag:
    """The lag of the door of one server, from the first door on."""

    def __init__(self, time: Time, loop_us: Callable[[Micros], Micros]) -> None:
        """`loop_us` returns all lag of the event loop until then, during which beats wait for it."""
        self._time = time
        self._loop_us = loop_us
        self._past_us: Micros = 0
        self._late_times = LateTimes()
        self._due_us: Micros | None = None
        """When the next beat is due; None: no door is expected."""
        self._loop_at_beat_us: Micros = 0

    def total_us(self, now_us: Micros) -> Micros:
        """Return all lag so far."""
        return self._past_us + self.late_us(now_us)

    def so_far_us(self) -> Micros:
        """Return all lag until now."""
        return self.total_us(self._time.monotonic_us())

    def late_us(self, now_us: Micros) -> Micros:
        """Return for how long no beat has come that was due."""
        if self._due_us is None or now_us - self._due_us <= MIN_LATE_US:
            return 0
        return max(0, now_us - self._due_us - (self._loop_us(now_us) - self._loop_at_beat_us))

    def after(self, at_us: Micros, now_us: Micros) -> Micros:
        """Return the lag that has come after a moment."""
        late_us, _ = self._late_times.after(at_us)
        return late_us + min(self.late_us(now_us), now_us - at_us)

    def connect(self) -> None:
        """Expect beats of a door that is there from now on."""
        lost = self._due_us is not None
        self.beat()
        if lost:
            self._past_us += RETURN_US

    def beat(self) -> None:
        now_us = self._time.monotonic_us()
        if late_us := self.late_us(now_us):
            self._past_us += late_us
            self._late_times.add(LateTime(now_us - late_us, now_us, {}))
        self._due_us, self._loop_at_beat_us = now_us + BEAT_US, self._loop_us(now_us)
