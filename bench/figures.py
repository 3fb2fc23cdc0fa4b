"""Results of measurements: figures with all their rounds, and their verdicts on goals."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median


class NotMeasured(Exception):
    """Something that a measurement needs is not available. `str()` says what."""


NOT_REACHED = "does not hold"


@dataclass(frozen=True, slots=True)
class Figure:
    """One quantity of one candidate, measured once per round."""

    of: str
    what: str
    """The quantity, with its unit as the last word."""
    rounds: tuple[float, ...]

    @property
    def median(self) -> float:
        return median(self.rounds)

    @property
    def low(self) -> float:
        return min(self.rounds)

    @property
    def high(self) -> float:
        return max(self.rounds)


@dataclass(slots=True)
class Findings:
    """The results of one measurement."""

    figures: list[Figure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Remarks for the reader of the table: what was left out, and why."""
    plots: dict[str, str] = field(default_factory=dict)
    """SVG by file name."""

    def add(self, of: str, what: str, *rounds: float) -> None:
        self.figures.append(Figure(of, what, rounds))

    def of(self, of: str, what: str) -> Figure:
        """Return the figure of a candidate and quantity. Raises NotMeasured."""
        for figure in self.figures:
            if (figure.of, figure.what) == (of, what):
                return figure
        raise NotMeasured(f"there is no figure for {of}, {what}")

    def ratio(self, what: str, candidate: str, other: str) -> float:
        """Return the median of the ratios in each round, since drift affects both candidates of a round alike."""
        pairs = zip(self.of(candidate, what).rounds, self.of(other, what).rounds, strict=True)
        return median(a / b for a, b in pairs)


@dataclass(frozen=True, slots=True)
class Goal:
    """A bound that a ratio or figure should reach."""

    name: str
    sentence: str
    bound: float
    reached: Callable[[Findings], float]
    """Returns the value that was reached. Raises NotMeasured."""
    at_least: bool = True
    """Whether the bound is a minimum; False: a maximum."""

    def verdict(self, findings: Findings) -> "Verdict":
        try:
            reached = self.reached(findings)
        except NotMeasured as why:
            return Verdict(self, None, f"not measured: {why}")
        holds = reached >= self.bound if self.at_least else reached <= self.bound
        return Verdict(self, reached, "holds" if holds else NOT_REACHED)


@dataclass(frozen=True, slots=True)
class Verdict:
    goal: Goal
    reached: float | None
    said: str

    @property
    def failed(self) -> bool:
        return self.said == NOT_REACHED

    def __str__(self) -> str:
        bound = f"{'at least' if self.goal.at_least else 'at most'} {self.goal.bound:.4g}"
        reached = "-" if self.reached is None else f"{self.reached:.3g}"
        return f"{self.goal.name:<28}{bound:>16}{reached:>10}  {self.said}\n{'':<4}{self.goal.sentence}"


def table(figures: Sequence[Figure]) -> str:
    """Format a table with a row per candidate and a column per quantity: the median, and the range of the rounds."""
    rows = list(dict.fromkeys(figure.of for figure in figures))
    columns = list(dict.fromkeys(figure.what for figure in figures))
    cells = {(figure.of, figure.what): _cell(figure) for figure in figures}
    first = max(map(len, rows), default=0)
    wide = {what: max(len(what), *(len(cells.get((row, what), "")) for row in rows)) for what in columns}
    lines = [" " * first + "".join(f"  {what:>{wide[what]}}" for what in columns)]
    lines += [f"{row:<{first}}" + "".join(f"  {cells.get((row, c), '-'):>{wide[c]}}" for c in columns) for row in rows]
    return "\n".join(lines)


def _cell(figure: Figure) -> str:
    if len(figure.rounds) == 1:
        return short(figure.median)
    return f"{short(figure.median)} ({short(figure.low)}..{short(figure.high)})"


def short(value: float) -> str:
    """Format a number with three significant digits."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"
