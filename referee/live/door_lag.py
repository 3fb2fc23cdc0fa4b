"""Measures how late front doors are, which no bot is responsible for.

A door sends a beat every few milliseconds. While none comes it may be suspended, starved or gone, and what bots send
or should get waits there. The lag of the server's own door is everybody's: a lost one counts as late until another one
is there. That of a door on another machine, which may be gone for good, is only of the holders whose bots came through
it, and ends when the door is lost. After both, bots get time to come back. A holder gets the lag of each of its doors.
"""

from collections import Counter, deque
from collections.abc import Callable
from math import inf

from referee.live.late_times import LateTime, LateTimes
from referee.live.ports import Time
from referee.match.clock import MS, SECOND, Micros

BEAT_US = 50 * MS
"""Interval of beats."""
MIN_LATE_US = 20 * MS
"""Less is ignored: beats of a busy machine come that late."""
RETURN_US = SECOND
"""Time in which bots come back after a door was lost."""
RECENT_BEATS = 200
"""Beats from which the clock of another machine is known: the fewer, the less the clocks drift apart meanwhile."""
UNKNOWN_US: Micros = 1 << 62
"""Offset of a clock that is not known: nothing arrives later than now."""


class Door:
    """A door whose beats are expected."""

    def __init__(self, holders: set[str] | None = None) -> None:
        """`holders`: those whose bots have come through this door of another machine; None: everybody's own door."""
        self.holders = holders
        self.due_us: Micros | None = None
        """When the next beat is due; None: none is expected."""
        self.loop_at_beat_us: Micros = 0
        self.late_times = LateTimes()
        self.offset_us: Micros = 0 if holders is None else UNKNOWN_US
        """What is added to times of the door's clock. It includes the least time that a beat takes."""
        self._offsets: deque[Micros] = deque(maxlen=RECENT_BEATS)

    def serves(self, holder: str) -> bool:
        return self.holders is None or holder in self.holders

    def add_holder(self, holder: str) -> None:
        if self.holders is not None:
            self.holders.add(holder)

    def compare_clocks(self, offset_us: Micros, anew: bool) -> None:
        """Learn the time from a beat's sending to its arrival, by the clocks of both. `anew`: forget earlier beats."""
        if self.holders is None:  # The clock is the same.
            return
        if anew:
            self._offsets.clear()
        self._offsets.append(offset_us)
        self.offset_us = min(self._offsets)


class DoorLag:
    """The lag of all doors of one server."""

    def __init__(
        self, time: Time, loop_us: Callable[[Micros], Micros], on_growth: Callable[[], None] = lambda: None
    ) -> None:
        """`loop_us` returns all lag of the event loop until then, during which beats wait for it.

        `on_growth` is called when there is more lag of the past.
        """
        self._time = time
        self._loop_us = loop_us
        self.own = Door()
        self._doors = [self.own]
        self._past_us: Micros = 0
        self._remote_us: Micros = 0
        """The part of that which came from doors on other machines."""
        self._credited_us: Counter[str] = Counter()
        """The part of that for each holder."""
        self._on_growth = on_growth
        self.late_after_us: float = inf
        """When a door counts as late if not all beats have come by then."""

    def read(self, holder: str, now_us: Micros) -> tuple[Micros, Micros]:
        """Return all lag so far, and the part of it that is of doors which the bots of this holder do not use."""
        all_us, foreign_us = self._past_us, self._remote_us - self._credited_us.get(holder, 0)
        for door in self._doors if now_us > self.late_after_us else ():
            late_us = self.late_us(door, now_us)
            all_us += late_us
            foreign_us += 0 if door.serves(holder) else late_us
        return all_us, foreign_us

    def so_far_us(self) -> Micros:
        """Return all lag until now."""
        return self.read("", self._time.monotonic_us())[0]

    def late_us(self, door: Door, now_us: Micros) -> Micros:
        """Return for how long no beat has come that was due."""
        if door.due_us is None or now_us - door.due_us <= MIN_LATE_US:
            return 0
        return max(0, now_us - door.due_us - (self._loop_us(now_us) - door.loop_at_beat_us))

    def after(self, holder: str, at_us: Micros, now_us: Micros) -> Micros:
        """Return the lag of the doors of this holder that has come after a moment."""
        after_us, in_time = 0, now_us <= self.late_after_us
        for door in self._doors:
            if door.holders is None or holder in door.holders:
                after_us += door.late_times.after(at_us)[0]
                after_us += 0 if in_time else min(self.late_us(door, now_us), now_us - at_us)
        return after_us

    def connect(self, door: Door) -> None:
        """Expect beats of a door that is there from now on."""
        lost = door.due_us is not None
        if door is not self.own:
            self._doors.append(door)
        self._expect(door)
        if lost:
            self._add(door, RETURN_US)

    def beat(self, door: Door, sent_us: Micros) -> None:
        """Note a beat, which was sent at that time of the door's clock."""
        late_us = self._expect(door)
        door.compare_clocks(self._time.monotonic_us() - sent_us, anew=late_us > 0)

    def lose(self, door: Door) -> None:
        """Expect nothing more of a door on another machine, whose bots come back through another one."""
        self._expect(door)
        self._add(door, RETURN_US)
        self._doors.remove(door)
        self._set_due()

    def is_late(self, door: Door, limit_us: Micros) -> bool:
        return self.late_us(door, self._time.monotonic_us()) > limit_us

    def _expect(self, door: Door) -> Micros:
        """Expect the next beat, and return how late this one was."""
        now_us = self._time.monotonic_us()
        if late_us := self.late_us(door, now_us):
            self._add(door, late_us)
            door.late_times.add(LateTime(now_us - late_us, now_us, {}))
        door.due_us, door.loop_at_beat_us = now_us + BEAT_US, self._loop_us(now_us)
        self._set_due()
        return late_us

    def _set_due(self) -> None:
        due_us = [door.due_us for door in self._doors if door.due_us is not None]
        self.late_after_us = min(due_us, default=inf) + MIN_LATE_US

    def _add(self, door: Door, us: Micros) -> None:
        self._past_us += us
        if door.holders is not None:
            self._remote_us += us
            self._credited_us.update(dict.fromkeys(door.holders, us))
        self._on_growth()
