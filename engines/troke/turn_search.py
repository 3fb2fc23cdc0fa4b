"""The search of the turns of one seat from packed sets, and the list that it makes.

It is the way of pure Python to do what `assembly` does: all first steps are found at once, as sets of steps (see
`step_table`). Each first step that captures is then followed to the end of its turns, of which there are at most two
more steps, because there are only two other shapes to capture, and each captured piece gives one step.

The turns themselves are made when they are asked for. What is kept are segments, and the set of turns of one step. A
segment is the beginning of turns, the set of circles on which they may end, and the number of these.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, overload

from engines.troke.turns import DIGIT, DIGIT_BITS, circles

if TYPE_CHECKING:
    from engines.troke.packed_pieces import PackedPieces

ONE_STEP: Final = 0
"""In place of a segment's beginning: the set is that of the turns of one step."""


class FoundTurns(Sequence[int]):
    """The turns of the pieces of one seat, found when it is created."""

    __slots__ = ("_free", "_loose", "_occupied", "_one_step", "_pieces", "_segments", "_steps", "_turns", "many")

    def __init__(self, pieces: "PackedPieces", among: int, barred: int) -> None:
        """Find every turn of the mover that begins with one of the steps `among`.

        Those `barred` are left out if there are other turns, or in any case with `lateral_rule=strict`.
        """
        rules, table, packed = pieces.rules, pieces.table, pieces.packed
        steps = table.seats[pieces.mover]
        self._pieces, self._steps, self._turns = pieces, steps, table.turns
        self._segments: list[tuple[int, int, int]] = []
        self.many = 0
        """The number of turns."""
        begun = packed >> steps.shift & among
        begun ^= begun & packed
        first = begun & packed >> table.steps
        second = begun & packed >> table.second
        if rules.own_captures:
            first, second = self._with_own(begun, first, second)
        hits = first | second
        plain = begun ^ hits
        if hits:
            self._unpack()
            both = first & second
            if both:
                self._capture_two(both)
            self._capture_one(first ^ both | (second ^ both) << table.steps)
            if not rules.may_stop:
                hits &= steps.arriving
        if rules.free_step and plain & steps.arriving:
            self._unpack()
            self._make_free_steps(plain & steps.arriving)
        if barred & plain:
            others = plain ^ plain & barred
            if others or hits or self.many or rules.strict:
                plain = others
        self._one_step = plain | hits << table.steps if hits else plain
        self.many += self._one_step.bit_count()

    def __len__(self) -> int:
        return self.many

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> list[int]: ...
    def __getitem__(self, index: int | slice) -> int | list[int]:
        if isinstance(index, slice):
            return list(self)[index]
        left = index if index >= 0 else index + self.many
        if not 0 <= left < self.many:
            raise IndexError(index)
        start, among = ONE_STEP, self._one_step
        for start_of_segment, ends, many in self._segments:
            if left < many:
                start, among = start_of_segment, ends
                break
            left -= many
        while left:
            among &= among - 1
            left -= 1
        last = (among & -among).bit_length() - 1
        return self._turns[last] if start == ONE_STEP else start | last << 1

    def __iter__(self) -> Iterator[int]:
        found: list[int] = []
        for start, ends, _ in self._segments:
            left = ends
            while left:
                lowest = left & -left
                left ^= lowest
                found.append(start | lowest.bit_length() - 1 << 1)
        return iter(found + [self._turns[step] for step in circles(self._one_step)])

    def _unpack(self) -> None:
        """Unpack the circles that hold pieces, and those with pieces that can be captured."""
        table, rules = self._pieces.table, self._pieces.rules
        many, every = table.circles, table.every_circle
        there = self._pieces.packed >> table.occupied
        towers, walls, moats = there & every, there >> many & every, there >> 2 * many & every
        self._occupied = (towers, walls, moats)
        self._free = (~(walls | moats), ~(moats | towers), ~(towers | walls))
        """For each shape, the circles without pieces of the other shapes."""
        there >>= 3 * many
        self._loose: tuple[int, ...] = (there & every, there >> many & every, there >> 2 * many & every)
        if rules.own_captures:
            goal, mine = self._steps.ways.goal, 3 * self._pieces.mover
            self._loose = tuple([self._loose[shape] | self._pieces.sets[mine + shape] & goal for shape in range(3)])

    def _capture_one(self, hits: int) -> None:
        """Follow first steps that capture one piece: the turn has one more step, which may capture, too."""
        occupied, loose, free, limited = self._occupied, self._loose, self._free, self._pieces.rules.limits_continuation
        segments, tracks = self._segments, self._steps.hits
        found = 0
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
                many = ends.bit_count()
                found += many
                segments.append((turn, ends, many))
        self.many += found

    def _capture_again(self, number: int, hits: int) -> None:
        """Follow second steps, after a first one, that capture the third shape: the turn has one more step."""
        turn, start, bit, _, _, captured, other, shape = self._steps.hits[number]
        rules, occupied, ways = self._pieces.rules, self._occupied, self._steps.ways
        blocked, others, enters = occupied[shape] ^ start | occupied[captured] ^ bit, occupied[other], ways.enters
        stops = hits if rules.may_stop else hits & ways.goal
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
        rules, ways, occupied = self._pieces.rules, self._steps.ways, self._occupied
        enters, tracks, limited = ways.enters, self._steps.hits, rules.limits_continuation
        segments, found = self._segments, 0
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
                    many = ends.bit_count()
                    found += many
                    segments.append(((turn | last << 1) << DIGIT_BITS, ends, many))
        self.many += found

    def _add(self, start: int, ends: int) -> None:
        many = ends.bit_count()
        self.many += many
        self._segments.append((start, ends, many))

    def _limited(self, ends: int, start: int, at: int, captured: int) -> int:
        """Return the circles that may be entered from `at`, after captures on the circles `captured`, under options."""
        rules = self._pieces.rules
        goal = self._steps.ways.goal
        # Without `leftover_steps`, an arrival ends the turn; a piece that moves within the row does not arrive.
        if at & goal and not start & goal and not rules.leftover_steps:
            return 0
        if not rules.carry_home:
            for seat, ways in enumerate(rules.ways):
                mine = self._pieces.sets[3 * seat] | self._pieces.sets[3 * seat + 1] | self._pieces.sets[3 * seat + 2]
                if seat != self._pieces.mover and captured & mine & ~ways.goal and not at & ways.start:
                    ends &= ~ways.start
        return ends

    def _make_free_steps(self, arrivals: int) -> None:
        """Find the turns in which a piece arrives without a capture and makes a free step along the row."""
        turns, ways, loose = self._turns, self._steps.ways, self._loose
        for step in circles(arrivals):
            turn = turns[step]
            shape, at, to = (turn >> 2 * DIGIT_BITS) - 1, turn >> DIGIT_BITS & DIGIT, (turn & DIGIT) >> 1
            ends = ways.row[to] & ~self._occupied[shape]
            captures = ends & (loose[(shape + 1) % 3] | loose[(shape + 2) % 3])
            if ways.goal & 1 << at:
                continue  # A piece that moves within the row does not arrive.
            if captures:
                self._add(turn << DIGIT_BITS | 1, captures)
            if ends ^ captures:
                self._add(turn << DIGIT_BITS, ends ^ captures)

    def _with_own(self, begun: int, first: int, second: int) -> tuple[int, int]:
        """Return the first steps that capture, with those that capture own pieces on the goal row."""
        goal = self._steps.ways.goal
        for shape in range(3):
            for circle in circles(self._pieces.sets[3 * self._pieces.mover + shape] & goal):
                more_first, more_second = self._pieces.table.capturing(shape, circle)
                first |= begun & more_first
                second |= begun & more_second
        return first, second
