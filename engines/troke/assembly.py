"""The turns of the pieces of one seat: plain steps, and all continuations after captures.

All first steps are found at once, as sets of steps (see `step_table`). Each first step that captures is then followed
to the end of its turns, of which there are at most two more steps: a piece captures at most the two other shapes, and
each captured piece gives one step. A circle is blocked for an assembly if a piece of one of its shapes stands there;
the circles from which such pieces were taken along are not.
"""

from typing import TypeAlias

from engines.troke.rules import Rules
from engines.troke.turn_list import TurnList
from engines.troke.turns import DIGIT, DIGIT_BITS, circles

# A set of circles for each shape. The length is fixed so that compiled code passes numbers and creates no object.
ByShape: TypeAlias = tuple[int, int, int]


class Filled:
    """The circles that hold pieces, from the point of view of one seat."""

    __slots__ = ("free", "loose", "occupied")

    def __init__(self, rules: Rules, seat: int, sets: tuple[int, ...], packed: int) -> None:
        many = rules.table.circles
        every = rules.table.every_circle
        there = packed >> rules.table.occupied
        towers, walls, moats = there & every, there >> many & every, there >> 2 * many & every
        self.occupied: ByShape = (towers, walls, moats)
        self.free: ByShape = (~(walls | moats), ~(moats | towers), ~(towers | walls))
        """The circles that hold pieces of neither other shape."""
        there >>= 3 * many
        towers, walls, moats = there & every, there >> many & every, there >> 2 * many & every
        if rules.own_captures:
            goal = rules.ways[seat].goal
            towers |= sets[3 * seat] & goal
            walls |= sets[3 * seat + 1] & goal
            moats |= sets[3 * seat + 2] & goal
        self.loose: ByShape = (towers, walls, moats)
        """The pieces that `seat` can capture: none on their owner's goal row, except its own with `own_captures`."""


