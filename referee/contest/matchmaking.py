"""Who plays whom next on a ladder.

A match is worth most between two whose strength is near, and least known: it is then that its result says most.
But those who met only their like would hang together by a chain, along which errors add up: so of all opponents
that are worth it, everybody gets the one who is least alike. Everybody gets matches: who has waited longest for one
is served first, whatever it is worth. Nobody meets the same one again before others, as far as there are others.
Nothing here is by chance.
"""

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
    waiting = sorted((it for it in climbers if it.room > 0), key=lambda it: _urgency(it, len(climbers)))
    apart = _apart(len(climbers), wishes) if wishes.patient else 0
    hosts = list(waiting)
    while hosts and len(waiting) >= wishes.at_a_table:
        host = hosts.pop(0)
        table = _table(host, waiting, habits, wishes, apart)
        if len(table) == wishes.at_a_table:
            waiting = [it for it in waiting if it not in table]
            hosts = [it for it in hosts if it not in table]
            yield seated([it.name for it in table], habits, wishes)


def _table(host: Climber, waiting: Sequence[Climber], habits: Habits, wishes: Wishes, apart: int) -> list[Climber]:
    """With whom it is best off; not a full one if it had better wait."""
    table = [host]
    guests = [it for it in waiting if it is not host]
    while len(table) < wishes.at_a_table:
        guests = [it for it in guests if it not in table and _near(table[-1], it, habits, apart) == 0]
        if not guests:
            break
        table.append(_guest(table, guests, habits, wishes))
    return table


def _guest(table: Sequence[Climber], guests: Sequence[Climber], habits: Habits, wishes: Wishes) -> Climber:
    """Of those whom the table has not just met and who are worth meeting, the one who is least alike."""
    soon = {it.name: sum(_near(each, it, habits, wishes.rematch_after) for each in table) for it in guests}
    fresh = [it for it in guests if soon[it.name] == min(soon.values())]
    worth = {it.name: sum(information(each, it) for each in table) for it in fresh}
    good = [it for it in fresh if worth[it.name] >= WORTH_IT * max(worth.values())]
    return min(good, key=lambda it: (-sum(abs(each.rating - it.rating) for each in table), it.name))


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


def _near(one: Climber, other: Climber, habits: Habits, apart: int) -> int:
    """By how many others too soon they would meet again, for both."""
    since = [habits.since(one.name, other.name), habits.since(other.name, one.name)]
    return sum(max(0, apart - it) for it in since if it is not None)


def _unfairness(order: Sequence[str], habits: Habits, wishes: Wishes) -> int:
    seats = sum((habits.sat.get((name, seat), 0) + 1) ** 2 for seat, name in enumerate(order))
    return seats + sum((habits.together.get(pair, 0) + 1) ** 2 for pair in partners(order, wishes.sides))
