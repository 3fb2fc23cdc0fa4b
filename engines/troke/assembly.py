"""The turns of single pieces: plain steps, and all continuations after captures.

An assembly is followed step by step; a piece that begins its turn is an assembly of one piece. Its state consists of
its turn so far, its position, the circles that are blocked for it, its prey, and the number of steps that are left. A
circle is blocked if a piece of one of its shapes stands there; the circle from which such a piece was taken along is
not. Its prey are the pieces of other shapes that it can capture.
"""

from typing import TypeAlias

from engines.troke.rules import Rules
from engines.troke.turns import DIGIT_BITS, circles, standing_on, stepped

# A set of circles for each shape. The length is fixed so that compiled code passes numbers and creates no object.
ByShape: TypeAlias = tuple[int, int, int]


class Filled:
    """The circles that hold pieces, from the point of view of one seat."""

    __slots__ = ("loose", "occupied", "sets")

    def __init__(self, rules: Rules, sets: tuple[int, ...], seat: int) -> None:
        self.sets = sets
        mine = 3 * seat if rules.own_captures else -1
        towers = walls = moats = loose_towers = loose_walls = loose_moats = 0
        index = 0
        for ways in rules.ways:
            on_the_way = -1 if index == mine else ~ways.goal
            towers |= sets[index]
            loose_towers |= sets[index] & on_the_way
            walls |= sets[index + 1]
            loose_walls |= sets[index + 1] & on_the_way
            moats |= sets[index + 2]
            loose_moats |= sets[index + 2] & on_the_way
            index += 3
        self.occupied: ByShape = (towers, walls, moats)
        self.loose: ByShape = (loose_towers, loose_walls, loose_moats)
        """The pieces that `seat` can capture: none on their owner's goal row, except its own with `own_captures`."""

    def alone(self, shape: int) -> tuple[int, ByShape]:
        """Return the circles that are blocked for a single piece of that shape, and its prey."""
        towers, walls, moats = self.loose
        if shape == 0:
            return self.occupied[0], (0, walls, moats)
        if shape == 1:
            return self.occupied[1], (towers, 0, moats)
        return self.occupied[2], (towers, walls, 0)


class Assembly:
    """Search for the turns of the pieces of one seat; they are collected in `found`."""

    __slots__ = ("_along_the_row", "_filled", "_goal", "_rules", "_seat", "_ways", "found")

    def __init__(self, rules: Rules, seat: int, filled: Filled) -> None:
        self.found: list[int] = []
        self._rules = rules
        self._seat = seat
        self._ways = rules.ways[seat]
        self._goal = self._ways.goal
        self._filled = filled
        self._along_the_row = True

    def find(self, shape: int, among: int) -> None:
        """Find every turn that the pieces of that shape on the circles `among` can make."""
        blocked, prey = self._filled.alone(shape)
        while among:
            start = among & -among
            among ^= start
            at = start.bit_length() - 1
            if self._ways.steps[at] & ~blocked:
                # With `free_step` an arrival ends the turn; a piece that moves within the row does not arrive.
                arrived = bool(start & self._goal)
                self._along_the_row = self._rules.leftover_steps or arrived
                self._go_on(standing_on(shape, at), at, blocked ^ start, prey, 0, ())
                if self._rules.free_step and not arrived:
                    self._free_steps(shape, at, blocked ^ start, prey)

    def _free_steps(self, shape: int, at: int, blocked: int, prey: ByShape) -> None:
        """Find the turns in which a piece arrives without a capture and makes a free step along the row."""
        towers, walls, moats = prey
        captures = towers | walls | moats
        for goal in circles(self._ways.steps[at] & self._goal & ~(blocked | captures)):
            turn = stepped(standing_on(shape, at), goal, False)
            for to in circles(self._ways.row[goal] & ~blocked):
                self.found.append(stepped(turn, to, bool(1 << to & captures)))

    def _capture(self, turn: int, hits: int, blocked: int, prey: ByShape, left: int, homes: tuple[int, ...]) -> None:
        """Land on each of the circles `hits`, capture what is there, and end or continue the turn.

        `left` is the number of steps that are left on landing, without those gained by the capture.
        """
        towers, walls, moats = self._filled.occupied
        may_stop, carry_home = self._rules.may_stop, self._rules.carry_home
        turn <<= DIGIT_BITS
        while hits:
            bit = hits & -hits
            hits ^= bit
            at = bit.bit_length() - 1
            # The three shapes are written out so that compiled code uses nothing but numbers here.
            now_blocked, now_left = blocked, left
            more_towers, more_walls, more_moats = prey
            if more_towers & bit:
                now_blocked |= towers ^ bit
                now_left += 1
                more_towers = 0
            if more_walls & bit:
                now_blocked |= walls ^ bit
                now_left += 1
                more_walls = 0
            if more_moats & bit:
                now_blocked |= moats ^ bit
                now_left += 1
                more_moats = 0
            landed = turn | at << 1 | 1
            arrived = bit & self._goal
            if arrived or may_stop:
                self.found.append(landed)
            if not arrived or self._along_the_row:
                now_homes = homes if carry_home else homes + self._homes(bit)
                now_prey = (more_towers, more_walls, more_moats)
                self._go_on(landed, at, now_blocked, now_prey, now_left - 1, now_homes)

    def _go_on(self, turn: int, at: int, blocked: int, prey: ByShape, left: int, homes: tuple[int, ...]) -> None:
        """Make one step with the whole assembly; `left` is the number of steps that are left after it."""
        entered = self._ways.enters[at] & ~blocked
        for home in homes:
            if not home & 1 << at:
                entered &= ~home
        towers, walls, moats = prey
        hits = entered & (towers | walls | moats)
        if hits:
            self._capture(turn, hits, blocked, prey, left, homes)
            entered ^= hits
        if not left:
            self._end_on(turn, entered)
            return
        turn <<= DIGIT_BITS
        while entered:
            bit = entered & -entered
            entered ^= bit
            to = bit.bit_length() - 1
            arrived = bit & self._goal
            if arrived or self._rules.may_stop:
                self.found.append(turn | to << 1)
            if not arrived or self._along_the_row:
                self._go_on(turn | to << 1, to, blocked, prey, left - 1, homes)

    def _end_on(self, turn: int, entered: int) -> None:
        """Find the turns that end with a step to one of the circles `entered`."""
        found = self.found
        turn <<= DIGIT_BITS
        while entered:
            bit = entered & -entered
            entered ^= bit
            found.append(turn | bit.bit_length() - 1 << 1)

    def _homes(self, circle: int) -> tuple[int, ...]:
        """Return the start rows of the enemy pieces that are captured on a circle."""
        sets = self._filled.sets
        return tuple(
            ways.start
            for seat, ways in enumerate(self._rules.ways)
            if seat != self._seat
            and not circle & ways.goal
            and circle & (sets[3 * seat] | sets[3 * seat + 1] | sets[3 * seat + 2])
        )
