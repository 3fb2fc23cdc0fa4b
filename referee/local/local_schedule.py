"""The pairings of an arena: a round robin in which seats rotate.

The name of a pairing does not depend on other entrants, so that after adding a bot to a plan only its matches are new.
"""

from dataclasses import dataclass
from itertools import combinations, permutations

from referee.local.entrant import Entrant
from referee.local.plan import GameTerms, Plan


@dataclass(frozen=True, slots=True)
class LocalPairing:
    """One match to be played."""

    terms: GameTerms
    name: str
    """Also its path below the folder of records, without suffix."""
    seats: tuple[Entrant, ...]
    """Entrants by seat; a bot may hold several seats."""

    @property
    def entrants(self) -> tuple[Entrant, ...]:
        """Each entrant once, in seat order."""
        return tuple(dict.fromkeys(self.seats))


def schedule(plan: Plan) -> list[LocalPairing]:
    """Return all matches of a plan, ordered so that all bots have played about equally often at any time."""
    most = max((terms.games for terms in plan.terms), default=0)
    return [
        _pairing(terms, group, number)
        for number in range(most)
        for terms in plan.terms
        if number < terms.games
        for group in combinations(plan.entrants, terms.bots_per_match)
    ]


def order_of(group: tuple[Entrant, ...], number: int) -> tuple[Entrant, ...]:
    """Return the seat order of a group in its game of that number, from 0.

    Seats rotate by one per game. After a full cycle the order of the others is permuted.
    """
    turns, turn = divmod(number, len(group))
    first, *others = group
    mixes = list(permutations(others))
    order = (first, *mixes[turns % len(mixes)])
    return order[turn:] + order[:turn]


def _pairing(terms: GameTerms, group: tuple[Entrant, ...], number: int) -> LocalPairing:
    names = ".".join(entrant.name for entrant in group)
    return LocalPairing(terms, f"{terms.label}/{names}.{number + 1}", terms.seated(order_of(group, number)))
