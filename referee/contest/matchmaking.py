"""Who plays whom next on a ladder.

A match is worth most between two whose strength is near, and least known: it is then that its result says most.
But those who met only their like would hang together by a chain, along which errors add up: so of all opponents
that are worth it, everybody gets the one who is least alike. Everybody gets matches: who has waited longest for one
is served first, whatever it is worth. Nobody meets the same one again before others, as far as there are others.
Nothing here is by chance.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, permutations
from math import exp, pi, sqrt

from referee.contest.elo import SCALE
from referee.contest.habits import Habits, partners
from referee.contest.pairing import Places

WORTH_IT = 0.5
"""A match is, if it tells at least so much of what the best one would."""

LONG = 2
"""Who waited for so many matches a head has waited long: it comes before those who are new."""


@dataclass(frozen=True, slots=True)
class Climber:
    """An entrant that is there."""

    name: str
    rating: float
    deviation: float
    room: int
    """How many more matches it takes now. 0: it plays, and will have room again."""
    waited: int = 0
    """How many matches the others have begun since its last."""
    provisional: bool = False


@dataclass(frozen=True, slots=True)
class Wishes:
    at_a_table: int = 2
    sides: Places = ()
    """Which places at a table stand together. Nothing: everybody alone."""
    rematch_after: int = 1
    """How many others come before the same one again, where there are enough."""
    patient: bool = False
    """Rather wait for those who play now than meet the same one again too soon."""


def next_matches(climbers: Iterable[Climber], habits: Habits, wishes: Wishes, most: int) -> list[tuple[str, ...]]:
    """Up to `most` matches, each in the order of seats. Everybody has one at most, and only if it has room."""
    return list(islice(_matches(list(climbers), habits, wishes), most))


def _matches(climbers: Sequence[Climber], habits: Habits, wishes: Wishes) -> Iterable[tuple[str, ...]]:
    hosts = sorted((it for it in climbers if it.room > 0), key=lambda it: _urgency(it, len(climbers)))
    waiting = {it.name: it for it in hosts}
    apart = _apart(len(climbers), wishes) if wishes.patient else 0
    meetings = Meetings(waiting, habits)
    for host in hosts:
        if host.name in waiting and len(waiting) >= wishes.at_a_table:
            table = _table(host, waiting.values(), meetings, wishes, apart)
            if len(table) == wishes.at_a_table:
                for it in table:
                    del waiting[it.name]
                yield seated([it.name for it in table], habits, wishes)


def _table(
    host: Climber, waiting: Iterable[Climber], meetings: "Meetings", wishes: Wishes, apart: int
) -> list[Climber]:
    """With whom it is best off; not a full one if it had better wait."""
    table = [host]
    guests = list(waiting)
    while len(table) < wishes.at_a_table:
        here = {table[-1].name, *meetings.too_soon(table[-1:], apart)}
        guests = [it for it in guests if it.name not in here]
        if not guests:
            break
        table.append(_guest(table, guests, meetings, wishes))
    return table


def _guest(table: Sequence[Climber], guests: Sequence[Climber], meetings: "Meetings", wishes: Wishes) -> Climber:
    """Of those whom the table has not just met and who are worth meeting, the one who is least alike."""
    soon = meetings.too_soon(table, wishes.rematch_after)
    least = min(soon.get(it.name, 0) for it in guests)
    fresh = [it for it in guests if soon.get(it.name, 0) == least]
    worth = _added([[information(each, it) for it in fresh] for each in table])
    enough = WORTH_IT * max(worth)
    good = [it for it, told in zip(fresh, worth, strict=True) if told >= enough]
    unlike = _added([[abs(each.rating - it.rating) for it in good] for each in table])
    _, guest = min(zip(unlike, good, strict=True), key=lambda it: (-it[0], it[1].name))
    return guest


def _added(rows: Sequence[Sequence[float]]) -> list[float]:
    return [sum(column) for column in zip(*rows, strict=True)]


class Meetings:
    """Who of those who wait met whom of late, seen from both."""

    def __init__(self, waiting: Iterable[str], habits: Habits) -> None:
        self._since: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
        """How many others one of the two has met since they met."""
        for name in waiting:
            for other, since in habits.met(name).items():
                self._since[name].append((other, since))
                self._since[other].append((name, since))

    def too_soon(self, table: Iterable[Climber], apart: int) -> Counter[str]:
        """By how many others too soon everybody would meet these again, for both; of whom it is none: 0."""
        soon: Counter[str] = Counter()
        for each in table:
            for other, since in self._since[each.name]:
                if since < apart:
                    soon[other] += apart - since
        return soon


def seated(names: Sequence[str], habits: Habits, wishes: Wishes) -> tuple[str, ...]:
    """The order in which nobody sits where it often sat, nor beside whom it often sat."""
    return min(permutations(names), key=lambda order: _unfairness(order, habits, wishes))


def information(one: Climber, other: Climber) -> float:
    """How much a match between them is expected to tell: the uncertainty that its result takes away.

    The variance of the outcome, at the strengths as they are believed to be, times what is not known about them.
    """
    unknown = one.deviation**2 + other.deviation**2
    blurred = sqrt(1 + pi * unknown / (8 * SCALE**2))  # A logistic curve seen through a bell curve.
    odds = 1 / (1 + exp(-(one.rating - other.rating) / (SCALE * blurred)))
    return odds * (1 - odds) * unknown


def _apart(there: int, wishes: Wishes) -> int:
    """How many others everybody can meet before the same one again, with so many there."""
    others = wishes.at_a_table - 1
    return min(wishes.rematch_after, max(0, there - wishes.at_a_table) // others * others)


def _urgency(climber: Climber, there: int) -> tuple[bool, bool, int, float, str]:
    """Who has waited long; those who are new; then who waited longest, and whom least is known of."""
    long = climber.waited >= LONG * there
    return not long, not climber.provisional, -climber.waited, -climber.deviation, climber.name


def _unfairness(order: Sequence[str], habits: Habits, wishes: Wishes) -> int:
    seats = sum((habits.sat.get((name, seat), 0) + 1) ** 2 for seat, name in enumerate(order))
    return seats + sum((habits.together.get(pair, 0) + 1) ** 2 for pair in partners(order, wishes.sides))
