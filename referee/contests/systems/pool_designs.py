"""Designs of pools: schedules in which any two entrants meet equally often, for numbers of entrants where one is known.

There are two constructions. An affine plane has as many entrants as the square of the seats at a table: they are the
points of a plane, and the tables of a round are the parallel lines of one direction. A cyclic design is one round, from
which each next one follows: every number moves up by one within its block of numbers, and the highest number stays if
all play.
"""

from collections.abc import Iterator

from msgspec import Struct

Table = tuple[int, ...]

MODULUS = {4: 0b111, 8: 0b1011}
"""Irreducible polynomials, by which the products of a field of four or eight elements are reduced."""
PLANES = (2, 3, 4, 5, 7, 8)
"""Seats at a table for which there is a field, and so a plane."""


class PoolDesign(Struct, frozen=True, gc=False):
    """Entrants are numbers from 0."""

    rounds: int
    meetings: int
    """How often any two meet."""
    partners: bool
    """Whether the first and third of a table, and the second and fourth, are partners equally often too."""
    first_round: tuple[Table, ...] = ()
    """Tables of the first round of a cyclic design. Empty: the design is a plane."""
    seats: int = 0
    """Seats at a table of a plane."""

    def tables(self, number: int) -> list[Table]:
        """Return the tables of a round, from 0. Numbers that are missing have a bye."""
        if self.first_round:
            return [tuple(self._moved(player, number) for player in table) for table in self.first_round]
        return [tuple(self._line(number, start)) for start in range(self.seats)]

    def _moved(self, player: int, number: int) -> int:
        playing = sum(map(len, self.first_round))
        if player == playing - 1 and playing % self.rounds == 1:
            return player
        return player // self.rounds * self.rounds + (player + number) % self.rounds

    def _line(self, slope: int, start: int) -> Iterator[int]:
        for across in range(self.seats):
            if slope == self.seats:  # Upright lines have no slope.
                yield start * self.seats + across
            else:
                yield across * self.seats + _sum(_product(slope, across, self.seats), start, self.seats)


def find_designs(seats: int, entrants: int) -> list[PoolDesign]:
    """Return the designs that are known, those with the fewest meetings first."""
    designs = []
    if entrants == seats**2 and seats in PLANES:
        designs.append(PoolDesign(seats + 1, 1, partners=False, seats=seats))
    found = [design for size, design in CYCLIC if size == (seats, entrants)]
    if entrants == seats + 1 and not found:
        found.append(_cyclic(entrants, entrants, (tuple(range(1, entrants)),)))
    return sorted([*designs, *found], key=lambda design: design.meetings)


def _cyclic(entrants: int, rounds: int, first_round: tuple[Table, ...]) -> PoolDesign:
    seats = len(first_round[0])
    meetings = rounds * len(first_round) * seats * (seats - 1) // (entrants * (entrants - 1))
    return PoolDesign(rounds, meetings, (seats, meetings) == (4, 3), first_round)


def _sum(term: int, other: int, order: int) -> int:
    return term ^ other if order in MODULUS else (term + other) % order


def _product(factor: int, other: int, order: int) -> int:
    if order not in MODULUS:
        return factor * other % order
    product = 0
    for place in reversed(range(order.bit_length() - 1)):
        product <<= 1
        if product & order:
            product ^= MODULUS[order]
        if other >> place & 1:
            product ^= factor
    return product


def _parse(line: str) -> tuple[tuple[int, int], PoolDesign]:
    head, _, tables = line.partition(":")
    seats, entrants, rounds = map(int, head.split())
    first_round = tuple(tuple(map(int, table.split())) for table in tables.split(","))
    return (seats, entrants), _cyclic(entrants, rounds, first_round)


