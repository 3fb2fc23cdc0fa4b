"""Chart of what the positions of a match were worth to each seat, with the interval of twice the standard error."""

from collections.abc import Sequence
from dataclasses import dataclass

from referee.show.markup import Markup, Scale, tag
from referee.show.time_chart import BOTTOM, HEIGHT, TOP, Plot, chart_element, end_labels, grid_line, seat_class

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
    plot = Plot(Scale(first, last), Scale(0, 1))
    bands, curves = [], []
    for number, (seat, *_) in enumerate(sides):
        colour, name = seat_class(seat_names, seat), tag("title", seat_names[seat])
        spread = [(point.ply, point.means[seat], 2 * point.errors[seat]) for point in points]
        bands.append(plot.band([(ply, mean - error, mean + error) for ply, mean, error in spread], f"band {colour}"))
        # Not every two colours can be told apart by everybody.
        dashes = "6 3" if number % 2 else None
        way = plot.way([(ply, mean) for ply, mean, _ in spread])
        curves.append(tag("path", name, d=way, class_=f"curve {colour}", stroke_dasharray=dashes))
    marks = [
        tag("line", x1=plot.across(ply), x2=plot.across(ply), y1=TOP, y2=HEIGHT - BOTTOM, class_="mark")
        for ply in marked
    ]
    ends = end_labels(f"after {first} moves", f"after {last} moves")
    lines = [grid_line(plot.up(worth), f"{worth:g}") for worth in LINES]
    return chart_element("Worth of the positions to each seat", *lines, *marks, *bands, *curves, *ends)
