"""The steps and jumps of one colour, as tables in which what the men on the board can do is looked up.

There are two ways to find the jumps. In pure Python, operations on large numbers are the fastest: all jumps are found
at once, in a number with one lane of bits for each direction. One multiplication copies a set of points into all lanes.
The men are shifted forward by one point, and the empty points backward, so that they meet the enemy men that can be
jumped over. In compiled code, looking at one direction after the other is faster, because its numbers are those of the
processor.

There are two ways to find the steps as well. In pure Python, a dictionary has the steps of each man by the set of the
empty points beside it. In compiled code, a list is faster, and so is computing an index into it.
"""

from functools import lru_cache
from typing import Final, TypeVar

from engines.alquerque.geometry import BITS, DIGIT_BITS, FLIPPED, LEFT, RIGHT, ROW_BITS, SIDEWAYS, TAKEN, landings

T = TypeVar("T")

ALL: Final = LEFT + RIGHT
FORWARD: Final = ((*LEFT, -SIDEWAYS), (*RIGHT, SIDEWAYS))
"""Directions that do not lead backward, for White and for Black."""

LANES: Final = {shift: 8 + 36 * lane for lane, shift in enumerate(sorted(ALL))}
"""The lowest bit of each direction's lane. In this order and distance, shifted copies do not overlap."""
OWN_LANES: Final = sum([1 << lane + shift for shift, lane in LANES.items()])
ENEMY_LANES: Final = sum([1 << lane for lane in LANES.values()])
EMPTY_LANES: Final = sum([1 << lane - shift for shift, lane in LANES.items()])

MIDDLE: Final = 12
TOP: Final = 24
TWO_RANKS: Final = (1 << 11) - 1
"""The men are looked up by the two lowest ranks, the two above them from `MIDDLE` on, and the top rank."""

Man = tuple[int, dict[int, tuple[int, ...]]]
"""The points to which a man may step, and its steps by the set of those that are empty."""
Several = tuple[Man, ...]
NO_MEN: Final[Several] = ()
NO_BITS: Final[tuple[int, ...]] = ()
MAN: Final = ROW_BITS + 1
"""The number of the middle bit of a square of nine points whose lowest bit has the number 0."""
Jump = tuple[int, int, int, int]
"""The point jumped over, the point of landing, the number of that point, and all three points of the jump as a set."""


Way = tuple[int, dict[int, int]]
"""A direction of jumps: the points that can be jumped over, and the jumps by the bit of this point."""


class Paths:
    """The steps and jumps of one colour."""

    __slots__ = ("jumps", "low", "meetings", "men", "middle", "over", "steps", "top", "ways")

    def __init__(self, step_shifts: tuple[int, ...], jump_shifts: tuple[int, ...]) -> None:
        steps = [path for shift in step_shifts for path in landings(shift, 1).values()]
        self.steps = set(steps)
        self.over = {TAKEN[path] << LANES[shift]: path for shift in jump_shifts for path in landings(shift, 2).values()}
        """Each jump, by the point jumped over in the lane of its direction."""
        self.meetings = sum(self.over)
        """All these points."""
        self.ways = [_way(shift, jump_shifts) for shift in sorted(ALL)]
        """The jumps by direction, of which the first is the one that shifts bits the farthest to the right."""
        self.jumps: list[tuple[Jump, ...]] = [()] * len(BITS)
        """All jumps from each point, by the number of the point."""
        for path in self.over.values():
            self.jumps[path >> DIGIT_BITS] += ((TAKEN[path], BITS[path & 31], path & 31, FLIPPED[path] | TAKEN[path]),)
        men = {bit: _man([path for path in steps if BITS[path >> DIGIT_BITS] == bit]) for bit in BITS[1:]}
        self.men = men
        """What is known about a man, by its point."""
        self.low = _looked_up(men, NO_MEN, 0)
        """The men in the two lowest ranks, by their points."""
        self.middle = _looked_up(men, NO_MEN, MIDDLE)
        self.top = _looked_up(men, NO_MEN, TOP)


class Squares:
    """The steps of one colour, by the square of nine points of which a man is in the middle."""

    __slots__ = ("low", "middle", "steps", "top")

    def __init__(self, men: dict[int, Man]) -> None:
        self.steps: list[list[tuple[int, ...]]] = [[]] * (max(men).bit_length())
        """The steps of a man, by the number of its bit and by the empty points around it (see `steps_by_square`)."""
        for bit, man in men.items():
            self.steps[bit.bit_length() - 1] = _around(bit, man)
        bits = {bit: bit.bit_length() - 1 for bit in men}
        self.low = _looked_up(bits, NO_BITS, 0)
        """The numbers of the bits of the men in the two lowest ranks, by their points."""
        self.middle = _looked_up(bits, NO_BITS, MIDDLE)
        self.top = _looked_up(bits, NO_BITS, TOP)


