"""Finds out why a well-formed move is illegal: the rule it breaks, and what would be legal instead.

The turn is replayed step by step, as the player wrote it, until a rule forbids a step.
"""

from typing import NoReturn

from engines.game_errors import IllegalMove
from engines.troke.assembly import Filled
from engines.troke.boards import COLOURS, opposite
from engines.troke.notation import Spelling, colour_name, owner_of
from engines.troke.pieces import Pieces
from engines.troke.turns import DEMAND, DIGIT, DIGIT_BITS, PASS, SHAPES, start_of, steps_of

MAX_LISTED = 4


def illegal(pieces: Pieces, turn: int, spelling: Spelling) -> IllegalMove:
    """Return the error for `turn`, which must not be a legal move of `pieces`."""
    text = spelling.move(turn)
    if turn >= DEMAND:
        turn ^= DEMAND
        if pieces.allows(turn):
            return IllegalMove(text, "clear_goal", _nothing_to_demand(pieces))
    if turn == PASS:
        turns = sorted(map(spelling.move, pieces.moves()))
        more = f" and {len(turns) - MAX_LISTED} more" if len(turns) > MAX_LISTED else ""
        return IllegalMove(text, "TK-18", f"a seat that can move may not pass: {' '.join(turns[:MAX_LISTED])}{more}")
    try:
        _Replay(pieces, turn, spelling).run()
        _raise_required_turn(pieces, turn, spelling)
    except _BrokenRule as broken:
        return IllegalMove(text, broken.rule, str(broken))


def _nothing_to_demand(pieces: Pieces) -> str:
    if not pieces.rules.on_demand:
        return "a demand (!) needs clear_goal=on_demand"
    return "a demand (!) needs a full goal row after the move, with a piece of the opposite colour in it"


class _BrokenRule(Exception):
    def __init__(self, rule: str, why: str) -> None:
        super().__init__(why)
        self.rule = rule


class _Replay:
    """The state of a turn during the replay."""

    def __init__(self, pieces: Pieces, turn: int, spelling: Spelling) -> None:
        self.pieces = pieces
        self.rules = pieces.rules
        self.names = spelling.names
        self.ways = pieces.rules.ways[pieces.mover]
        self.filled = Filled(pieces.rules, pieces.sets, pieces.mover)
        self.steps = steps_of(turn)
        place = start_of(turn)
        self.shape = (place >> DIGIT_BITS) - 1
        self.at = place & DIGIT
        self.shapes = 1 << self.shape
        self.blocked = self.filled.occupied[self.shape] & ~(1 << self.at)
        self.left = 1
        self.free = False
        """Whether the last step was the free step of an arrival."""
        self.carried: list[int] = []
        """The seats whose pieces have been captured outside their goal rows."""

    def run(self) -> None:
        self._check_start()
        began_in_row = self._in_row(self.at)
        for number, (to, captures) in enumerate(self.steps):
            if number:
                self._check_continuation(began_in_row, number)
            self._check_step(to)
            self._land(to, captures)
        if self.left and not self.rules.may_stop and not self._in_row(self.at):
            steps = "one more step" if self.left == 1 else f"{self.left} more steps"
            raise _BrokenRule("TK-8", f"{steps} must be made from {self.names[self.at]} after the capture there")

    def _check_start(self) -> None:
        at, shape = self.names[self.at], SHAPES[self.shape]
        owner = owner_of(self.pieces, self.shape, self.at)
        if owner is None:
            raise _BrokenRule("TK-3", f"there is no {shape} on {at}")
        if owner != self.pieces.mover:
            raise _BrokenRule("TK-3", f"the {shape} on {at} belongs to {colour_name(self.pieces, owner)}")
        if self.rules.frozen and self._in_row(self.at):
            raise _BrokenRule("TK-12", f"the {shape} on {at} has arrived and may not move again")

    def _check_continuation(self, began_in_row: bool, number: int) -> None:
        at = self.names[self.at]
        captured = self.shapes != 1 << self.shape
        if self.rules.free_step and self._in_row(self.at) and not began_in_row:
            if number == 1 and not captured:
                self.free = True
                self.left = 1
            elif self.free or not self.rules.leftover_steps:
                raise _BrokenRule(
                    "goal_sideways", f"the turn ends on {at}; a free step needs an arrival without a capture"
                )
        if not self.left:
            raise _BrokenRule("TK-6" if captured else "TK-5", f"the turn ends on {at}, because no step is left")

    def _check_step(self, to: int) -> None:
        at, there, bit = self.names[self.at], self.names[to], 1 << to
        if not bit & self.ways.lines[self.at]:
            raise _BrokenRule("TK-3", f"no line connects {at} and {there}")
        if self._in_row(self.at) and not bit & self.ways.row[self.at]:
            raise _BrokenRule("TK-11", f"steps on the goal row must lead along it, not to {there}")
        if bit & self.ways.side_rows:
            raise _BrokenRule("TK-10", f"{there} is in a start row at the side, which may not be entered")
        if not bit & self.ways.enters[self.at]:
            raise _BrokenRule(
                "TK-3", f"the step from {at} to {there} is backward for {colour_name(self.pieces, self.pieces.mover)}"
            )
        self._check_carry_home(bit)
        if bit & self.blocked:
            shape = next(s for s in range(3) if self.shapes & 1 << s and self.filled.occupied[s] & bit)
            raise _BrokenRule("TK-4", f"there is already a {SHAPES[shape]} on {there}")

    def _check_carry_home(self, bit: int) -> None:
        for seat in self.carried:
            home = self.rules.ways[seat].start
            if not self.rules.carry_home and bit & home and not 1 << self.at & home:
                colour = colour_name(self.pieces, seat)
                raise _BrokenRule("TK-15", f"a captured piece of {colour} may not be carried back to its start row")

    def _land(self, to: int, captures: bool) -> None:
        bit, there = 1 << to, self.names[to]
        taken = [shape for shape in range(3) if not self.shapes & 1 << shape and self.filled.loose[shape] & bit]
        if bool(taken) != captures:
            why = f"x{there}, because it captures" if taken else f"-{there}, because it captures nothing"
            raise _BrokenRule("TK-6", f"this step must be written {why}")
        for shape in taken:
            self.shapes |= 1 << shape
            self.blocked |= self.filled.occupied[shape] & ~bit
            owner = owner_of(self.pieces, shape, to)
            if owner is not None and owner != self.pieces.mover:
                self.carried.append(owner)
        self.left += len(taken) - 1
        self.at = to

    def _in_row(self, circle: int) -> bool:
        return bool(1 << circle & self.ways.goal)


def _raise_required_turn(pieces: Pieces, turn: int, spelling: Spelling) -> NoReturn:
    """Raise the rule that requires another turn instead."""
    if turn in pieces.barred:
        origin = spelling.names[steps_of(turn)[0][0]]
        raise _BrokenRule("TK-17", f"the piece may not step back to {origin}, from which it has just stepped sideways")
    colour = pieces.rules.colours[pieces.mover]
    row = " ".join(spelling.names[circle] for circle in pieces.rules.board.rows[colour])
    owner = COLOURS[opposite(colour)]
    raise _BrokenRule("TK-16", f"the goal row of {owner} ({row}) is full, and a piece must be moved out of it first")
