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
    network_credit_left: float = 0.0
    """How much network time can still be credited in this match."""


def clock_in(message: clock_pb2.Clock) -> Clock:
    return Clock(
        message.seat,
        message.running,
        message.time_left_us / US if message.HasField("time_left_us") else None,
        message.main_us / US,
        message.period_us / US,
        message.periods_left,
        message.moves_left,
        message.network_credit_left_us / US,
    )


def write_clock(clock: Clock, message: clock_pb2.Clock) -> None:
    """Set the fields of an empty message."""
    message.seat = clock.seat
    message.running = clock.running
    if clock.left is not None:
        message.time_left_us = round(clock.left * US)
    message.main_us = round(clock.main * US)
    message.period_us = round(clock.period * US)
    message.periods_left = clock.periods_left
    message.moves_left = clock.moves_left
    message.network_credit_left_us = round(clock.network_credit_left * US)
