"""The clocks of a match as the reference implementation keeps them: plain sums in plain dicts.

Simple controls are simple sums here; byo-yomi, periods and correspondence are left to the controls, which have tables
of their own.
"""

from referee.match.clock import Bank, Bronstein, Clock, Fischer, Hourglass, PerMove, SuddenDeath, Untimed, UsDelay
from referee.match.clock_charge import ClockCharge, TurnMeasurement
from referee.match.state import Match

LIMITED_BY_TIME_LEFT = (SuddenDeath, Fischer, Bronstein, Hourglass)


class ManualClock:
    """Time and network credit that each seat has left."""

    def __init__(self, match: Match) -> None:
        """`match` is a new one."""
        self.controls, self.credit_a_move_us, self.sides = match.controls, match.credit_a_move_us, match.table.sides
        self.clocks = {seat: control.initial_clock() for seat, control in enumerate(self.controls)}
        self.credit = dict(enumerate(match.credit_us))

    def sums(self, seat: int, asked: int, measured: TurnMeasurement) -> tuple[int, int]:
        """Return the charge for an answer, and its network credit."""
        thinking = max(0, measured.arrived_us - asked - measured.stall_us)
        credit = min(measured.network_us, self.credit_a_move_us, self.credit[seat], thinking)
        return thinking - credit, credit

    def limit(self, seat: int) -> int | None:
        """Return how long the seat may take for its move; None means without limit."""
        left = self.clocks[seat].left_us
        match self.controls[seat]:
            case Untimed():
                limit = None
            case PerMove(each):
                limit = each
            case UsDelay(_, free) | Bank(_, free):
                limit = left + free
            case control:
                limit = left if isinstance(control, LIMITED_BY_TIME_LEFT) else control.limit_us(self.clocks[seat])
        return limit

    def is_late(self, seat: int, asked: int, measured: TurnMeasurement) -> bool:
        limit = self.limit(seat)
        return limit is not None and self.sums(seat, asked, measured)[0] > limit

    def charge(self, seat: int, row: ClockCharge) -> None:
        """Check a clock charge, and apply it."""
        charged, credit = self.sums(seat, row.asked_us, row.measured)
        assert (row.charged_us, row.network_credit_us) == (charged, credit)
        assert row.late == self.is_late(seat, row.asked_us, row.measured)
        assert row.before == self.clocks[seat]
        limit = self.limit(seat)
        self._use(seat, charged if limit is None else min(charged, limit))
        self.credit[seat] -= credit
        assert row.after == self.clocks[seat]

    def _use(self, seat: int, used: int) -> None:
        clock = self.clocks[seat]
        match self.controls[seat]:
            case Untimed() | PerMove():
                after = clock
            case SuddenDeath() | Hourglass():
                after = Clock(clock.left_us - used)
            case Fischer(_, given):
                after = Clock(clock.left_us - used + given)
            case Bronstein(_, free) | UsDelay(_, free) | Bank(_, free):
                after = Clock(clock.left_us - max(0, used - free))
            case control:
                after = control.after(clock, used)
        self.clocks[seat] = after
        if isinstance(self.controls[seat], Hourglass):
            self._share(seat, used)

    def _share(self, seat: int, sand: int) -> None:
        others = [other for side in self.sides if seat not in side for other in side]
        for other in others:
            self.clocks[other] = Clock(self.clocks[other].left_us + sand // len(others))
