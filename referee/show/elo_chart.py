"""Chart of a sequential test: the estimated difference in Elo after each counted set, with its 95 % interval."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import dropwhile

from referee.contests.strength.elo import EloEstimate
from referee.show.formatting import signed
from referee.show.markup import Markup, Scale, fit_scale, tag, tick_values
from referee.show.time_chart import LEFT, RIGHT, WIDTH, Plot, chart_element, end_labels, grid_line

MAX_POINTS = 200
MAX_TICKS = 6
LEAST_ELO = 100.0
MAX_WIDENING = 3.0
"""The first points are left out while their interval is this many times as wide as the last one."""


@dataclass(frozen=True, slots=True)
class EloPoint:
    """The estimate after so many counted matches."""

    matches: int
    estimate: EloEstimate


def elo_chart(points: Sequence[EloPoint], names: tuple[str, str]) -> Markup | None:
    """Return the curve of the first bot's lead over the second; None if too little was counted."""
    shown = _shown(points)
    if len(shown) < 2:
        return None
    first, last = shown[0].matches, shown[-1].matches
    values = fit_scale((end for point in shown for end in (point.estimate.low, point.estimate.high, 0.0)), LEAST_ELO)
    plot = Plot(Scale(first, last), values)
    curve = plot.way([(point.matches, point.estimate.elo) for point in shown])
    zero = plot.up(0)
    return chart_element(
        f"Lead of {names[0]} over {names[1]} in Elo",
        *(grid_line(plot.up(elo), signed(elo)) for elo in tick_values(values, MAX_TICKS)),
        tag("line", x1=LEFT, x2=WIDTH - RIGHT, y1=zero, y2=zero, class_="mark"),
        plot.band([(point.matches, point.estimate.low, point.estimate.high) for point in shown], "band c1"),
        tag("path", d=curve, class_="curve c1"),
        *end_labels(f"after {first} matches", f"after {last} matches"),
    )


def _shown(points: Sequence[EloPoint]) -> list[EloPoint]:
    """Return evenly spaced points with different numbers of matches, up to the last one."""
    by_matches = list({point.matches: point for point in points}.values())
    if not by_matches:
        return []
    widest = MAX_WIDENING * _width(by_matches[-1])
    narrow = list(dropwhile(lambda point: _width(point) > widest, by_matches))
    step = -(-len(narrow) // MAX_POINTS)
    return narrow[::-1][::step][::-1]


def _width(point: EloPoint) -> float:
    return point.estimate.high - point.estimate.low
