"""Who plays whom next on a ladder.

A match is worth most between two whose strength is near, and least known: it is then that its result says most.
Everybody gets matches: who has waited longest for one is served first, whatever it is worth. Nobody meets the
same one again before others, as far as there are others. Nothing here is by chance.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, permutations
from math import exp, pi, sqrt


@dataclass(frozen=True, slots=True)
class Climber:
    """An entrant that is there."""

    name: str
    rating: float
    deviation: float
    room: int
    """How many more matches it takes now."""
    matches: int = 0
    """Begun on this ladder so far."""
    waited: int = 0
    """How many matches the others have begun since its last."""
    provisional: bool = False


@dataclass(frozen=True, slots=True)
class Habits:
    """What has been, as far as pairing minds."""

    recent: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Whom everybody met, the latest last."""
    sat: Mapping[tuple[str, int], int] = field(default_factory=dict)
    """How often who sat where."""

    def since(self, name: str, other: str) -> int | None:
        """How many others `name` has met since it met `other`; None if it never did."""
        met = list(self.recent.get(name, ()))
        return len(set(met[len(met) - met[::-1].index(other) :])) if other in met else None


@dataclass(frozen=True, slots=True)
class Wishes:
    at_a_table: int = 2
    rematch_after: int = 1
    """How many others come before the same one again, where there are enough."""
    spread: float = 400 / 2.302585
    """The difference in rating at which the odds are e to 1; that of Elo."""


def next_matches(climbers: Iterable[Climber], habits: Habits, wishes: Wishes, most: int) -> list[tuple[str, ...]]:
    """Up to `most` matches, each in the order of seats. Everybody has one at most, and only if it has room."""
    return list(islice(_matches(climbers, habits, wishes), most))


def _matches(climbers: Iterable[Climber], habits: Habits, wishes: Wishes) -> Iterable[tuple[str, ...]]:
    waiting = sorted((it for it in climbers if it.room > 0), key=_urgency)
    while len(waiting) >= wishes.at_a_table:
        table = [waiting.pop(0)]
        while len(table) < wishes.at_a_table:
            guest = min(waiting, key=lambda it: _reluctance(table, it, habits, wishes))
            waiting.remove(guest)
            table.append(guest)
        yield _seated([it.name for it in table], habits)


def information(one: Climber, other: Climber, spread: float) -> float:
    """How much a match between them is expected to tell: the uncertainty that its result takes away.

    The variance of the outcome, at the strengths as they are believed to be, times what is not known about them.
    """
    unknown = one.deviation**2 + other.deviation**2
    blurred = sqrt(1 + pi * unknown / (8 * spread**2))  # A logistic curve seen through a bell curve.
    odds = 1 / (1 + exp(-(one.rating - other.rating) / (spread * blurred)))
    return odds * (1 - odds) * unknown


def _urgency(climber: Climber) -> tuple[bool, int, float, str]:
    """Provisional first; then who waited longest, then whom least is known of."""
    return not climber.provisional, -climber.waited, -climber.deviation, climber.name


def _reluctance(table: Sequence[Climber], guest: Climber, habits: Habits, wishes: Wishes) -> tuple[int, float, str]:
    """First how often they would meet too soon, then what would not be learned."""
    too_soon = sum(_too_soon(it.name, guest.name, habits, wishes) for it in table)
    return too_soon, -sum(information(it, guest, wishes.spread) for it in table), guest.name


def _too_soon(one: str, other: str, habits: Habits, wishes: Wishes) -> int:
    """By how many others, for both."""
    since = [habits.since(one, other), habits.since(other, one)]
    return sum(max(0, wishes.rematch_after - it) for it in since if it is not None)


def _seated(names: Sequence[str], habits: Habits) -> tuple[str, ...]:
    """The order in which nobody sits where it often sat."""
    return min(permutations(names), key=lambda order: _unfairness(order, habits))


def _unfairness(order: Sequence[str], habits: Habits) -> int:
    return sum((habits.sat.get((name, seat), 0) + 1) ** 2 for seat, name in enumerate(order))
