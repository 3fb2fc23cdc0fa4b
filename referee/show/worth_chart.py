"""Chart of what the positions of a match were worth to each seat, with the interval of twice the standard error."""

from collections.abc import Sequence
from dataclasses import dataclass

from referee.show.markup import Markup, tag
from referee.show.time_chart import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    chart_element,
    chart_label,
    grid_line,
    seat_class,
)

LINES = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True)
class Worth:
    """Worth to each seat of the position after `ply` moves, from 0 to 1, with its standard error."""

    ply: int
    means: tuple[float, ...]
    errors: tuple[float, ...]


def worth_chart(
    points: Sequence[Worth], seat_names: Sequence[str], sides: Sequence[Sequence[int]], marked: Sequence[int]
) -> Markup:
    """Return a curve for each side, every second one dashed. The plies in `marked` have a vertical line."""
    first, last = points[0].ply, max(points[-1].ply, points[0].ply + 1)

    def across(ply: int) -> float:
        return round(LEFT + (ply - first) / (last - first) * (WIDTH - LEFT - RIGHT), 1)

    def up(worth: float) -> float:
        return round(HEIGHT - BOTTOM - min(1.0, max(0.0, worth)) * (HEIGHT - TOP - BOTTOM), 1)

    bands, curves = [], []
    for number, (seat, *_) in enumerate(sides):
        over = [f"{across(point.ply)} {up(point.means[seat] + 2 * point.errors[seat])}" for point in points]
        under = [f"{across(point.ply)} {up(point.means[seat] - 2 * point.errors[seat])}" for point in reversed(points)]
        way = "L".join(f"{across(point.ply)} {up(point.means[seat])}" for point in points)
        colour = seat_class(seat_names, seat)
        bands.append(tag("path", d=f"M{'L'.join([*over, *under])}z", class_=f"band {colour}"))
        # Not every two colours can be told apart by everybody.
        dashes = "6 3" if number % 2 else None
        curves.append(
            tag("path", tag("title", seat_names[seat]), d=f"M{way}", class_=f"curve {colour}", stroke_dasharray=dashes)
        )
    marks = [tag("line", x1=across(ply), x2=across(ply), y1=TOP, y2=HEIGHT - BOTTOM, class_="mark") for ply in marked]
    ends = [
        chart_label(LEFT, HEIGHT - 6, f"after {first} moves"),
        chart_label(WIDTH - RIGHT, HEIGHT - 6, f"after {last} moves", "end"),
    ]
    lines = [grid_line(up(worth), f"{worth:g}") for worth in LINES]
    return chart_element("Worth of the positions to each seat", *lines, *marks, *bands, *curves, *ends)
