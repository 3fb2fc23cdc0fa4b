"""The turns of the pieces of one seat: plain steps, and all continuations after captures.

All first steps are found at once, as sets of steps (see `step_table`). Each first step that captures is then followed
to the end of its turns, of which there are at most two more steps: a piece captures at most the two other shapes, and
each captured piece gives one step. A circle is blocked for an assembly if a piece of one of its shapes stands there;
the circles from which such pieces were taken along are not.
"""

from typing import TypeAlias

from engines.troke.rules import Rules
from engines.troke.turn_list import Segment, TurnList
from engines.troke.turns import DIGIT, DIGIT_BITS, circles
from engines.troke.ways import Hit

# A set of circles for each shape. The length is fixed so that compiled code passes numbers and creates no object.
ByShape: TypeAlias = tuple[int, int, int]


class Filled:
    """The circles that hold pieces, from the point of view of one seat."""

    __slots__ = ("loose", "occupied")

    def __init__(self, rules: Rules, packed: int, sets: tuple[int, ...], seat: int) -> None:
        table = rules.table
        of_shape, many = (1 << table.circles) - 1, table.circles
        there = packed >> 3 * table.steps
        towers, walls, moats = there & of_shape, there >> many & of_shape, there >> 2 * many & of_shape
        self.occupied: ByShape = (towers, walls, moats)
        there >>= 3 * many
        towers, walls, moats = there & of_shape, there >> many & of_shape, there >> 2 * many & of_shape
        if rules.own_captures:
            goal = rules.ways[seat].goal
            towers |= sets[3 * seat] & goal
            walls |= sets[3 * seat + 1] & goal
            moats |= sets[3 * seat + 2] & goal
        self.loose: ByShape = (towers, walls, moats)
        """The pieces that `seat` can capture: none on their owner's goal row, except its own with `own_captures`."""

    def alone(self, shape: int) -> tuple[int, int]:
        """Return the circles that are blocked for a single piece of that shape, and those of its prey."""
        towers, walls, moats = self.loose
        if shape == 0:
            return self.occupied[0], walls | moats
        if shape == 1:
            return self.occupied[1], towers | moats
        return self.occupied[2], towers | walls


