"""The clocks of a match as the second referee keeps them: sums by hand, in plain dicts.

Simple controls are simple sums here; byo-yomi, periods and correspondence are left to the controls,
which have tables of their own.
"""

from referee.core.clock import Bank, Bronstein, Clock, Fischer, Hourglass, PerMove, SuddenDeath, Untimed, UsDelay
from referee.core.row import ClockRow, Measured
from referee.core.setup import Setup

ALL_THAT_IS_LEFT = (SuddenDeath, Fischer, Bronstein, Hourglass)


class TimeByHand:
    """What every seat has left, of time and of network credit."""

    def __init__(self, setup: Setup, sides: tuple[tuple[int, ...], ...]) -> None:
        self.setup, self.sides = setup, sides
        self.clocks = {seat: control.first() for seat, control in enumerate(setup.controls)}
        self.credit = dict.fromkeys(self.clocks, setup.credit.per_match_us)

    def sums(self, seat: int, asked: int, measured: Measured) -> tuple[int, int]:
        """What of an answer is charged, and what of the network is given back."""
        thinking = max(0, measured.arrived_us - asked - measured.stall_us)
        credit = min(measured.network_us, self.setup.credit.per_move_us, self.credit[seat], thinking)
        return thinking - credit, credit

    def limit(self, seat: int) -> int | None:
        """How long the seat may take for its move; None: for ever."""
        left = self.clocks[seat].left_us
        match self.setup.controls[seat]:
            case Untimed():
                limit = None
            case PerMove(each):
                limit = each
            case UsDelay(_, free) | Bank(_, free):
                limit = left + free
            case control:
                limit = left if isinstance(control, ALL_THAT_IS_LEFT) else control.limit_us(self.clocks[seat])
        return limit

    def is_late(self, seat: int, asked: int, measured: Measured) -> bool:
        limit = self.limit(seat)
        return limit is not None and self.sums(seat, asked, measured)[0] > limit

    def charge(self, seat: int, row: ClockRow) -> None:
        """Check a row, and charge it."""
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
        match self.setup.controls[seat]:
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
        if isinstance(self.setup.controls[seat], Hourglass):
            self._share(seat, used)

    def _share(self, seat: int, sand: int) -> None:
        others = [other for side in self.sides if seat not in side for other in side]
        for other in others:
            self.clocks[other] = Clock(self.clocks[other].left_us + sand // len(others))
