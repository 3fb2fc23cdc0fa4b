"""The fast position: the pieces, and the turns that they can make, as integers.

It is used by bots that search, and by `TrokePosition`. It has neither texts nor history: it does not know about
repetition and the limit of plies. A turn is an integer (see `turns`): `moves()` lists the turns, `play(turn)` returns
the pieces after one of them, `key()` is the same for equal positions. If there are no moves, the game is over: a seat
has four castles, or no seat can move. `chips` and `castles` are the score.
"""

from typing import Final

from engines.troke.assembly import Assembly
from engines.troke.chips import CASTLES, paid, standing_castles, with_castle
from engines.troke.rules import NOBODY, Rules
from engines.troke.turn_list import Listed, TurnList
from engines.troke.turns import DEMAND, DIGIT, DIGIT_BITS, PASS, STARTS, TWO_STEPS, circles, start_of

PIECES_OF_A_ROW: Final = 12
PIECES_A_TURN: Final = 3
"""Maximum number of pieces that one turn moves."""


class Pieces:
    """The pieces on the board, the chips, and the seat to move."""

    __slots__ = ("barred_steps", "castles", "chips", "demanded", "mover", "packed", "rules", "sets")

    def __init__(
        self,
        rules: Rules,
        mover: int,
        sets: tuple[int, ...],
        packed: int,
        chips: tuple[int, ...],
        castles: tuple[int, ...],
        barred_steps: int,
        demanded: int,
    ) -> None:
        self.rules = rules
        self.mover = mover
        self.sets = sets
        """The circles of the towers, walls and moats of each seat, in this order."""
        self.packed = packed
        """The same and what follows from it, as one integer (see `step_table`)."""
        self.chips = chips
        self.castles = castles
        """The largest number of castles each seat has had at one time, which is the number it has been paid for."""
        self.barred_steps = barred_steps
        """The steps back that TK-17 restricts, as a set: one for each piece that last stepped sideways."""
        self.demanded = demanded
        """The seats that have been asked to clear their start row, as one bit per seat (`clear_goal=on_demand`)."""

    @property
    def barred(self) -> tuple[int, ...]:
        """The steps back that TK-17 restricts, as turns."""
        return tuple([self.rules.table.turns[step] for step in circles(self.barred_steps)])

    def moves(self) -> TurnList:
        """Return all legal turns of the mover, in no particular order and without duplicates."""
        if CASTLES in self.castles:
            return Listed([])
        turns = self.turns_of(self.mover)
        if not turns.count and self._rival_can_move():
            turns = Listed([PASS])
        return self._with_demands(turns) if self.rules.on_demand else turns

    def can_move(self) -> bool:
        """Return whether there is a legal turn, including a pass, without listing the turns if possible.

        Speed matters because this is called for every position.
        """
        if CASTLES in self.castles:
            return False
        rules = self.rules
        ways = rules.ways[self.mover]
        packed, table = self.packed, rules.table
        not_plain = packed | packed >> table.steps | packed >> table.second | self.barred_steps
        if rules.own_captures:
            not_plain |= ways.arriving
        return packed >> ways.shift & ways.allowed & ~not_plain != 0 or self.moves().count > 0

    def allows(self, turn: int) -> bool:
        """Return whether a turn is one of `moves()`, examining only the piece that makes it where the rules permit."""
        rules = self.rules
        if turn >= DEMAND:
            return rules.on_demand and self.allows(turn ^ DEMAND) and self._may_demand(turn ^ DEMAND)
        place = start_of(turn)
        if turn == PASS or rules.table.bit(turn) & self.barred_steps or self.must_clear(self.mover):
            return turn in self.moves()
        shape, at = (place >> DIGIT_BITS) - 1, place & DIGIT
        if CASTLES in self.castles or not self.sets[3 * self.mover + shape] & 1 << at:
            return False
        among = rules.ways[self.mover].allowed & rules.table.leaving[shape][at]
        return turn in Assembly(rules, self.mover, self.sets, self.packed, among, 0)

    def turns_of(self, seat: int) -> TurnList:
        """Return the turns that a seat could play if it were to move, without the pass."""
        rules, packed = self.rules, self.packed
        ways, barred = rules.ways[seat], 0 if rules.if_blocking else self.barred_steps
        turns: TurnList = Assembly(rules, seat, self.sets, packed, ways.allowed, barred)
        if rules.if_blocking and seat == self.mover and self.barred_steps:
            turns = self._without_blocking(turns)
        full = ways.start_full
        if packed & full == full and self.must_clear(seat):
            turns = self._clearing(seat, turns)
        return turns

    def must_clear(self, seat: int) -> bool:
        """Return whether TK-16 applies: the start row of `seat`, a goal row in play, is full and must be cleared."""
        rules = self.rules
        full = rules.ways[seat].start_full
        if self.packed & full != full or not rules.clear_goal or rules.across[seat] == NOBODY:
            return False
        return not rules.on_demand or self.demanded >> seat & 1 == 1

    def play(self, turn: int) -> "Pieces":
        """Return the pieces after one of `moves()`."""
        rules, mover = self.rules, self.mover
        after = mover + 1 if mover + 1 < rules.seats else 0
        demanded = self.demanded
        if demanded:
            demanded &= ~(1 << mover)
        if turn >= TWO_STEPS or turn & 1 or turn == PASS:
            return self._play_other(turn, after, demanded)
        shape, at, last = (turn >> 2 * DIGIT_BITS) - 1, turn >> DIGIT_BITS & DIGIT, (turn & DIGIT) >> 1
        rest, ways = 1 << last, rules.ways[mover]
        sets = list(self.sets)
        sets[3 * mover + shape] ^= 1 << at | rest
        traces = ways.traces[shape]
        packed = self.packed ^ traces[at] ^ traces[last]
        barred = self.barred_steps & ways.others[shape][at] | ways.back.get(turn, 0) if rules.remembers else 0
        chips, castles = self.chips, self.castles
        if rest & ways.goal:
            chips, castles = self._paid(sets, rest, None)
        return Pieces(rules, after, tuple(sets), packed, chips, castles, barred, demanded)

    def _play_other(self, turn: int, after: int, demanded: int) -> "Pieces":
        """Return the pieces after a capture, a pass or a turn with a demand."""
        rules = self.rules
        if turn >= DEMAND:
            return self.play(turn ^ DEMAND)._demanding(rules.across[self.mover])
        if turn == PASS:
            return Pieces(rules, after, self.sets, self.packed, self.chips, self.castles, self.barred_steps, demanded)
        sets, owed = list(self.sets), [0] * rules.seats
        packed, barred = self._take_along(turn, sets, owed)
        chips, castles = self._paid(sets, 1 << ((turn & DIGIT) >> 1), owed)
        return Pieces(rules, after, tuple(sets), packed, chips, castles, barred, demanded)

    def key(self) -> object:
        """Return a value that is the same for positions that count as the same one: everything except history."""
        return self.mover, self.sets, self.chips, self.castles, self.barred_steps, self.demanded

    def _found(self, seat: int) -> TurnList:
        """Return the turns of a seat by TK-3 to TK-15."""
        return Assembly(self.rules, seat, self.sets, self.packed, self.rules.ways[seat].allowed, 0)

    def _with_demands(self, turns: TurnList) -> TurnList:
        return Listed([*turns, *[turn | DEMAND for turn in turns if self._may_demand(turn)]])

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
        return Pieces(
            self.rules, self.mover, self.sets, self.packed, self.chips, self.castles, self.barred_steps, demanded
        )

    def _rival_can_move(self) -> bool:
        """Return whether another seat could move if it were to move, as a pass requires."""
        return any(seat != self.mover and self.turns_of(seat) for seat in range(self.rules.seats))

    def _without_blocking(self, turns: TurnList) -> TurnList:
        """Return the turns without steps back after which no rival could move, if another turn lets a rival move."""
        blocking = [step for step in self.barred if step in turns and not self._lets_a_rival_move(step)]
        if not blocking or not any(self._lets_a_rival_move(turn) for turn in turns):
            return turns
        return Listed([turn for turn in turns if turn not in blocking])

    def _lets_a_rival_move(self, turn: int) -> bool:
        after, rules = self.play(turn), self.rules
        return any(after._found(rival) for rival in rules.rivals[self.mover])

    def _clearing(self, seat: int, turns: TurnList) -> TurnList:
        """Return the turns that move a piece out of the start row, or all turns if none does."""
        start = self.rules.ways[seat].start
        # The row is full, so no piece can move within it.
        clearing = [turn for turn in turns if start & 1 << (start_of(turn) & DIGIT)]
        return Listed(clearing) if clearing else turns

    def _take_along(self, turn: int, sets: list[int], owed: list[int]) -> tuple[int, int]:
        """Move the pieces of a turn that captures, in `sets`, and add up what is `owed` for them.

        Return the packed sets and the barred steps after it. Those of displaced pieces are no longer barred; pieces
        that the last step captures stay where they are.
        """
        rules, packed, barred, last = self.rules, self.packed, self.barred_steps, (turn & DIGIT) >> 1
        rest, leaving, captured, place = 1 << last, rules.table.leaving, 0, turn
        while place >= STARTS:
            if place & 1:
                captured |= 1 << ((place & DIGIT) >> 1)
            place >>= DIGIT_BITS
        shape, at = (place >> DIGIT_BITS) - 1, place & DIGIT
        traces = rules.ways[self.mover].traces[shape]
        packed ^= traces[at] ^ traces[last]
        barred &= ~leaving[shape][at]
        # The piece may return to its start to capture a piece that stood beside it, and is not captured itself.
        moving = 3 * self.mover + shape
        sets[moving] ^= 1 << at
        for index, pieces in enumerate(sets):
            if pieces & captured:
                seat, shape = index // 3, index % 3
                ways = rules.ways[seat]
                taken = pieces & captured & (-1 if rules.own_captures and seat == self.mover else ~ways.goal)
                if taken:
                    at = taken.bit_length() - 1
                    sets[index] = pieces & ~taken | rest
                    packed ^= ways.traces[shape][at] ^ ways.traces[shape][last]
                    owed[seat] += rules.capture_values[shape]
                    if barred and (at != last or not turn & 1):
                        barred &= ~leaving[shape][at]
        sets[moving] |= rest
        return packed, barred

    def _paid(self, sets: list[int], rest: int, owed: list[int] | None) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the chips and castles after a turn that ended on the circle `rest`."""
        rules, mover, castles = self.rules, self.mover, self.castles
        if rest & rules.ways[mover].goal:
            built = standing_castles(rules, sets, mover)
            if built > castles[mover]:
                castles = (*castles[:mover], built, *castles[mover + 1 :])
                owed = with_castle(rules, owed, sets, castles, mover)
        return paid(rules, self.chips, mover, owed) if owed else self.chips, castles


def placed(
    rules: Rules,
    mover: int,
    sets: tuple[int, ...],
    chips: tuple[int, ...],
    castles: tuple[int, ...],
    barred: tuple[int, ...] = (),
    demanded: int = 0,
) -> Pieces:
    """Return pieces that stand on these circles."""
    packed = barred_steps = 0
    for index, pieces in enumerate(sets):
        for circle in circles(pieces):
            packed ^= rules.ways[index // 3].traces[index % 3][circle]
    for step in barred:
        barred_steps |= rules.table.bit(step)
    return Pieces(rules, mover, sets, packed, chips, castles, barred_steps, demanded)
