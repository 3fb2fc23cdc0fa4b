"""Who met whom, and who sat where: what pairing minds of the past."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

Meeting = tuple[str, ...]
"""Those whom somebody met at one table."""


@dataclass(frozen=True, slots=True)
class Habits:
    """Of everybody who was ever paired. Of the meetings, those that may still matter."""

    recent: Mapping[str, tuple[Meeting, ...]] = field(default_factory=dict)
    """Whom everybody met, the latest last, each only where it was met last."""
    sat: Mapping[tuple[str, int], int] = field(default_factory=dict)
    """How often who sat where."""
    together: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """How often two were partners; in the order of the alphabet."""

    def met(self, name: str) -> dict[str, int]:
        """Whom it met, and how many others since; without those whom it met so long ago that it is over."""
        met: dict[str, int] = {}
        since = 0
        for meeting in reversed(self.recent.get(name, ())):
            met |= dict.fromkeys(meeting, since)
            since += len(meeting)
        return met

    def after(self, names: Sequence[str], sides: Iterable[Sequence[int]], kept: int) -> "Habits":
        """When they have been paired so. Meetings are kept until so many others have been met since."""
        met = {name: _met(self.recent.get(name, ()), tuple(it for it in names if it != name), kept) for name in names}
        sat = {place: self.sat.get(place, 0) + 1 for place in zip(names, range(len(names)), strict=True)}
        together = {pair: self.together.get(pair, 0) + 1 for pair in partners(names, sides)}
        return replace(
            self,
            recent={**self.recent, **met},
            sat={**self.sat, **sat},
            together={**self.together, **together} if together else self.together,
        )


def partners(names: Sequence[str], sides: Iterable[Sequence[int]]) -> list[tuple[str, str]]:
    """Every two who stand together, in the order of the alphabet."""
    return [
        (min(one, other), max(one, other))
        for side in sides
        for one, other in combinations([names[place] for place in side], 2)
    ]


def _met(before: Sequence[Meeting], now: Meeting, kept: int) -> tuple[Meeting, ...]:
    older = [tuple(it for it in meeting if it not in now) for meeting in before]
    meetings = [meeting for meeting in older if meeting] + [now]
    while sum(map(len, meetings[1:])) >= kept and len(meetings) > 1:
        meetings.pop(0)
    return tuple(meetings)
