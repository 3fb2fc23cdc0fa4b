"""Clocks as a bot reads them: in seconds."""

from dataclasses import dataclass

from referee_api.v1 import clock_pb2

US = 1_000_000


@dataclass(frozen=True)
class Clock:
    """A seat's clock at the moment of sending. Times are in seconds."""

    seat: int
    running: bool
    left: float | None
    """Until its flag falls, everything included. None: no clock."""
    main: float
    """Of that, main time or bank."""
    period: float
    """Of that, what is left of the delay, the free time for a move or the present period."""
    periods_left: int
    """Byo-yomi periods, the present one included."""
    moves_left: int
    """Moves to make until the next period begins; 0 where none are counted."""


def clock_in(message: clock_pb2.Clock) -> Clock:
    return Clock(
        message.seat,
        message.running,
        message.left_us / US if message.HasField("left_us") else None,
        message.main_us / US,
        message.period_us / US,
        message.periods_left,
        message.moves_left,
    )
