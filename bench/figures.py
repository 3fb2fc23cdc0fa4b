"""What was found: figures, each with all its rounds, and what they say about a goal."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median


class NotMeasured(Exception):
    """Something that is needed is not there. `str()` says what."""


NOT_REACHED = "does not hold"


@dataclass(frozen=True, slots=True)
class Figure:
    """One thing that was measured of one candidate, once in each round."""

    of: str
    what: str
    """With its unit as the last word."""
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
    """What one measurement found."""

    figures: list[Figure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Sentences for who reads the table: what was left out, and why."""
    plots: dict[str, str] = field(default_factory=dict)
    """SVG, by name of the file."""

    def add(self, of: str, what: str, *rounds: float) -> None:
        self.figures.append(Figure(of, what, rounds))

    def of(self, of: str, what: str) -> Figure:
        """Raises NotMeasured."""
        for figure in self.figures:
            if (figure.of, figure.what) == (of, what):
                return figure
        raise NotMeasured(f"there is no figure for {of}, {what}")

    def ratio(self, what: str, one: str, other: str) -> float:
        """One candidate in units of another: the median of the rounds, for what drifts hits both in a round."""
        pairs = zip(self.of(one, what).rounds, self.of(other, what).rounds, strict=True)
        return median(a / b for a, b in pairs)


@dataclass(frozen=True, slots=True)
class Goal:
    """What is to be reached."""

    name: str
    sentence: str
    bound: float
    reached: Callable[[Findings], float]
    """Raises NotMeasured."""
    at_least: bool = True
    """False: at the most."""

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
    """A row for each candidate, a column for each thing measured: the median, and the lowest and highest round."""
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
    """Three digits that mean something."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"
