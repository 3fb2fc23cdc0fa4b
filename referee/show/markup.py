"""Building blocks of the page: escaped HTML and SVG elements, and scales with their ticks.

Everything that is not `Markup` is escaped, which prevents injection by names.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from math import ceil, floor

VOID = {"meta", "br", "col", "input"}
"""Elements without an end tag."""
SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000
TIME_STEPS = (
    *(SECOND * n for n in (1, 2, 5, 10, 15, 30)),
    *(MINUTE * n for n in (1, 2, 5, 10, 15, 30)),
    *(HOUR * n for n in (1, 2, 3, 6, 12)),
    *(DAY * n for n in (1, 2, 7, 14, 28, 56, 112, 224, 448, 896)),
)


class Markup(str):
    """Text that is already markup."""

    __slots__ = ()


def tag(element: str, /, *inside: object, **attributes: object) -> Markup:
    """Build an element. Attributes that are None are omitted; `class_` is `class`, `stroke_width` is `stroke-width`."""
    named = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{element}{named}>" if element in VOID else f"<{element}{named}>{joined(*inside)}</{element}>")


def joined(*parts: object) -> Markup:
    """Concatenate parts as markup."""
    return Markup("".join(part if isinstance(part, Markup) else escape(str(part), quote=False) for part in parts))


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale from `low` to `high`, which must differ."""

    low: float
    high: float

    def at(self, value: float) -> float:
        """Return the position in per cent, clamped to 0–100."""
        return round(min(100.0, max(0.0, 100 * (value - self.low) / (self.high - self.low))), 2)


def fit_scale(values: Iterable[float], least: float, margin: float = 0.0) -> Scale:
    """Return a scale of at least length `least` that contains all values, with a relative margin on both sides."""
    known = list(values)
    low, high = min(known, default=0.0), max(known, default=0.0)
    more = max(0.0, least - (high - low)) / 2 + margin * (high - low)
    return Scale(low - more, high + more)


def tick_values(scale: Scale, at_most: int) -> list[float]:
    """Return evenly spaced round values."""
    step = 1.0
    while _many(scale, step) > at_most:
        step *= 2.5 if str(step)[0] == "2" else 2
    return [step * number for number in range(ceil(scale.low / step), floor(scale.high / step) + 1)]


def time_ticks(scale: Scale, at_most: int) -> list[tuple[float, str]]:
    """Return round times on a scale of milliseconds since 1970 (UTC), with labels."""
    step = next((step for step in TIME_STEPS if _many(scale, step) <= at_most), TIME_STEPS[-1])
    form = _form(step, scale.high - scale.low)
    times = (step * number for number in range(ceil(scale.low / step), floor(scale.high / step) + 1))
    return [(time, f"{datetime.fromtimestamp(time / 1_000, UTC):{form}}") for time in times]


def _form(step: int, length: float) -> str:
    """Return a time format for the step, with the date if the scale is longer than a day."""
    if step >= DAY:
        return "%d %b"
    return ("%H:%M:%S" if step < MINUTE else "%H:%M") if length < DAY else "%d %b %H:%M"


def _many(scale: Scale, step: float) -> int:
    return floor(scale.high / step) - ceil(scale.low / step) + 1
