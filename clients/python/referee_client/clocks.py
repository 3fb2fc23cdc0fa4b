"""Clocks for bots: times are in seconds."""

from dataclasses import dataclass

from referee_api.v1 import clock_pb2

US = 1_000_000


@dataclass(frozen=True)
class Clock:
    """A seat's clock at the moment of sending. Times are in seconds."""

    seat: int
    running: bool
    left: float | None
    """Time until the flag falls, including everything. None: no clock."""
    main: float
    """The part of `left` that is main time or bank."""
    period: float
    """The part of `left` that remains of the delay, the free time for a move, or the current period."""
    periods_left: int
    """Byo-yomi periods, including the current one."""
    moves_left: int
    """Moves to make until the next period begins; 0 if moves are not counted."""


def clock_in(message: clock_pb2.Clock) -> Clock:
    return Clock(
        message.seat,
        message.running,
        message.time_left_us / US if message.HasField("time_left_us") else None,
        message.main_us / US,
        message.period_us / US,
        message.periods_left,
        message.moves_left,
    )