@lru_cache(maxsize=3)
def paths_of(no_backward: str) -> tuple[Paths, Paths]:
    """Return the paths of White and of Black for a value of the option `no_backward`."""
    if no_backward == "off":
        either = Paths(ALL, ALL)
        return either, either
    white, black = FORWARD
    if no_backward == "all":
        return Paths(white, white), Paths(black, black)
    return Paths(white, ALL), Paths(black, ALL)


@lru_cache(maxsize=3)
def squares_of(no_backward: str) -> tuple[Squares, ...]:
    """Return the squares of White and of Black for a value of the option `no_backward`."""
    return tuple([Squares(paths.men) for paths in paths_of(no_backward)])


def steps_by_men(paths: Paths, own: int, empty: int) -> list[int]:
    """Return the steps that are possible, by looking up those of each man."""
    found: list[int] = []
    for near, steps in paths.low[own & TWO_RANKS] + paths.middle[own >> MIDDLE & TWO_RANKS] + paths.top[own >> TOP]:
        free = near & empty
        if free:
            found += steps[free]
    return found


def steps_by_square(squares: Squares, own: int, empty: int) -> list[int]:
    """Return the same, in the same order, by an index that the empty points around each man are moved together into."""
    found: list[int] = []
    above = empty << MAN
    for men in (squares.low[own & TWO_RANKS], squares.middle[own >> MIDDLE & TWO_RANKS], squares.top[own >> TOP]):
        for bit in men:
            square = above >> bit
            around = square & 7 | square >> 3 & 40 | square >> 6 & 448
            if around:
                found += squares.steps[bit][around]
    return found


def jumps_in_lanes(paths: Paths, own: int, enemy: int, empty: int) -> list[int]:
    """Return the single jumps that are possible, by looking at all directions at once."""
    met = own * OWN_LANES & enemy * ENEMY_LANES & empty * EMPTY_LANES & paths.meetings
    found: list[int] = []
    while met:
        over = met & -met
        met ^= over
        found.append(paths.over[over])
    return found


def jumps_by_direction(paths: Paths, own: int, enemy: int, empty: int) -> list[int]:
    """Return the same, in the same order, by looking at one direction after the other."""
    found: list[int] = []
    # Written out, because loops over tuples are slow. The numbers are those of `SIDEWAYS` and `UP`.
    down_right = own >> 5 & empty << 5 & enemy
    down = own >> 6 & empty << 6 & enemy
    down_left = own >> 7 & empty << 7 & enemy
    left = own >> 1 & empty << 1 & enemy
    right = own << 1 & empty >> 1 & enemy
    up_left = own << 5 & empty >> 5 & enemy
    up = own << 6 & empty >> 6 & enemy
    up_right = own << 7 & empty >> 7 & enemy
    if down_left | down | down_right | left:
        _add(paths.ways[0], down_left, found)
        _add(paths.ways[1], down, found)
        _add(paths.ways[2], down_right, found)
        _add(paths.ways[3], left, found)
    if right | up_left | up | up_right:
        _add(paths.ways[4], right, found)
        _add(paths.ways[5], up_left, found)
        _add(paths.ways[6], up, found)
        _add(paths.ways[7], up_right, found)
    return found


def _add(way: Way, met: int, found: list[int]) -> None:
    """Add the jumps in one direction over those of the points in `met` where there are any."""
    if not met:
        return
    points, jumps = way
    met &= points
    while met:
        over = met & -met
        met ^= over
        found.append(jumps[over])


def _way(shift: int, shifts: tuple[int, ...]) -> Way:
    """Return the jumps in a direction; there are none if it is not one of the given ones."""
    jumps = {TAKEN[path]: path for path in landings(shift, 2).values()} if shift in shifts else {}
    return sum(jumps), jumps


def _man(steps: list[int]) -> Man:
    by_empty: dict[int, tuple[int, ...]] = {0: ()}
    for step in steps:
        to = BITS[step & 31]
        by_empty |= {empty | to: (*found, step) for empty, found in by_empty.items()}
    return max(by_empty), by_empty


def _around(bit: int, man: Man) -> list[tuple[int, ...]]:
    near, steps = man
    squares = [around & 7 | (around & 40) << 3 | (around & 448) << 6 for around in range(512)]
    return [steps[square * bit >> MAN & near] for square in squares]


def _looked_up(men: dict[int, T], nobody: tuple[T, ...], shift: int) -> list[tuple[T, ...]]:
    """Return the men on two ranks by the set of their points, of which the lowest is at the bit `shift`."""
    table = [nobody]
    for several in range(1, TWO_RANKS + 1):
        highest = 1 << several.bit_length() - 1
        others = table[several ^ highest]
        man = men.get(highest << shift)
        table.append(others if man is None else (*others, man))
    return table
