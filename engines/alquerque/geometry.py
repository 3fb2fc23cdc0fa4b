"""The board: 25 points, 56 lines, and what follows from them, worked out once.

A set of points is an integer, one bit a point. A row takes six bits, the sixth always empty, so that
shifting all men one way can carry nobody round the edge. A path is an integer too: its points as
digits in base 32, each numbered 1 to 25 in the order of their names. Two points make a step or a
jump, more a chain of jumps, a single one names a man; and who walks further has the larger number.
"""

from typing import Final

FILES: Final = "abcde"
RANKS: Final = "12345"
ROW_BITS: Final = 6
RANK: Final = (1 << len(FILES)) - 1
"""All points of the lowest rank; the others are `ROW_BITS` higher each."""
DIGIT_BITS: Final = 5
DIGITS: Final = "0123456789abcdefghijklmnopqrstuv"

PLACES: Final = [(file, rank) for file in range(5) for rank in range(5)]
NAMES: Final = ("?", *(FILES[file] + RANKS[rank] for file, rank in PLACES))
NUMBERS: Final = {name: number for number, name in enumerate(NAMES) if number}
BITS: Final = (0, *(1 << (rank * ROW_BITS + file) for file, rank in PLACES))
NUMBER_OF: Final = {bit: number for number, bit in enumerate(BITS) if bit}
BOARD: Final = sum(BITS)
CROSSINGS: Final = sum(BITS[number] for number, (file, rank) in enumerate(PLACES, 1) if (file + rank) % 2 == 0)
"""The points that diagonal lines run through."""

UP: Final = (ROW_BITS - 1, ROW_BITS, ROW_BITS + 1)
SIDEWAYS: Final = 1


Ways = tuple[tuple[int, int, dict[int, int]], ...]
"""Directions of steps or of jumps: the shift of bits, where they start, and the path by where they land."""


def shifted(bits: int, shift: int) -> int:
    return bits << shift if shift > 0 else bits >> -shift


def path_of(*bits: int) -> int:
    return int("".join([DIGITS[NUMBER_OF[bit]] for bit in bits]), base=len(DIGITS))


def points_of(path: int) -> list[int]:
    """The numbers of the points on a path, in order."""
    points = []
    while path:
        points.append(path & 31)
        path >>= DIGIT_BITS
    return points[::-1]


def jumps_from(ways: Ways) -> dict[int, tuple[tuple[int, int, int], ...]]:
    """By point: each jump from it as (point jumped, point landed on, number of that point)."""
    table: dict[int, list[tuple[int, int, int]]] = {bit: [] for bit in BITS[1:]}
    for _, _, jumps in ways:
        for to, path in jumps.items():
            table[BITS[path >> DIGIT_BITS]].append((TAKEN[path], to, path & 31))
    return {bit: tuple(jumps) for bit, jumps in table.items()}


def ways(shifts: tuple[int, ...], points: int) -> Ways:
    """The ways of these shifts, over one point (steps) or two (jumps)."""
    return tuple((abs(shift), _starts(shift), _landings(shift, points)) for shift in shifts)


def _starts(shift: int) -> int:
    return BOARD if abs(shift) in (SIDEWAYS, ROW_BITS) else CROSSINGS


def _landings(shift: int, points: int) -> dict[int, int]:
    found = {}
    for bit in BITS[1:]:
        line = [shifted(bit, shift * far) for far in range(points + 1)]
        if bit & _starts(shift) and all(point & BOARD for point in line):
            found[line[-1]] = path_of(bit, line[-1])
    return found


LEFT: Final = (SIDEWAYS, *UP)
"""The four directions that shift bits left: sideways to the right, and up the board."""
RIGHT: Final = tuple(-shift for shift in LEFT)

FLIPPED: Final[list[int]] = [0] * 1024
"""By a path of two points: both of them, as a set."""
TAKEN: Final[list[int]] = [0] * 1024
"""By a path of two points: the point jumped over, or 0 for a step."""

for _shift in (*LEFT, *RIGHT):
    for _points in (1, 2):
        for _to, _path in _landings(_shift, _points).items():
            _from = BITS[_path >> DIGIT_BITS]
            FLIPPED[_path] = _from | _to
            TAKEN[_path] = shifted(_from, _shift) if _points == 2 else 0
