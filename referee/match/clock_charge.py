"""The clock charge of a move: elapsed time, less referee delay and network credit.

charged = arrived - asked - stall - network credit, never below 0. The charge contains all numbers that are needed to
compute the clock after the move from the clock before it, so anyone can verify a loss on time. Times are match time:
microseconds since the match was created, suspended while the referee is down.
"""

from collections.abc import Sequence

from msgspec import Struct
from referee_values import NetworkCredit

from referee.match.clock import MAX_TIME_US, MS, Clock, Micros, TimeControl
from referee.match.match_errors import BadTimeControl


def check_credit(credit: NetworkCredit) -> None:
    """Check the maximum network round-trip time that is credited. Raises BadTimeControl."""
    for field in ("per_move_ms", "per_match_ms"):
        if not 0 <= getattr(credit, field) * MS <= MAX_TIME_US:
            raise BadTimeControl(f"network_credit.{field}", "must be from 0 to ten years")


class TurnMeasurement(Struct, frozen=True, gc=False):
    """Measurements of the referee about one answer or one check of the flag."""

    arrived_us: Micros
    network_us: Micros = 0
    """Round-trip time measured on the stream of the bot; never reported by the bot."""
    stall_us: Micros = 0
    """Delay caused by the referee itself since the turn was asked."""


class ClockCharge(Struct, frozen=True, gc=False):
    asked_us: Micros
    arrived_us: Micros
    network_us: Micros
    network_credit_us: Micros
    stall_us: Micros
    charged_us: Micros
    before: Clock
    after: Clock
    late: bool

    def texts(self) -> dict[str, str]:
        """Return the numbers as the details of an error."""
        numbers = {name: str(getattr(self, name)) for name in self.__struct_fields__ if name.endswith("_us")}
        return {**numbers, "left_before_us": str(self.before.left_us)}

    @property
    def measured(self) -> TurnMeasurement:
        """The measurements that this charge was computed from."""
        return TurnMeasurement(self.arrived_us, self.network_us, self.stall_us)


def thinking_us(asked_us: Micros, arrived_us: Micros, stall_us: Micros) -> Micros:
    """Return how long the bot of a seat had its turn."""
    thinking = arrived_us - asked_us - stall_us
    return thinking if thinking > 0 else 0  # `max` takes three times as long.


def charge(
    control: TimeControl, before: Clock, asked_us: Micros, measured: TurnMeasurement, credit_us: Micros
) -> ClockCharge:
    """Return the charge of an answer, with a network credit of at most `credit_us`."""
    arrived_us, network_us, stall_us = measured.arrived_us, measured.network_us, measured.stall_us
    thinking = thinking_us(asked_us, arrived_us, stall_us)
    credited = min(network_us, credit_us, thinking) if network_us else 0
    charged = thinking - credited
    limit = control.limit_us(before)
    late = limit is not None and charged > limit
    return ClockCharge(
        asked_us,
        arrived_us,
        network_us,
        credited,
        stall_us,
        charged,
        before,
        # A late move uses up the limit and no more.
        control.after(before, limit if limit is not None and late else charged),
        late,
    )


def flag_falls_at_us(control: TimeControl, clock: Clock, asked_us: Micros, credit_us: Micros) -> Micros | None:
    """Return the first moment at which every answer is late, if the referee causes no delay; None without a limit."""
    limit = control.limit_us(clock)
    return None if limit is None else asked_us + limit + credit_us + 1


def apply_charge(
    row: ClockCharge, seat: int, clocks: tuple[Clock, ...], credit_us: tuple[Micros, ...], others: Sequence[int]
) -> tuple[tuple[Clock, ...], tuple[Micros, ...]]:
    """Return the clocks and the network credit of all seats after a charge.

    `others` are the seats that gain the time which this one used, if their clocks are hourglasses: each an equal share,
    without fractions of a microsecond.
    """
    after, left_us = list(clocks), list(credit_us)
    after[seat] = row.after
    left_us[seat] -= row.network_credit_us
    for other in others:
        after[other] = Clock(clocks[other].left_us + (row.before.left_us - row.after.left_us) // len(others))
    return tuple(after), tuple(left_us)
