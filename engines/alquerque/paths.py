"""The steps and jumps of one colour, as tables in which what the men on the board can do is looked up.

There are two ways to find the jumps. In pure Python, operations on large numbers are the fastest: all jumps are found
at once, in a number with one lane of bits for each direction. One multiplication copies a set of points into all lanes.
The men are shifted forward by one point, and the empty points backward, so that they meet the enemy men that can be
jumped over. In compiled code, a loop over the directions is faster, because its numbers are those of the processor.
"""

from functools import lru_cache
from typing import Final

from engines.alquerque.geometry import BITS, DIGIT_BITS, FLIPPED, LEFT, RIGHT, SIDEWAYS, TAKEN, landings

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
Jump = tuple[int, int, int, int]
"""The point jumped over, the point of landing, the number of that point, and all three points of the jump as a set."""


Way = tuple[int, dict[int, int]]
"""A direction of jumps: the points that can be jumped over, and the jumps by the bit of this point."""


class Paths:
    """The steps and jumps of one colour."""

    __slots__ = ("jumps", "low", "meetings", "middle", "over", "steps", "top", "ways")

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
        """By number of a point all jumps from it."""
        for path in self.over.values():
            self.jumps[path >> DIGIT_BITS] += ((TAKEN[path], BITS[path & 31], path & 31, FLIPPED[path] | TAKEN[path]),)
        men = {bit: _man([path for path in steps if BITS[path >> DIGIT_BITS] == bit]) for bit in BITS[1:]}
        self.low = _looked_up(men, 0)
        """The men in the two lowest ranks, by their points."""
        self.middle = _looked_up(men, MIDDLE)
        self.top = _looked_up(men, TOP)


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


def _looked_up(men: dict[int, Man], shift: int) -> list[Several]:
    """Return the men on two ranks by the set of their points, of which the lowest is at the bit `shift`."""
    table: list[Several] = [NO_MEN]
    for several in range(1, TWO_RANKS + 1):
        highest = 1 << several.bit_length() - 1
        others = table[several ^ highest]
        man = men.get(highest << shift)
        table.append((*others, man) if man else others)
    return table
