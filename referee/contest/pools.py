"""Several at a table: everybody meets everybody about as often, and sits everywhere about as often.

A round is found by improving a fair guess until no exchange of two makes it better. The guess is by lot, from
a seed, so that the same tournament always comes to the same tables.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations

from engines.chance import Chance
from referee.contest.pairing import Pairing, Places

Tables = list[list[str]]


@dataclass(frozen=True, slots=True)
class Past:
    """How often who met, stood with, or sat where, and how often who played at all."""

    met: Counter[frozenset[str]] = field(default_factory=Counter)
    partners: Counter[frozenset[str]] = field(default_factory=Counter)
    sat: Counter[tuple[str, int]] = field(default_factory=Counter)
    played: Counter[str] = field(default_factory=Counter)


def past(pairings: Iterable[Pairing]) -> Past:
    past = Past()
    for pairing in pairings:
        past.played.update(pairing.entrants)
        past.sat.update((name, seat) for seat, name in enumerate(pairing.entrants))
        past.met.update(frozenset(pair) for pair in combinations(pairing.entrants, 2))
        past.partners.update(_partners(pairing.entrants, pairing.sides))
    return past


def pool_round(
    there: Sequence[str], at_a_table: int, sides: Places, number: int, past: Past, chance: Chance
) -> list[Pairing]:
    """The tables of a round. Who finds no place has a bye: first those who have played most."""
    lots, _ = chance.fork(f"round {number}").shuffled(there)
    order = sorted(lots, key=lambda name: past.played[name])
    playing = order[: len(order) - len(order) % at_a_table]
    tables = [playing[start :: len(playing) // at_a_table] for start in range(len(playing) // at_a_table)]
    *tables, bench = mixed([*tables, order[len(playing) :]], past)
    groups = [*(seated_fairly(table, sides, past) for table in tables), *((name,) for name in bench)]
    return [
        Pairing(f"{number}.{board}", number, board, names, sides=sides if len(names) > 1 else ())
        for board, names in enumerate(groups, start=1)
    ]


def mixed(tables: Tables, past: Past) -> Tables:
    """Exchanges two for as long as that brings together people who have met less.

    The last table is the bench, where nobody meets anybody; exchanged with it is only who has played as often.
    """
    while exchange := _best_exchange(tables, past):
        (one, place), (other, another) = exchange
        tables[one][place], tables[other][another] = tables[other][another], tables[one][place]
    return tables


def seated_fairly(table: Sequence[str], sides: Places, past: Past) -> tuple[str, ...]:
    """The order of seats in which nobody stands with whom, or sits where, it often did."""
    return min(permutations(sorted(table)), key=lambda order: _habit(order, sides, past))


def _best_exchange(tables: Tables, past: Past) -> tuple[tuple[int, int], tuple[int, int]] | None:
    places = [(table, place) for table, names in enumerate(tables) for place in range(len(names))]
    gains = {
        (one, other): _gain(tables, one, other, past)
        for one, other in combinations(places, 2)
        if one[0] != other[0] and (other[0] != len(tables) - 1 or _even(tables, one, other, past))
    }
    best = max(gains, key=lambda it: gains[it], default=None)
    return best if best and gains[best] > 0 else None


def _even(tables: Tables, one: tuple[int, int], other: tuple[int, int], past: Past) -> bool:
    return past.played[tables[one[0]][one[1]]] == past.played[tables[other[0]][other[1]]]


def _gain(tables: Tables, one: tuple[int, int], other: tuple[int, int], past: Past) -> int:
    """How much less everybody would know those at the table if these two changed places."""
    (here, place), (there, another) = one, other
    leaving, coming = tables[here][place], tables[there][another]
    gain = _known(leaving, tables[here], past) - _known(coming, _with(tables[here], place, coming), past)
    if there == len(tables) - 1:
        return gain
    return gain + _known(coming, tables[there], past) - _known(leaving, _with(tables[there], another, leaving), past)


def _with(table: Sequence[str], place: int, name: str) -> list[str]:
    return [*table[:place], name, *table[place + 1 :]]


def _known(name: str, table: Sequence[str], past: Past) -> int:
    """Squares, so that a third meeting weighs more than two second ones."""
    return sum((past.met[frozenset((name, other))] + 1) ** 2 for other in table if other != name)


def _habit(order: Sequence[str], sides: Places, past: Past) -> tuple[int, int]:
    partners = sum((past.partners[pair] + 1) ** 2 for pair in _partners(order, sides))
    return partners, sum((past.sat[name, seat] + 1) ** 2 for seat, name in enumerate(order))


def _partners(order: Sequence[str], sides: Places) -> list[frozenset[str]]:
    return [frozenset((order[one], order[other])) for side in sides for one, other in combinations(side, 2)]
