"""Describes clocks and time controls of a record in words."""

import re

from msgspec import Struct

from referee.match.clock import Clock, JapaneseByoYomi, Micros, PerMove, TimeControl, Untimed


def time_text(time_us: Micros) -> str:
    """Format as H:MM:SS.mmm, without hours if there are none; rounds down."""
    minutes, rest = divmod(time_us // 1_000, 60_000)
    hours, minutes = divmod(minutes, 60)
    seconds = f"{rest // 1_000:02}.{rest % 1_000:03}"
    return f"{hours}:{minutes:02}:{seconds}" if hours else f"{minutes}:{seconds}"


def clock_text(control: TimeControl, clock: Clock) -> str:
    """Format the time left of a seat."""
    if isinstance(control, Untimed | PerMove):
        return "-"
    moves = f" for {_counted(clock.moves, 'move')}" if clock.moves else ""
    # With moves per period, `periods` is the number of the current period.
    periods = f" and {_counted(clock.periods, 'period')}" if isinstance(control, JapaneseByoYomi) else ""
    return f"{time_text(clock.left_us)}{moves}{periods}"


def control_text(control: object) -> str:
    """Format a time control: `fischer, main 180 s, increment 2 s`."""
    words = [re.sub("(?<=[a-z])(?=[A-Z])", " ", type(control).__name__).lower()]
    assert isinstance(control, Struct)
    for name in control.__struct_fields__:
        value = getattr(control, name)
        if isinstance(value, tuple):
            words.extend(map(control_text, value))
        elif name.endswith("_us"):
            words.append(f"{name.removesuffix('_us')} {value / 1_000_000:g} s")
        else:
            words.append(f"{value} {name}")
    return ", ".join(words)


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing if number == 1 else thing + 's'}"
