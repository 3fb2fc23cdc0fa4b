"""The fast position of pure Python on the boards that come with the game: `Pieces` that keep packed sets, too.

On integers as wide as the packed sets (see `step_table`), pure Python needs half of the time, but compiled code needs
more than twice as much as for `Pieces`. On own boards, which anybody can send, the tables would take too much memory.
"""

from collections.abc import Sequence

from engines.troke.chips import CASTLES
from engines.troke.pieces import Pieces
from engines.troke.rules import Rules
from engines.troke.step_table import StepTable
from engines.troke.turn_search import FoundTurns
from engines.troke.turns import DEMAND, DIGIT, DIGIT_BITS, PASS, TWO_STEPS, circles


class PackedPieces(Pieces):
    """Pieces with their packed sets. The methods do the same as those of `Pieces`."""

    __slots__ = ("barred_steps", "packed", "table")

    def __init__(
        self,
        table: StepTable,
        packed: int,
        rules: Rules,
        mover: int,
        sets: tuple[int, ...],
        chips: tuple[int, ...],
        castles: tuple[int, ...],
        barred_steps: int,
        demanded: int,
    ) -> None:
        # Not in `Pieces.__init__`, because one call of a function takes a hundredth of a step.
        self.table = table
        self.packed = packed
        self.rules = rules
        self.mover = mover
        self.sets = sets
        self.chips = chips
        self.castles = castles
        self.barred_steps = barred_steps
        """`barred` as a set of steps."""
        self.demanded = demanded

    @property
    def barred(self) -> tuple[int, ...]:
        return tuple([self.table.turns[step] for step in circles(self.barred_steps)])

    def key(self) -> object:
        return self.mover, self.sets, self.chips, self.castles, self.barred_steps, self.demanded

    def moves(self) -> Sequence[int]:
        if CASTLES in self.castles:
            return []
        rules, steps = self.rules, self.table.seats[self.mover]
        full, barred = steps.start_full, self.barred_steps
        if rules.on_demand or self.packed & full == full or (rules.if_blocking and barred):
            return super().moves()  # Rules that look at each turn.
        found = FoundTurns(self, steps.allowed, barred)
        return found if found.many else super().moves()

    def can_move(self) -> bool:
        return CASTLES not in self.castles and (self._quiet() != 0 or len(self.moves()) > 0)

    def allows(self, turn: int) -> bool:
        full = self.table.seats[self.mover].start_full
        if self.packed & full != full and self.table.bit.get(turn, 0) & self._quiet():
            return CASTLES not in self.castles
        return super().allows(turn)

    def _quiet(self) -> int:
        """Return the steps of the mover that capture nothing and are not barred."""
        packed, table = self.packed, self.table
        steps = table.seats[self.mover]
        others = packed | packed >> table.steps | packed >> table.second | self.barred_steps
        if self.rules.own_captures:
            others |= steps.arriving  # Own pieces on the goal row are not among those that all seats can capture.
        return packed >> steps.shift & steps.allowed & ~others

    def play(self, turn: int) -> "PackedPieces":
        rules, mover = self.rules, self.mover
        after = mover + 1 if mover + 1 < rules.seats else 0
        demanded = self.demanded and self.demanded & ~(1 << mover)
        if turn >= TWO_STEPS or turn & 1 or turn == PASS:
            return self._play_other(turn, after, demanded)
        place, last = turn >> DIGIT_BITS, (turn & DIGIT) >> 1
        shape, at = (place >> DIGIT_BITS) - 1, place & DIGIT
        steps, rest = self.table.seats[mover], 1 << last
        traces = steps.traces[shape]
        sets, barred, chips, castles = list(self.sets), 0, self.chips, self.castles
        sets[3 * mover + shape] ^= 1 << at | rest
        packed = self.packed ^ traces[at] ^ traces[last]
        if rules.remembers:
            barred = self.barred_steps & self.table.others[shape][at] | steps.back.get(turn, 0)
        if rest & steps.ways.goal:
            chips, castles = self._paid(sets, rest, None)
        return PackedPieces(self.table, packed, rules, after, tuple(sets), chips, castles, barred, demanded)

    def _play_other(self, turn: int, after: int, demanded: int) -> "PackedPieces":
        """Return the pieces after a capture, a pass or a turn with a demand."""
        rules, table, packed = self.rules, self.table, self.packed
        if turn == PASS:
            return PackedPieces(
                table, packed, rules, after, self.sets, self.chips, self.castles, self.barred_steps, demanded
            )
        if turn >= DEMAND:
            played = self.play(turn ^ DEMAND)
            played.demanded |= 1 << rules.across[self.mover]
            return played
        last, barred = (turn & DIGIT) >> 1, self.barred_steps
        sets, owed, rest = list(self.sets), [0] * rules.seats, 1 << last
        captured_last = rest if turn & 1 else 0
        begun = True
        for index, circle in self._lifted(turn):
            seat, shape, at = index // 3, index % 3, circle.bit_length() - 1
            # A piece that the last step captures stays where it is, and its step back stays barred.
            if barred and (begun or circle != captured_last):
                barred &= table.others[shape][at]
            begun = False
            sets[index] = sets[index] & ~circle | rest
            owed[seat] += rules.capture_values[shape]
            traces = table.seats[seat].traces[shape]
            packed ^= traces[at] ^ traces[last]
        chips, castles = self._paid(sets, rest, owed)
        return PackedPieces(table, packed, rules, after, tuple(sets), chips, castles, barred, demanded)