FIRST_ROUNDS = """
3 7 7: 6 5 3, 2 4 1
3 12 11: 10 6 5, 9 1 7, 2 0 3, 4 11 8
3 13 13: 7 8 2, 11 9 6, 1 5 4, 12 3 10
3 15 7: 7 11 12, 1 0 8, 2 4 13, 10 5 14, 3 9 6
3 16 16: 3 8 12, 2 6 9, 5 10 4, 13 14 11, 7 1 15
3 18 17: 13 1 11, 7 9 12, 5 6 2, 15 4 17, 8 0 16, 3 10 14
3 19 19: 18 3 12, 11 16 13, 6 5 7, 1 17 8, 9 15 4, 10 14 2
3 24 23: 21 4 0, 18 22 23, 5 19 8, 10 20 3, 16 7 15, 1 2 12, 11 6 13, 14 9 17
3 25 25: 9 23 5, 8 13 2, 17 21 18, 3 1 20, 11 4 24, 15 6 16, 12 22 14, 10 19 7
3 27 13: 9 24 26, 22 23 18, 2 20 4, 14 16 10, 1 11 5, 15 3 25, 7 6 17, 21 8 0, 19 12 13
3 30 29: 23 28 18, 17 7 0, 16 24 13, 19 12 8, 2 4 3, 9 15 1, 27 10 25, 14 20 11, 5 29 21, 22 26 6
4 5 5: 2 1 3 4
4 8 7: 1 3 2 5, 7 4 6 0
4 12 11: 5 6 2 0, 3 10 1 9, 8 7 4 11
4 13 13: 5 9 7 10, 4 2 1 8, 6 3 11 12
4 16 15: 10 9 14 8, 7 0 4 2, 6 12 11 3, 15 5 1 13
4 17 17: 10 1 14 8, 16 13 5 15, 11 7 2 12, 6 4 9 3
4 20 19: 8 7 14 0, 11 4 2 12, 10 1 5 16, 15 18 13 17, 9 19 6 3
4 21 21: 13 9 18 8, 1 11 19 17, 4 2 16 10, 20 7 6 3, 14 15 12 5
4 24 23: 10 18 9 13, 21 20 1 14, 3 6 15 8, 0 2 19 11, 7 5 22 12, 17 16 4 23
4 25 25: 6 1 19 2, 9 16 5 14, 7 20 22 3, 11 17 18 8, 15 4 21 24, 23 13 12 10
4 28 9: 0 23 24 12, 18 25 22 6, 21 17 3 1, 4 5 14 8, 10 9 26 16, 7 15 11 20, 2 27 19 13
4 28 27: 21 7 16 9, 19 12 11 8, 13 5 0 2, 26 20 17 3, 18 27 6 1, 10 14 4 25, 22 23 15 24
4 32 31: 2 3 27 24, 28 7 19 12, 22 26 20 25, 23 1 9 21, 31 30 10 14, 6 4 18 17, 15 5 11 29, 0 13 8 16
5 11 11: 3 4 1 5 9, 7 2 6 10 8
5 16 16: 13 7 6 3 11, 8 1 14 15 12, 10 2 5 4 9
5 20 19: 8 0 4 2 7, 13 12 3 15 18, 6 10 17 5 16, 11 14 1 9 19
5 21 21: 11 14 7 4 5, 1 20 16 17 12, 2 9 18 10 8, 13 15 6 19 3
6 12 11: 9 4 2 5 8 7, 6 3 1 11 0 10
6 13 13: 1 3 9 12 4 10, 2 8 7 11 5 6
6 19 19: 9 13 4 15 6 10, 11 8 12 1 18 7, 16 17 2 14 3 5
6 24 23: 5 23 14 11 12 1, 8 10 17 16 22 7, 15 18 0 13 19 3, 20 4 21 6 2 9
8 16 15: 5 1 15 6 2 4 11 13, 10 8 7 0 3 9 14 12
8 17 17: 13 4 8 15 9 16 2 1, 11 5 12 10 7 6 3 14
"""
"""Seats at a table, number of entrants and of rounds, and the tables of the first round, which a search has found."""

CYCLIC = [*map(_parse, FIRST_ROUNDS.strip().splitlines())]
"""Seats and entrants, and the design."""
