"""Who meets whom: everybody everybody else, in every seat.

A pairing has a name that does not depend on who else takes part, so that a bot who joins later plays
only its own matches, and what has been played stays played.
"""

from dataclasses import dataclass
from itertools import combinations, permutations

from referee.arena.entrant import Entrant
from referee.arena.plan import Plan, Terms


@dataclass(frozen=True, slots=True)
class Pairing:
    """One match to be played."""

    terms: Terms
    name: str
    """Also its path below the folder of records, without an ending."""
    seats: tuple[Entrant, ...]
    """Who sits where; a bot may hold several seats."""

    @property
    def entrants(self) -> tuple[Entrant, ...]:
        """Everybody once, in order of seats."""
        return tuple(dict.fromkeys(self.seats))


def schedule(plan: Plan) -> list[Pairing]:
    """Every match of the plan, so ordered that whoever stops early has played about as often as everybody else."""
    most = max((terms.games for terms in plan.terms), default=0)
    return [
        _pairing(terms, group, number)
        for number in range(most)
        for terms in plan.terms
        if number < terms.games
        for group in combinations(plan.entrants, terms.at_a_table)
    ]


def order_of(group: tuple[Entrant, ...], number: int) -> tuple[Entrant, ...]:
    """How a group sits down to its game of that number, from 0.

    The table turns by one place a game. When everybody has sat everywhere, they mix: another sits next to whom.
    """
    turns, turn = divmod(number, len(group))
    first, *others = group
    mixes = list(permutations(others))
    order = (first, *mixes[turns % len(mixes)])
    return order[turn:] + order[:turn]


def _pairing(terms: Terms, group: tuple[Entrant, ...], number: int) -> Pairing:
    names = ".".join(entrant.name for entrant in group)
    return Pairing(terms, f"{terms.label}/{names}.{number + 1}", terms.seated(order_of(group, number)))