class Assembly(TurnList):
    """The turns of the pieces of one seat, found when it is created."""

    __slots__ = ("_filled", "_rules", "_seat", "_sets", "_ways")

    def __init__(self, rules: Rules, seat: int, sets: tuple[int, ...], packed: int, among: int, barred: int) -> None:
        """Find every turn that begins with one of the steps `among`.

        Those `barred` are left out if there are other turns, or in any case with `lateral_rule=strict`.
        """
        ways, table = rules.ways[seat], rules.table
        self._rules, self._seat, self._ways, self._sets = rules, seat, ways, sets
        self.turns, self.segments, self.count = table.turns, [], 0
        begun = packed >> ways.shift & among
        begun ^= begun & packed
        first = begun & packed >> table.steps
        second = begun & packed >> table.second
        if rules.own_captures:
            first, second = self._with_own(begun, first, second)
        hits = first | second
        plain = begun ^ hits
        if hits:
            self._filled = Filled(rules, seat, sets, packed)
            both = first & second
            if both:
                self._capture_two(both)
            self._capture_one(first ^ both | (second ^ both) << table.steps)
            if not rules.may_stop:
                hits &= ways.arriving
        if rules.free_step and plain & ways.arriving:
            self._filled = Filled(rules, seat, sets, packed)
            self._make_free_steps(plain & ways.arriving)
        if plain & barred:
            others = plain ^ plain & barred
            if others or hits or self.count or rules.strict:
                plain = others
        self.steps = plain | hits << table.steps if hits else plain
        self.count += self.steps.bit_count()

    def _capture_one(self, hits: int) -> None:
        """Follow first steps that capture one piece: the turn has one more step, which may capture, too."""
        filled, segments, limited = self._filled, self.segments, self._rules.limits_continuation
        occupied, loose, free, tracks = filled.occupied, filled.loose, filled.free, self._ways.hits
        while hits:
            number = hits.bit_length() - 1
            hits ^= 1 << number
            turn, start, bit, back, ends, captured, other, _ = tracks[number]
            ends &= free[other]
            if back and not occupied[captured] & back:
                ends |= back
            if limited:
                ends = self._limited(ends, start, bit, bit)
            again = ends & loose[other]
            if again:
                ends ^= again
                self._capture_again(number, again)
            if ends:
                self.count += ends.bit_count()
                segments.append((turn, ends, self.count))

    def _capture_again(self, number: int, hits: int) -> None:
        """Follow second steps, after a first one, that capture the third shape: the turn has one more step."""
        turn, start, bit, _, _, captured, other, shape = self._ways.hits[number]
        rules, enters, filled = self._rules, self._ways.enters, self._filled
        blocked, others = filled.occupied[shape] ^ start | filled.occupied[captured] ^ bit, filled.occupied[other]
        stops = hits if rules.may_stop else hits & self._ways.goal
        turn |= 1
        if stops:
            self._add(turn, stops)
        while hits:
            to = hits & -hits
            hits ^= to
            last = to.bit_length() - 1
            ends = enters[last] & ~(blocked | others ^ to)
            if ends and rules.limits_continuation:
                ends = self._limited(ends, start, to, bit | to)
            if ends:
                self._add((turn | last << 1) << DIGIT_BITS, ends)

    def _capture_two(self, hits: int) -> None:
        """Follow first steps that capture two pieces: the turn has two more steps, which capture nothing."""
        rules, ways, occupied, limited = self._rules, self._ways, self._filled.occupied, self._rules.limits_continuation
        enters, tracks = ways.enters, ways.hits
        while hits:
            number = hits.bit_length() - 1
            hits ^= 1 << number
            turn, start, bit, _, entered, captured, other, shape = tracks[number]
            free = ~(occupied[shape] ^ start | occupied[captured] ^ bit | occupied[other] ^ bit)
            entered &= free
            if limited:
                entered = self._limited(entered, start, bit, bit)
            stops = entered if rules.may_stop else entered & ways.goal
            if stops:
                self._add(turn, stops)
            while entered:
                to = entered & -entered
                entered ^= to
                last = to.bit_length() - 1
                ends = enters[last] & free
                if ends and limited:
                    ends = self._limited(ends, start, to, bit)
                if ends:
                    self._add((turn | last << 1) << DIGIT_BITS, ends)

    def _add(self, start: int, ends: int) -> None:
        self.count += ends.bit_count()
        self.segments.append((start, ends, self.count))

    def _limited(self, ends: int, start: int, at: int, captured: int) -> int:
        """Return the circles that may be entered from `at`, after captures on the circles `captured`, under options."""
        rules = self._rules
        goal = self._ways.goal
        # Without `leftover_steps`, an arrival ends the turn; a piece that moves within the row does not arrive.
        if at & goal and not start & goal and not rules.leftover_steps:
            return 0
        if not rules.carry_home:
            for seat, ways in enumerate(rules.ways):
                mine = self._sets[3 * seat] | self._sets[3 * seat + 1] | self._sets[3 * seat + 2]
                if seat != self._seat and captured & mine & ~ways.goal and not at & ways.start:
                    ends &= ~ways.start
        return ends

    def _make_free_steps(self, arrivals: int) -> None:
        """Find the turns in which a piece arrives without a capture and makes a free step along the row."""
        turns, ways, filled = self.turns, self._ways, self._filled
        for step in circles(arrivals):
            turn = turns[step]
            shape, at, to = (turn >> 2 * DIGIT_BITS) - 1, turn >> DIGIT_BITS & DIGIT, (turn & DIGIT) >> 1
            ends = ways.row[to] & ~filled.occupied[shape]
            captures = ends & (filled.loose[(shape + 1) % 3] | filled.loose[(shape + 2) % 3])
            if ways.goal & 1 << at:
                continue  # A piece that moves within the row does not arrive.
            if captures:
                self._add(turn << DIGIT_BITS | 1, captures)
            if ends ^ captures:
                self._add(turn << DIGIT_BITS, ends ^ captures)

    def _with_own(self, begun: int, first: int, second: int) -> tuple[int, int]:
        """Return the first steps that capture, with those that capture own pieces on the goal row."""
        rules = self._rules
        goal = rules.ways[self._seat].goal
        for shape in range(3):
            for circle in circles(self._sets[3 * self._seat + shape] & goal):
                more_first, more_second = rules.table.capturing(shape, circle)
                first |= begun & more_first
                second |= begun & more_second
        return first, second
