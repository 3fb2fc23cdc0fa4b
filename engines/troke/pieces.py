"""The fast position: the pieces, and the turns that they can make, as integers.

It is used by bots that search, and by `TrokePosition`. It has neither texts nor history: it does not know about
repetition and the limit of plies. A turn is an integer (see `turns`): `moves()` lists the turns, `play(turn)` returns
the pieces after one of them, `key()` is the same for equal positions. If there are no moves, the game is over: a seat
has four castles, or no seat can move. `chips` and `castles` are the score.
"""

from collections.abc import Sequence
from typing import Final

from engines.troke.assembly import Assembly, Filled
from engines.troke.chips import CASTLES, paid, standing_castles, with_castle
from engines.troke.rules import NOBODY, Rules
from engines.troke.turns import DEMAND, DIGIT, DIGIT_BITS, PASS, STARTS, TWO_STEPS, circles, standing_on, start_of

PIECES_OF_A_ROW: Final = 12
PIECES_A_TURN: Final = 3
"""Maximum number of pieces that one turn moves."""


class Pieces:
    """The pieces on the board, the chips, and the seat to move."""

    __slots__ = ("_barred", "castles", "chips", "demanded", "mover", "rules", "sets")

    def __init__(
        self,
        rules: Rules,
        mover: int,
        sets: tuple[int, ...],
        chips: tuple[int, ...],
        castles: tuple[int, ...],
        barred: tuple[int, ...] = (),
        demanded: int = 0,
    ) -> None:
        self.rules = rules
        self.mover = mover
        self.sets = sets
        """The circles of the towers, walls and moats of each seat, in this order."""
        self.chips = chips
        self.castles = castles
        """The largest number of castles each seat has had at one time, which is the number it has been paid for."""
        self._barred = barred
        self.demanded = demanded
        """The seats that have been asked to clear their start row, as one bit per seat (`clear_goal=on_demand`)."""

    @property
    def barred(self) -> tuple[int, ...]:
        """The steps back that TK-17 restricts, as turns: one for each piece that last stepped sideways."""
        return self._barred

    def moves(self) -> Sequence[int]:
        """Return all legal turns of the mover, in no particular order and without duplicates."""
        if CASTLES in self.castles:
            return []
        turns = self.turns_of(self.mover) or self._pass()
        if self.rules.on_demand:
            turns = turns + [turn | DEMAND for turn in turns if self._may_demand(turn)]
        return turns

    def can_move(self) -> bool:
        """Return whether there is a legal turn, including a pass, without listing the turns if possible.

        Speed matters because this is called for every position.
        """
        if CASTLES in self.castles:
            return False
        filled, steps = Filled(self.rules, self.sets, self.mover), self.rules.ways[self.mover].steps
        hindered = [step >> DIGIT_BITS for step in self.barred]
        for shape in range(3):
            blocked, (towers, walls, moats) = filled.alone(shape)
            quiet = ~(blocked | towers | walls | moats)
            for at in circles(self.sets[3 * self.mover + shape]):
                if steps[at] & quiet and standing_on(shape, at) not in hindered:
                    return True
        return bool(self.moves())

    def allows(self, turn: int) -> bool:
        """Return whether a turn is one of `moves()`, examining only the piece that makes it where the rules permit."""
        if turn >= DEMAND:
            return self.rules.on_demand and self.allows(turn ^ DEMAND) and self._may_demand(turn ^ DEMAND)
        place = start_of(turn)
        shape, at = (place >> DIGIT_BITS) - 1, place & DIGIT
        filled = Filled(self.rules, self.sets, self.mover)
        if turn == PASS or turn in self.barred or self.must_clear(self.mover, filled):
            return turn in self.moves()
        if CASTLES in self.castles or not self.sets[3 * self.mover + shape] & 1 << at:
            return False
        assembly = Assembly(self.rules, self.mover, filled)
        assembly.find(shape, 1 << at)
        return turn in assembly.found

    def turns_of(self, seat: int) -> list[int]:
        """Return the turns that a seat could play if it were to move, without the pass."""
        filled = Filled(self.rules, self.sets, seat)
        turns = self._found(seat, filled)
        if self.barred:
            turns = self._without_reversals(seat, turns)
        return self._clearing(seat, turns) if self.must_clear(seat, filled) else turns

    def must_clear(self, seat: int, filled: Filled) -> bool:
        """Return whether TK-16 applies: the start row of `seat`, a goal row in play, is full and must be cleared."""
        towers, walls, moats = filled.occupied
        full = not self.rules.ways[seat].start & ~(towers & walls & moats)
        if not full or not self.rules.clear_goal or self.rules.across[seat] == NOBODY:
            return False
        return not self.rules.on_demand or self.demanded >> seat & 1 == 1

    def play(self, turn: int) -> "Pieces":
        """Return the pieces after one of `moves()`."""
        if turn >= DEMAND:
            return self.play(turn ^ DEMAND)._demanding(self.rules.across[self.mover])
        rules, mover, sets = self.rules, self.mover, list(self.sets)
        after = mover + 1 if mover + 1 < rules.seats else 0
        demanded = self.demanded & ~(1 << mover)
        if turn == PASS:
            return Pieces(rules, after, self.sets, self.chips, self.castles, self.barred, demanded)
        owed = None
        if turn < TWO_STEPS and not turn & 1:
            place = turn >> DIGIT_BITS
            rest = 1 << ((turn & DIGIT) >> 1)
            sets[3 * mover + (place >> DIGIT_BITS) - 1] ^= 1 << (place & DIGIT) | rest
            barred = self._remembering(turn, place) if rules.remembers else ()
        else:
            lifted = self._lifted(turn)
            owed = [0] * rules.seats
            rest = 1 << ((turn & DIGIT) >> 1)
            for index, circle in lifted:
                sets[index] = sets[index] & ~circle | rest
                owed[index // 3] += rules.capture_values[index % 3]
            barred = self._forgetting(turn, lifted) if self.barred else ()
        chips, castles = self._paid(sets, rest, owed)
        return Pieces(rules, after, tuple(sets), chips, castles, barred, demanded)

    def key(self) -> object:
        """Return a value that is the same for positions that count as the same one: everything except history."""
        return self.mover, self.sets, self.chips, self.castles, self.barred, self.demanded

    def _found(self, seat: int, filled: Filled) -> list[int]:
        """Return the turns of a seat by TK-3 to TK-15."""
        assembly = Assembly(self.rules, seat, filled)
        for shape in range(3):
            assembly.find(shape, self.sets[3 * seat + shape])
        return assembly.found

    def _may_demand(self, turn: int) -> bool:
        """Return whether `turn` may carry a demand (TK-16).

        It may if the goal row is full after it and contains a piece of the opposite seat.
        """
        other = self.rules.across[self.mover]
        if other == NOBODY:
            return False
        row = self.rules.ways[self.mover].goal
        if sum([(pieces & row).bit_count() for pieces in self.sets]) < PIECES_OF_A_ROW - PIECES_A_TURN:
            return False
        after = self.play(turn)
        there = [pieces & row for pieces in after.sets]
        full = sum([pieces.bit_count() for pieces in there]) == PIECES_OF_A_ROW
        return full and CASTLES not in after.castles and any(there[3 * other : 3 * other + 3])

    def _demanding(self, seat: int) -> "Pieces":
        """Return the same pieces with a demand that `seat` clears its start row."""
        demanded = self.demanded | 1 << seat
        return Pieces(self.rules, self.mover, self.sets, self.chips, self.castles, self.barred, demanded)

    def _pass(self) -> list[int]:
        """Return the pass, if the mover has no other turn and another seat can move."""
        others = [seat for seat in range(self.rules.seats) if seat != self.mover]
        return [PASS] if any(self.turns_of(seat) for seat in others) else []

    def _without_reversals(self, seat: int, turns: list[int]) -> list[int]:
        if self.rules.if_blocking:
            return self._without_blocking(seat, turns)
        others = turns.copy()
        for step in self.barred:
            place = step >> DIGIT_BITS
            mine = self.sets[3 * seat + (place >> DIGIT_BITS) - 1]
            # Checking the owner of a step takes one look, searching the turns takes many.
            if mine & 1 << (place & DIGIT) and step in others:
                others.remove(step)
        return others if others or self.rules.strict else turns

    def _without_blocking(self, seat: int, turns: list[int]) -> list[int]:
        """Return the turns without steps back after which no rival could move, if another turn lets a rival move."""
        if seat != self.mover:
            return turns  # This is only called to find out whether that seat can move at all.
        blocking = [step for step in self.barred if step in turns and not self._lets_a_rival_move(step)]
        if not blocking or not any(self._lets_a_rival_move(turn) for turn in turns):
            return turns
        return [turn for turn in turns if turn not in blocking]

    def _lets_a_rival_move(self, turn: int) -> bool:
        after, rules = self.play(turn), self.rules
        return any(after._found(rival, Filled(rules, after.sets, rival)) for rival in rules.rivals[self.mover])

    def _clearing(self, seat: int, turns: list[int]) -> list[int]:
        """Return the turns that move a piece out of the start row, or all turns if none does."""
        start = self.rules.ways[seat].start
        # The row is full, so no piece can move within it.
        return [turn for turn in turns if start & 1 << (start_of(turn) & DIGIT)] or turns

    def _lifted(self, turn: int) -> list[tuple[int, int]]:
        """Return each set that a moved piece belongs to, with the circle where the piece stood."""
        place, captured = turn, 0
        while place >= STARTS:
            if place & 1:
                captured |= 1 << ((place & DIGIT) >> 1)
            place >>= DIGIT_BITS
        moving = 3 * self.mover + (place >> DIGIT_BITS) - 1
        lifted = [(moving, 1 << (place & DIGIT))]
        mine = self.mover if self.rules.own_captures else -1
        # The piece may return to its start to capture a piece that stood beside it, and does not capture itself.
        for index, pieces in enumerate(self.sets):
            if pieces & captured and index != moving:
                seat = index // 3
                loose = pieces & captured if seat == mine else pieces & captured & ~self.rules.ways[seat].goal
                if loose:
                    lifted.append((index, loose))
        return lifted

    def _paid(self, sets: list[int], rest: int, owed: list[int] | None) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the chips and castles after a turn that ended on the circle `rest`."""
        rules, mover, castles = self.rules, self.mover, self.castles
        if rest & rules.ways[mover].goal:
            built = standing_castles(rules, sets, mover)
            if built > castles[mover]:
                castles = (*castles[:mover], built, *castles[mover + 1 :])
                owed = with_castle(rules, owed, sets, castles, mover)
        return paid(rules, self.chips, mover, owed) if owed else self.chips, castles

    def _remembering(self, step: int, place: int) -> tuple[int, ...]:
        """Return the barred steps after a plain step."""
        barred = [other for other in self.barred if other >> DIGIT_BITS != place]
        back = self.rules.ways[self.mover].back.get(step)
        if back is not None:
            barred.append(back)
            barred.sort()
        return tuple(barred)

    def _forgetting(self, turn: int, lifted: list[tuple[int, int]]) -> tuple[int, ...]:
        """Return the barred steps after a capture: those of displaced pieces are removed.

        Pieces that the last step captures stay where they are, and their steps stay barred.
        """
        rest = 1 << ((turn & DIGIT) >> 1) if turn & 1 else 0
        begun, *captured = lifted
        displaced = [begun, *(piece for piece in captured if piece[1] != rest)]
        places = [standing_on(index % 3, circle.bit_length() - 1) for index, circle in displaced]
        return tuple([step for step in self.barred if step >> DIGIT_BITS not in places])
