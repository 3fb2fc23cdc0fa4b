"""The board: 25 points, 56 lines, and tables that are computed from them once.

A set of points is an integer with one bit per point. A rank occupies six bits, of which the sixth is always empty, so
that shifting all men in one direction cannot move any of them around the edge. A path is an integer as well: its points
are digits in base 32, numbered from 1 to 25 in the order of their names. A path of two points is a step or a jump, a
longer one is a chain of jumps, and one of a single point names a man. A path with more points is always the larger
number.
"""

from typing import Final

FILES: Final = "abcde"
RANKS: Final = "12345"
ROW_BITS: Final = 6
RANK: Final = (1 << len(FILES)) - 1
"""All points of the lowest rank; those of each following rank are `ROW_BITS` higher."""
DIGIT_BITS: Final = 5
DIGITS: Final = "0123456789abcdefghijklmnopqrstuv"

PLACES: Final = [(file, rank) for file in range(5) for rank in range(5)]
NAMES: Final = ("?", *(FILES[file] + RANKS[rank] for file, rank in PLACES))
NUMBERS: Final = {name: number for number, name in enumerate(NAMES) if number}
BITS: Final = (0, *(1 << (rank * ROW_BITS + file) for file, rank in PLACES))
NUMBER_OF: Final = {bit: number for number, bit in enumerate(BITS) if bit}
BOARD: Final = sum(BITS)
CROSSINGS: Final = sum(BITS[number] for number, (file, rank) in enumerate(PLACES, 1) if (file + rank) % 2 == 0)
"""The points with diagonal lines."""

UP: Final = (ROW_BITS - 1, ROW_BITS, ROW_BITS + 1)
SIDEWAYS: Final = 1


def shifted(bits: int, shift: int) -> int:
    return bits << shift if shift > 0 else bits >> -shift


def path_of(*bits: int) -> int:
    return int("".join([DIGITS[NUMBER_OF[bit]] for bit in bits]), base=len(DIGITS))


def points_of(path: int) -> list[int]:
    """Return the numbers of the points of a path, in order."""
    points = []
    while path:
        points.append(path & 31)
        path >>= DIGIT_BITS
    return points[::-1]


def _starts(shift: int) -> int:
    return BOARD if abs(shift) in (SIDEWAYS, ROW_BITS) else CROSSINGS


def landings(shift: int, points: int) -> dict[int, int]:
    """Return the paths in a direction by the bit of their end, with a length of one point (steps) or two (jumps)."""
    found = {}
    for bit in BITS[1:]:
        line = [shifted(bit, shift * far) for far in range(points + 1)]
        if bit & _starts(shift) and all(point & BOARD for point in line):
            found[line[-1]] = path_of(bit, line[-1])
    return found


LEFT: Final = (SIDEWAYS, *UP)
"""The four directions that shift bits to the left: to the right along the rank, and up the board."""
RIGHT: Final = tuple(-shift for shift in LEFT)

FLIPPED: Final[list[int]] = [0] * 1024
"""The set of both points of a path of two points."""
TAKEN: Final[list[int]] = [0] * 1024
"""The point that a path of two points jumps over, or 0 for a step."""

for _shift in (*LEFT, *RIGHT):
    for _points in (1, 2):
        for _to, _path in landings(_shift, _points).items():
            _from = BITS[_path >> DIGIT_BITS]
            FLIPPED[_path] = _from | _to
            TAKEN[_path] = shifted(_from, _shift) if _points == 2 else 0
