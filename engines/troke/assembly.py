"""The turns of single pieces: plain steps, and every way to go on for a piece that has landed on others.

An assembly is followed step by step. What it needs to know is few: its turn so far, where it is, its
shapes, the circles that are blocked for it, and how many steps are left. A circle is blocked if a piece
of one of its shapes stands there; the circle from which such a piece was taken along is not.
"""

from typing import Final, TypeAlias

from engines.troke.rules import Rules
from engines.troke.turns import DIGIT_BITS, circles, standing_on, stepped

Sets: TypeAlias = tuple[int, ...]
OTHERS: Final = tuple(tuple(shape for shape in range(3) if not having & 1 << shape) for having in range(8))
"""By the shapes an assembly has, as three bits: those it lacks."""


class Filled:
    """Which circles hold what, and what of it a given seat could capture."""

    __slots__ = ("loose", "occupied", "prey", "sets")

    def __init__(self, rules: Rules, sets: tuple[int, ...]) -> None:
        self.sets = sets
        towers = walls = moats = loose_towers = loose_walls = loose_moats = 0
        index = 0
        for ways in rules.ways:
            on_the_way = ~ways.goal
            towers |= sets[index]
            loose_towers |= sets[index] & on_the_way
            walls |= sets[index + 1]
            loose_walls |= sets[index + 1] & on_the_way
            moats |= sets[index + 2]
            loose_moats |= sets[index + 2] & on_the_way
            index += 3
        self.occupied: Sets = (towers, walls, moats)
        """By shape."""
        self.loose: Sets = (loose_towers, loose_walls, loose_moats)
        """By shape: those that are not on their owner's goal row, and can be captured."""
        self.prey: Sets = (
            loose_towers | loose_walls | loose_moats,
            loose_walls | loose_moats,
            loose_towers | loose_moats,
            loose_moats,
            loose_towers | loose_walls,
            loose_walls,
            loose_towers,
            0,
        )
        """By the shapes of an assembly, as three bits: where it captures, if it can enter at all."""


class Assembly:
    """The turns of the pieces of one seat, in `found`."""

    __slots__ = ("_along_the_row", "_filled", "_goal", "_rules", "_seat", "_ways", "found")

    def __init__(self, rules: Rules, seat: int, filled: Filled) -> None:
        self.found: list[int] = []
        self._rules = rules
        self._seat = seat
        self._ways = rules.ways[seat]
        self._goal = self._ways.goal
        self._filled = filled
        self._along_the_row = True

    def turns_from(self, shape: int, at: int) -> None:
        """Find every turn that the piece of that shape can make from the circle `at`."""
        entered = self._ways.steps[at] & ~self._filled.occupied[shape]
        hits = entered & self._filled.prey[1 << shape]
        if hits:
            entered ^= hits
            self._captures(shape, at, hits)
        if entered:
            self.found += self._ways.quiet(shape, at, entered)
            arrivals = entered & self._goal
            if arrivals and self._rules.free_step and not 1 << at & self._goal:
                self._free_steps(shape, at, arrivals)

    def can_step(self, shape: int, at: int) -> bool:
        """Can that piece step onto a circle where it captures nothing?"""
        return self._ways.steps[at] & ~self._filled.occupied[shape] & ~self._filled.prey[1 << shape] != 0

    def _captures(self, shape: int, at: int, hits: int) -> None:
        """Find the turns in which a piece lands on other pieces, on the circles `hits`."""
        start = 1 << at
        # With free_step an arrival ends the turn; a piece that moves within the row does not arrive.
        self._along_the_row = not self._rules.free_step or bool(start & self._goal)
        blocked = self._filled.occupied[shape] ^ start
        self._capture(standing_on(shape, at), hits, 1 << shape, blocked, 0, ())

    def _free_steps(self, shape: int, at: int, arrivals: int) -> None:
        """Find the turns in which a piece arrives without a capture and makes a free step along the row."""
        blocked = self._filled.occupied[shape] ^ 1 << at
        prey = self._filled.prey[1 << shape]
        for goal in circles(arrivals):
            turn = stepped(standing_on(shape, at), goal, False)
            for to in circles(self._ways.row[goal] & ~blocked):
                self.found.append(stepped(turn, to, bool(1 << to & prey)))

    def _capture(self, turn: int, hits: int, shapes: int, blocked: int, left: int, homes: tuple[int, ...]) -> None:
        """Land on each of the circles `hits`, take along what is there, and end the turn or go on.

        `left` are the steps that are left on landing, without those that the capture gives.
        """
        loose, occupied = self._filled.loose, self._filled.occupied
        may_stop, carry_home = self._rules.may_stop, self._rules.carry_home
        turn <<= DIGIT_BITS
        while hits:
            bit = hits & -hits
            hits ^= bit
            at = bit.bit_length() - 1
            joined, now_blocked, now_left = shapes, blocked, left
            for other in OTHERS[shapes]:
                if loose[other] & bit:
                    joined |= 1 << other
                    now_blocked |= occupied[other] ^ bit
                    now_left += 1
            landed = turn | at << 1 | 1
            arrived = bit & self._goal
            if arrived or may_stop:
                self.found.append(landed)
            if not arrived or self._along_the_row:
                now_homes = homes if carry_home else homes + self._homes(bit)
                self._go_on(landed, at, joined, now_blocked, now_left - 1, now_homes)

    def _go_on(self, turn: int, at: int, shapes: int, blocked: int, left: int, homes: tuple[int, ...]) -> None:
        """Make one more step with all of an assembly; `left` are the steps that are left after it."""
        entered = self._ways.enters[at] & ~blocked
        for home in homes:
            if not home & 1 << at:
                entered &= ~home
        hits = entered & self._filled.prey[shapes]
        quiet = entered ^ hits
        if hits:
            self._capture(turn, hits, shapes, blocked, left, homes)
        if not quiet:
            return
        turn <<= DIGIT_BITS
        landings = self._ways.landings(quiet)
        if not left:
            self.found += [turn | step for step in landings]
            return
        for step in landings:
            to = step >> 1
            arrived = 1 << to & self._goal
            if arrived or self._rules.may_stop:
                self.found.append(turn | step)
            if not arrived or self._along_the_row:
                self._go_on(turn | step, to, shapes, blocked, left - 1, homes)

    def _homes(self, circle: int) -> tuple[int, ...]:
        """The start rows of the enemy pieces that are captured on a circle."""
        sets = self._filled.sets
        return tuple(
            ways.start
            for seat, ways in enumerate(self._rules.ways)
            if seat != self._seat
            and not circle & ways.goal
            and circle & (sets[3 * seat] | sets[3 * seat + 1] | sets[3 * seat + 2])
        )
