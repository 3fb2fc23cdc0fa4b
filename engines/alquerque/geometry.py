"""The board: 25 points, 56 lines, and what follows from them, worked out once.

A set of points is an integer, one bit a point. A row takes six bits, the sixth always empty, so that
shifting all men one way can carry nobody round the edge. A path is an integer too: its points as
digits in base 32, each numbered 1 to 25 in the order of their names. Two points make a step or a
jump, more a chain of jumps, a single one names a man; and who walks further has the larger number.
"""

FILES = "abcde"
RANKS = "12345"
ROW_BITS = 6
DIGIT_BITS = 5

PLACES = [(file, rank) for file in range(5) for rank in range(5)]
NAMES = ("?", *(FILES[file] + RANKS[rank] for file, rank in PLACES))
NUMBERS = {name: number for number, name in enumerate(NAMES) if number}
BITS = (0, *(1 << (rank * ROW_BITS + file) for file, rank in PLACES))
NUMBER_OF = {bit: number for number, bit in enumerate(BITS) if bit}
BOARD = sum(BITS)
CROSSINGS = sum(BITS[number] for number, (file, rank) in enumerate(PLACES, 1) if (file + rank) % 2 == 0)
"""The points that diagonal lines run through."""

UP = (ROW_BITS - 1, ROW_BITS, ROW_BITS + 1)
SIDEWAYS = 1


class Way:
    """One of the eight directions, as a shift of bits, with its steps and jumps by where they land."""

    __slots__ = ("jumps", "shift", "starts", "steps")

    def __init__(self, shift: int) -> None:
        self.shift = shift
        self.starts = CROSSINGS if abs(shift) in (ROW_BITS - 1, ROW_BITS + 1) else BOARD
        self.steps = {to: path_of(bit, to) for bit, to in _landings(self, 1)}
        self.jumps = {to: path_of(bit, to) for bit, to in _landings(self, 2)}


def shifted(bits: int, shift: int) -> int:
    return bits << shift if shift > 0 else bits >> -shift


def path_of(*bits: int) -> int:
    path = 0
    for bit in bits:
        path = path << DIGIT_BITS | NUMBER_OF[bit]
    return path


def points_of(path: int) -> list[int]:
    """The numbers of the points on a path, in order."""
    points = []
    while path:
        points.append(path & 31)
        path >>= DIGIT_BITS
    return points[::-1]


def _landings(way: Way, far: int) -> list[tuple[int, int]]:
    found = []
    for bit in BITS[1:]:
        path = [shifted(bit, way.shift * steps) for steps in range(far + 1)]
        if bit & way.starts and all(place & BOARD for place in path):
            found.append((bit, path[-1]))
    return found


WAYS = {shift: Way(shift) for up in (*UP, SIDEWAYS) for shift in (up, -up)}
ALL_WAYS = tuple(WAYS.values())
FORWARD_WAYS = tuple(
    tuple(way for way in ALL_WAYS if way.shift * ahead in UP or abs(way.shift) == SIDEWAYS) for ahead in (1, -1)
)
"""For White and for Black: the ways that do not go back."""

FLIPPED: list[int] = [0] * 1024
"""By a path of two points: both of them, as a set."""
TAKEN: list[int] = [0] * 1024
"""By a path of two points: the point jumped over, or 0 for a step."""

for _way in ALL_WAYS:
    for _to, _path in _way.steps.items():
        FLIPPED[_path] = BITS[_path >> DIGIT_BITS] | _to
    for _to, _path in _way.jumps.items():
        FLIPPED[_path] = BITS[_path >> DIGIT_BITS] | _to
        TAKEN[_path] = shifted(BITS[_path >> DIGIT_BITS], _way.shift)


def jumps_from(ways: tuple[Way, ...]) -> dict[int, tuple[tuple[int, int, int], ...]]:
    """By point: each jump from it as (point jumped, point landed on, number of that point)."""
    table: dict[int, list[tuple[int, int, int]]] = {bit: [] for bit in BITS[1:]}
    for way in ways:
        for to, path in way.jumps.items():
            table[BITS[path >> DIGIT_BITS]].append((TAKEN[path], to, path & 31))
    return {bit: tuple(jumps) for bit, jumps in table.items()}
