"""Schedules: pairings that do not depend on results, of a round robin, a gauntlet or pools.

A round robin uses the Berger tables as printed by FIDE (C.05, annex 1): the last of an even number of entrants keeps
its place while the others rotate. Over a cycle nobody moves first more than once more often than second. Every second
cycle is played with the seats exchanged. With an even number of entrants, the last two rounds of every cycle but the
last one change places, as FIDE recommends: otherwise some would have the same seat three times in succession.

In pools, all entrants meet each other, and sit on each seat, about equally often. A round starts from a random draw by
the seed, so the same tournament always gets the same tables. It is then improved by exchanging two entrants until no
exchange is better.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations, permutations

from msgspec import Struct, field

from engines.chance import Chance
from referee.contests.pairing import Pairing, Sides
from referee.contests.systems.pool_designs import PoolDesign


def round_robin_pairings(entrants: Sequence[str], number: int, cycles: int) -> list[Pairing]:
    """Return the pairings of a round. Rounds count from 1. An entrant without an opponent scores nothing."""
    cycle, in_cycle = round_robin_place(len(entrants), number, cycles)
    pairs = [(entrants[first - 1], entrants[second - 1]) for first, second in berger_pairs(len(entrants), in_cycle + 1)]
    return [
        Pairing(f"{number}.{board}", number, board, pair[::-1] if cycle % 2 else pair)
        for board, pair in enumerate(pairs, start=1)
    ]


def round_robin_place(count: int, number: int, cycles: int) -> tuple[int, int]:
    """Return the cycle of a round, and the round of the Berger table that it plays, both from 0.

    Of an even number of entrants, the last two rounds of every cycle but the last one change places.
    """
    length = round_robin_cycle_length(count)
    cycle, in_cycle = divmod(number - 1, length)
    if cycle < cycles - 1 and count % 2 == 0 and in_cycle >= length - 2 > 0:
        return cycle, 2 * length - 3 - in_cycle
    return cycle, in_cycle


def round_robin_cycle_length(count: int) -> int:
    return count - 1 + count % 2


def berger_pairs(count: int, number: int) -> list[tuple[int, int]]:
    """Return the pairs of a round in a cycle, the first player first. Entrants and rounds count from 1."""
    return [pair for pair in _round(count + count % 2, number) if max(pair) <= count]


def _round(last: int, number: int) -> list[tuple[int, int]]:
    rotating = last - 1
    pivot = (number - 1) * (last // 2) % rotating + 1
    top = (pivot, last) if number % 2 else (last, pivot)
    others = [((pivot + step - 1) % rotating + 1, (pivot - step - 1) % rotating + 1) for step in range(1, last // 2)]
    return [top, *others]


def gauntlet_pairings(entrants: Sequence[str], challengers: Collection[str], number: int) -> list[Pairing]:
    """Return the pairings of a round. Rounds count from 1. Seats alternate, and every second cycle exchanges them.

    In each round every challenger meets another opponent. If there are more challengers than opponents, the challengers
    without a free place wait.
    """
    challenging = [name for name in entrants if name in challengers]
    opponents = [name for name in entrants if name not in challengers]
    rounds = gauntlet_cycle_length(len(entrants), len(challenging))
    cycle, in_cycle = divmod(number - 1, rounds)
    return [
        Pairing(f"{number}.{board + 1}", number, board + 1, seats if (in_cycle + cycle) % 2 == 0 else seats[::-1])
        for board, challenger in enumerate(challenging)
        if (place := (in_cycle + board) % rounds) < len(opponents)
        for seats in [(challenger, opponents[place])]
    ]


def gauntlet_cycle_length(many: int, challengers: int) -> int:
    return max(challengers, many - challengers)


Tables = list[list[str]]
FOURSOME: Sides = ((0, 2), (1, 3))
"""Two pairs of partners at a table of four."""


class TableHistory(Struct, frozen=True, gc=False):
    """How often entrants met, were partners, had a seat, and played."""

    met_counts: Counter[frozenset[str]] = field(default_factory=Counter)
    partner_counts: Counter[frozenset[str]] = field(default_factory=Counter)
    seat_counts: Counter[tuple[str, int]] = field(default_factory=Counter)
    played_counts: Counter[str] = field(default_factory=Counter)


def count_meetings(pairings: Iterable[Pairing]) -> TableHistory:
    """Return the history of these pairings."""
    history = TableHistory()
    for pairing in pairings:
        history.played_counts.update(pairing.entrants)
        history.seat_counts.update((name, seat) for seat, name in enumerate(pairing.entrants))
        history.met_counts.update(frozenset(pair) for pair in combinations(pairing.entrants, 2))
        history.partner_counts.update(_partners(pairing.entrants, pairing.sides))
    return history


def pair_pool_round(
    active: Sequence[str], at_a_table: int, sides: Sides, number: int, history: TableHistory, chance: Chance
) -> list[Pairing]:
    """Return the tables of a round. Entrants without a place have a bye; those that have played most come first."""
    lots, _ = chance.fork(f"round {number}").shuffled(active)
    order = sorted(lots, key=lambda name: history.played_counts[name])
    playing = order[: len(order) - len(order) % at_a_table]
    tables = [playing[start :: len(playing) // at_a_table] for start in range(len(playing) // at_a_table)]
    *tables, bench = improve_tables([*tables, order[len(playing) :]], history)
    return _seated([(table, ()) for table in tables], bench, sides, number, history)


def pair_designed_round(
    design: PoolDesign, active: Sequence[str], sides: Sides, number: int, history: TableHistory, chance: Chance
) -> list[Pairing]:
    """Return the tables of a round by a design. Entrants have other places in it each time that it is repeated."""
    cycle, in_cycle = divmod(number - 1, design.rounds)
    order, _ = chance.fork(f"design {cycle + 1}").shuffled(active)
    tables = [[order[place] for place in table] for table in design.tables(in_cycle)]
    bench = sorted(set(order).difference(*tables))
    kept = [(table, _partners(table, sides) if design.partners and sides == FOURSOME else ()) for table in tables]
    return _seated(kept, bench, sides, number, history)


def _seated(
    tables: Iterable[tuple[Sequence[str], Collection[frozenset[str]]]],
    bench: Iterable[str],
    sides: Sides,
    number: int,
    history: TableHistory,
) -> list[Pairing]:
    """Return the pairings of these tables, each with the partners that it must have, and byes for the bench."""
    groups = [*(choose_seats(table, sides, history, kept) for table, kept in tables), *((name,) for name in bench)]
    return [
        Pairing(f"{number}.{board}", number, board, names, sides=sides if len(names) > 1 else ())
        for board, names in enumerate(groups, start=1)
    ]


def improve_tables(tables: Tables, history: TableHistory) -> Tables:
    """Exchange two entrants for as long as that brings together entrants that have met less often.

    The last table is the bench, whose entrants do not play. An exchange with it is between entrants that have played
    equally often.
    """
    while exchange := _best_exchange(tables, history):
        (table, place), (other, another) = exchange
        tables[table][place], tables[other][another] = tables[other][another], tables[table][place]
    return tables


def choose_seats(
    table: Sequence[str], sides: Sides, history: TableHistory, kept: Collection[frozenset[str]] = ()
) -> tuple[str, ...]:
    """Return the order of seats that repeats former partners and seats least, of those with the `kept` partners."""
    orders = (order for order in permutations(sorted(table)) if not kept or {*_partners(order, sides)} == {*kept})
    return min(orders, key=lambda order: _seat_familiarity(order, sides, history))


def _best_exchange(tables: Tables, history: TableHistory) -> tuple[tuple[int, int], tuple[int, int]] | None:
    places = [(table, place) for table, names in enumerate(tables) for place in range(len(names))]
    gains = {
        (seat, other): _gain(tables, seat, other, history)
        for seat, other in combinations(places, 2)
        if seat[0] != other[0] and (other[0] != len(tables) - 1 or _played_equally(tables, seat, other, history))
    }
    best_pair = max(gains, key=lambda pair: gains[pair], default=None)
    return best_pair if best_pair and gains[best_pair] > 0 else None


def _played_equally(tables: Tables, seat: tuple[int, int], other: tuple[int, int], history: TableHistory) -> bool:
    return history.played_counts[tables[seat[0]][seat[1]]] == history.played_counts[tables[other[0]][other[1]]]


def _gain(tables: Tables, seat: tuple[int, int], other: tuple[int, int], history: TableHistory) -> int:
    """Return by how much familiarity at the tables decreases if these two exchange places."""
    (table, place), (other_table, other_place) = seat, other
    outgoing, incoming = tables[table][place], tables[other_table][other_place]
    gain = _familiarity(outgoing, tables[table], history) - _familiarity(
        incoming, _with(tables[table], place, incoming), history
    )
    if other_table == len(tables) - 1:
        return gain
    return (
        gain
        + _familiarity(incoming, tables[other_table], history)
        - _familiarity(outgoing, _with(tables[other_table], other_place, outgoing), history)
    )


def _with(table: Sequence[str], place: int, name: str) -> list[str]:
    return [*table[:place], name, *table[place + 1 :]]


def _familiarity(name: str, table: Sequence[str], history: TableHistory) -> int:
    """Sum of squares, so that a third meeting weighs more than two second ones."""
    return sum((history.met_counts[frozenset((name, other))] + 1) ** 2 for other in table if other != name)


def _seat_familiarity(order: Sequence[str], sides: Sides, history: TableHistory) -> tuple[int, int]:
    partners = sum((history.partner_counts[pair] + 1) ** 2 for pair in _partners(order, sides))
    return partners, sum((history.seat_counts[name, seat] + 1) ** 2 for seat, name in enumerate(order))


def _partners(order: Sequence[str], sides: Sides) -> list[frozenset[str]]:
    return [frozenset((order[seat], order[other])) for side in sides for seat, other in combinations(side, 2)]
