"""Clocks as a person reads them."""

import re
from dataclasses import fields, is_dataclass

from referee.core.clock import Clock, JapaneseByoYomi, Micros, PerMove, TimeControl, Untimed


def time_text(time_us: Micros) -> str:
    """Hours where there are any, minutes, seconds, and thousandths, of which the last is not rounded up."""
    minutes, rest = divmod(time_us // 1_000, 60_000)
    hours, minutes = divmod(minutes, 60)
    seconds = f"{rest // 1_000:02}.{rest % 1_000:03}"
    return f"{hours}:{minutes:02}:{seconds}" if hours else f"{minutes}:{seconds}"


def clock_text(control: TimeControl, clock: Clock) -> str:
    """What is left to a seat."""
    if isinstance(control, Untimed | PerMove):
        return "-"
    moves = f" for {_counted(clock.moves, 'move')}" if clock.moves else ""
    # Where moves are counted, `periods` is the number of the present one.
    periods = f" and {_counted(clock.periods, 'period')}" if isinstance(control, JapaneseByoYomi) else ""
    return f"{time_text(clock.left_us)}{moves}{periods}"


def _counted(many: int, thing: str) -> str:
    return f"{many} {thing}" if many == 1 else f"{many} {thing}s"


def control_text(control: object) -> str:
    """The rule of a seat's clock: `fischer, main 180 s, increment 2 s`."""
    words = [re.sub("(?<=[a-z])(?=[A-Z])", " ", type(control).__name__).lower()]
    assert is_dataclass(control)
    for field in fields(control):
        value = getattr(control, field.name)
        if isinstance(value, tuple):
            words.extend(map(control_text, value))
        elif field.name.endswith("_us"):
            words.append(f"{field.name.removesuffix('_us')} {value / 1_000_000:g} s")
        else:
            words.append(f"{value} {field.name}")
    return ", ".join(words)