class Assembly:
    """Search for the turns of the pieces of one seat."""

    __slots__ = (
        "_free",
        "_loose",
        "_many",
        "_occupied",
        "_packed",
        "_rules",
        "_seat",
        "_segments",
        "_sets",
    )

    def __init__(self, rules: Rules, seat: int, sets: tuple[int, ...], packed: int) -> None:
        self._rules = rules
        self._seat = seat
        self._sets = sets
        self._packed = packed
        self._segments: list[Segment] = []
        self._many = 0
        """The number of turns in the segments."""

    def find(self, among: int, barred: int) -> TurnList:
        """Find every turn that begins with one of the steps `among`.

        Those `barred` are left out if there are other turns, or in any case with `lateral_rule=strict`.
        """
        rules, packed = self._rules, self._packed
        ways, width = rules.ways[self._seat], rules.table.steps
        begun = packed >> ways.shift & ways.allowed & among
        begun ^= begun & packed
        first = begun & packed >> width
        second = begun & packed >> 2 * width
        if rules.own_captures:
            first, second = self._with_own(begun, first, second)
        hits = first | second
        plain = begun ^ hits
        if hits:
            filled = Filled(rules, packed, self._sets, self._seat)
            self._occupied, self._loose = filled.occupied, filled.loose
            towers, walls, moats = filled.occupied
            self._free: ByShape = (~(walls | moats), ~(moats | towers), ~(towers | walls))
            """For each shape, the circles that hold pieces of neither other shape."""
            both = first & second
            self._capture_one(first ^ both | (second ^ both) << width)
            if both:
                self._capture_two(both)
            if not rules.may_stop:
                hits &= ways.arriving
        if rules.free_step:
            self._make_free_steps(plain & ways.arriving)
        others = plain ^ plain & barred
        if others or hits or self._segments or rules.strict:
            plain = others
        return TurnList(rules.table.turns, plain | hits << width, self._segments)

    def _capture_one(self, hits: int) -> None:
        """Follow first steps that capture one piece: the turn has one more step, which may capture, too."""
        occupied, loose, free, segments, many = self._occupied, self._loose, self._free, self._segments, self._many
        tracks = self._rules.ways[self._seat].hits
        limited = self._rules.limits_continuation
        while hits:
            number = hits.bit_length() - 1
            hits ^= 1 << number
            track = tracks[number]
            turn, start, bit, entered, captured, other, _ = track
            to = entered & free[other]
            if entered & start and not occupied[captured] & start:
                to |= start
            if limited:
                to = self._limited(to, start, bit, bit)
            more = to & loose[other]
            if more:
                to ^= more
                self._many = many
                self._capture_again(track, more)
                many = self._many
            if to:
                many += to.bit_count()
                segments.append((turn, to, many))
        self._many = many

    def _capture_again(self, track: Hit, hits: int) -> None:
        """Follow second steps that capture the third shape: the turn has one more step."""
        turn, start, bit, _, captured, other, shape = track
        rules = self._rules
        enters, occupied = rules.ways[self._seat].enters, self._occupied
        blocked = occupied[shape] ^ start | occupied[captured] ^ bit
        turn |= 1
        self._add(turn, hits if rules.may_stop else hits & rules.ways[self._seat].goal)
        while hits:
            to = hits & -hits
            hits ^= to
            last = to.bit_length() - 1
            ends = enters[last] & ~(blocked | occupied[other] ^ to)
            if rules.limits_continuation:
                ends = self._limited(ends, start, to, bit | to)
            self._add((turn | last << 1) << DIGIT_BITS, ends)

    def _capture_two(self, hits: int) -> None:
        """Follow first steps that capture two pieces: the turn has two more steps, which capture nothing."""
        rules = self._rules
        ways = rules.ways[self._seat]
        enters, occupied, tracks = ways.enters, self._occupied, ways.hits
        while hits:
            number = hits.bit_length() - 1
            hits ^= 1 << number
            turn, start, bit, entered, captured, other, shape = tracks[number]
            free = ~(occupied[shape] ^ start | occupied[captured] ^ bit | occupied[other] ^ bit)
            entered &= free
            if rules.limits_continuation:
                entered = self._limited(entered, start, bit, bit)
            self._add(turn, entered if rules.may_stop else entered & ways.goal)
            while entered:
                to = entered & -entered
                entered ^= to
                last = to.bit_length() - 1
                ends = enters[last] & free
                if rules.limits_continuation:
                    ends = self._limited(ends, start, to, bit)
                self._add((turn | last << 1) << DIGIT_BITS, ends)

    def _add(self, start: int, ends: int) -> None:
        if ends:
            self._many += ends.bit_count()
            self._segments.append((start, ends, self._many))

    def _limited(self, ends: int, start: int, at: int, captured: int) -> int:
        """Return the circles that may be entered from `at`, after captures on the circles `captured`, under options."""
        rules = self._rules
        goal = rules.ways[self._seat].goal
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
        rules = self._rules
        filled, ways = Filled(rules, self._packed, self._sets, self._seat), rules.ways[self._seat]
        for step in circles(arrivals):
            turn = rules.table.turns[step]
            place, goal = turn >> DIGIT_BITS, (turn & DIGIT) >> 1
            if not ways.goal & 1 << (place & DIGIT):
                blocked, prey = filled.alone((place >> DIGIT_BITS) - 1)
                ends = ways.row[goal] & ~blocked
                self._add(turn << DIGIT_BITS, ends & ~prey)
                self._add(turn << DIGIT_BITS | 1, ends & prey)

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
