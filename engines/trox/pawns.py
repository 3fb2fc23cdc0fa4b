"""The fast position: the ground, the pawns, and the moves they can make, as integers.

It is used by bots that search, and by `TroxPosition`. It has neither texts nor history: it does not know about
repetition and the limit of plies. `moves()` lists the moves in no particular order, `play(move)` returns the pawns
after one of them, `result()` tells how the game ended. A move is an integer:

    -1                              pass
    start << 6 | to                 move a pawn between two cells, by their numbers on the ground
    PUT | to                        put a pawn on a cell of the ground
    spot << 5 | kind << 2 | which   lay a piece (see `pieces`), with a pawn on its A, middle or B: 0, 1, 2

If the hand of the mover is empty, the mover moves a pawn; the other hand is then empty too, because each ply of placing
places one pawn.
"""

from functools import lru_cache
from typing import Final

from engines.options import Settings
from engines.trox.cellsets import CELLS, NUMBERS, OF_A_COLOUR, OF_A_PIECE, colour_of
from engines.trox.ground import Ground
from engines.trox.hands import held, one_pawn
from engines.trox.holes import fitting
from engines.trox.move_sequence import NO_MOVES, MoveSequence, listed
from engines.trox.pieces import COLOURS_OF, PIECES
from engines.trox.room import empty_room
from engines.trox.supply import full
from engines.trox.triangles import NOBODY, full_triangles, judged

PASS: Final = -1  # Not 0, which is a move from the cell numbered 0 to itself.
PUT: Final = 1 << 12
SPOT_SHIFT: Final = 5
CELL_BITS: Final = 6
LAST_CELL: Final = (1 << CELL_BITS) - 1
ONLY_PASS: Final = listed([PASS])
NO_CELLS: Final[tuple[int, ...]] = ()
BLACK, BLUE, RED = NUMBERS
FLIPS: Final = tuple([1 << start | 1 << to for start in range(LAST_CELL + 1) for to in range(LAST_CELL + 1)])
"""The two cells of a walk, as a set, by the walk."""


class Rules:
    """The options as booleans, and the ground before the first piece."""

    __slots__ = (
        "all_neutral_loses",
        "ground",
        "neutrals_capture",
        "no_move_loses",
        "suicide_forbidden",
        "suicide_safe",
    )

    def __init__(self, settings: Settings) -> None:
        self.ground = Ground(empty_room(fitting(settings.choice("hole_rule"))), full(settings.choice("tileset")))
        self.suicide_safe = settings.choice("suicide") == "safe"
        self.suicide_forbidden = settings.choice("suicide") == "forbidden"
        self.neutrals_capture = settings.choice("neutral_triangle") == "captures"
        self.no_move_loses = settings.choice("no_move") == "loss"
        self.all_neutral_loses = settings.choice("all_neutral") == "loss"


class Pawns:
    """The pawns on the ground and in the hands, and the seat to move: 0 is Round, 1 is Square."""

    __slots__ = ("enemy", "enemy_hand", "free", "ground", "hand", "mover", "own", "passes", "rules", "winner")

    def __init__(
        self,
        rules: Rules,
        ground: Ground,
        mover: int,
        own: int,
        enemy: int,
        free: int,
        hand: int,
        enemy_hand: int,
        passes: int = 0,
        winner: int = NOBODY,
    ) -> None:
        self.rules = rules
        self.ground = ground
        self.mover = mover
        self.own = own
        self.enemy = enemy
        self.free = free
        """The cells of the ground without a pawn."""
        self.hand = hand
        self.enemy_hand = enemy_hand
        self.passes = passes
        """The number of consecutive passes up to now."""
        self.winner = winner
        """The seat that has a winning triangle, or NOBODY."""

    def moves(self) -> MoveSequence:
        """Return all legal moves without duplicates: only PASS if there is no other, and none if the game is over."""
        if self.winner != NOBODY or self.passes > 1:
            return NO_MOVES
        if self.hand:
            spots = tuple(self.ground.room.spots)
            return MoveSequence(SPOT_SHIFT, spots, self.lay_ends(), (PUT >> SPOT_SHIFT,), self._put_cells())
        if self.rules.suicide_forbidden:
            allowed = [move for move in self._walks() if not self.is_suicide(move)]
            if allowed:
                return listed(allowed)
        elif self.can_move():
            return self._walks()
        return NO_MOVES if self.result() else ONLY_PASS

    def lay_ends(self) -> tuple[int, ...]:
        """Return the low bits of every way to lay a piece; each can be combined with each spot of the ground."""
        return _ends(self.ground.supply.kinds, held(self.hand))

    def puts(self) -> list[int]:
        """Return the moves that put a pawn on a piece that has already been laid."""
        return [PUT | to for to in self._put_cells()]

    def allows(self, move: int) -> bool:
        """Return whether a number is a legal move of an unfinished game, without listing the other moves."""
        if move == PASS:
            return not self.can_move()
        if move < PUT:
            fine = not self.hand and self._allows_walk(move >> CELL_BITS, move & LAST_CELL)
        elif move < PUT << 1:
            fine = self._allows_put(move & LAST_CELL)
        else:
            fine = self._allows_lay(move)
        return fine and not (self.rules.suicide_forbidden and self.is_suicide(move))

    def can_move(self) -> bool:
        """Return whether there is a legal move other than a pass."""
        if self.hand:
            return True  # TX-7: a piece laid now always has room for a pawn, and a free cell beside it.
        if not self.rules.suicide_forbidden:
            # All twelve pawns are placed, four per colour, so if any cell is free, there is one of each colour.
            return self.own != 0 and self.free != 0
        return any(not self.is_suicide(move) for move in self._walks())

    def result(self) -> tuple[str, int] | None:
        """Return the reason of the end and the winning seat, or NOBODY; None if the game is not over."""
        if self.winner != NOBODY:
            return "triangle", self.winner
        if self.passes > 1:
            return "passes", NOBODY
        if self.hand or self.can_move():
            return None
        if not self.own:
            return ("all_neutral", 1 - self.mover) if self.rules.all_neutral_loses else None
        return ("no_move", 1 - self.mover) if self.rules.no_move_loses else None

    def play(self, move: int) -> "Pawns":
        """Return the pawns after one of `moves()`."""
        if move < PUT:
            if move == PASS:
                return self.turned(self.passes + 1)
            flips = FLIPS[move]
            return self._acted(self.ground, self.own ^ flips, self.free ^ flips, move & LAST_CELL, self.hand)
        if move < PUT << 1:
            ground, free, to = self.ground, self.free, move & LAST_CELL
        else:
            kind, many = move >> 2 & 7, len(self.ground.pieces)
            to = PIECES * COLOURS_OF[kind][move & 3] + many
            free = self.free | OF_A_PIECE << many
            ground = self.ground.lay(move >> SPOT_SHIFT, kind)
        hand = self.hand - one_pawn(colour_of(to))
        return self._acted(ground, self.own | 1 << to, free ^ 1 << to, to, hand)

    def turned(self, passes: int) -> "Pawns":
        """Return the same pawns with the other seat to move, after `passes` consecutive passes."""
        return Pawns(
            self.rules,
            self.ground,
            1 - self.mover,
            self.enemy,
            self.own,
            self.free,
            self.enemy_hand,
            self.hand,
            passes,
            self.winner,
        )

    @property
    def neutral(self) -> int:
        """The cells of neutral pawns."""
        return self.ground.cells ^ self.free ^ self.own ^ self.enemy

    def is_suicide(self, move: int) -> bool:
        """Return whether this action, which must be legal otherwise, leads to the capture of the pawn that it plays."""
        if move >= PUT << 1:
            return False  # On a piece laid now, the pawn has a free cell beside it.
        links = self.ground.links[move & LAST_CELL]
        if links & self.own & ~(1 << (move >> CELL_BITS)):
            return False
        if links & self.enemy == 0 and not self.rules.neutrals_capture:
            return False
        after = self.play(move)
        return not after.enemy >> (move & LAST_CELL) & 1

    def key(self) -> int:
        """Return a value that is the same for positions that count as the same one, once all pawns are placed."""
        # Neutral pawns never move, and each further one means fewer own or enemy pawns.
        return (self.own << CELLS | self.enemy) << 1 | self.mover

    def _acted(self, ground: Ground, own: int, free: int, to: int, hand: int) -> "Pawns":
        """Return the pawns after the mover has put one on the cell `to`, with captures and wins applied."""
        # Only a triangle with the new pawn can be newly full; with `suicide=safe`, earlier ones matter too.
        if self.rules.suicide_safe:
            return self._judged(ground, own, free, to, hand)
        for triangle in ground.touching[to]:
            if not triangle & free:
                return self._judged(ground, own, free, to, hand)
        return Pawns(self.rules, ground, 1 - self.mover, self.enemy, own, free, self.enemy_hand, hand)

    def _judged(self, ground: Ground, own: int, free: int, to: int, hand: int) -> "Pawns":
        """Return the same after an action that may capture or win."""
        rules = self.rules
        pawns = ground.cells ^ free
        full = full_triangles(ground.triangles, pawns)
        at_risk = 0 if rules.suicide_safe else 1 << to
        after = judged(full, own, self.enemy, pawns ^ own ^ self.enemy, at_risk, rules.neutrals_capture)
        winner = after.winner if after.winner == NOBODY else self.mover ^ after.winner
        return Pawns(rules, ground, 1 - self.mover, after.enemy, after.own, free, self.enemy_hand, hand, 0, winner)

    def _walks(self) -> MoveSequence:
        # Each piece has one cell of each colour, so another cell of the same colour is on another piece.
        own, free = self.own, self.free
        return MoveSequence(
            CELL_BITS,
            BLACK[own & OF_A_COLOUR],
            BLACK[free & OF_A_COLOUR],
            BLUE[own >> PIECES & OF_A_COLOUR],
            BLUE[free >> PIECES & OF_A_COLOUR],
            RED[own >> 2 * PIECES],
            RED[free >> 2 * PIECES],
        )

    def _put_cells(self) -> tuple[int, ...]:
        """Return the cells of pieces already laid on which a pawn may be put."""
        free, cells = self.free, NO_CELLS
        for colour in held(self.hand):
            cells += NUMBERS[colour][free >> PIECES * colour & OF_A_COLOUR]
        if self.rules.suicide_forbidden:
            return tuple([to for to in cells if not self.is_suicide(PUT | to)])
        return cells

    def _allows_walk(self, start: int, to: int) -> bool:
        fine = self.own >> start & 1 and self.free >> to & 1
        return fine == 1 and colour_of(start) == colour_of(to)

    def _allows_put(self, to: int) -> bool:
        return self.free >> to & 1 == 1 and colour_of(to) in held(self.hand)

    def _allows_lay(self, move: int) -> bool:
        kind = move >> 2 & 7
        fine = kind in self.ground.supply.kinds and self.ground.allows(move >> SPOT_SHIFT)
        return fine and COLOURS_OF[kind][move & 3] in held(self.hand)


@lru_cache(maxsize=1 << 10)
def _ends(kinds: tuple[int, ...], colours: tuple[int, ...]) -> tuple[int, ...]:
    """Return the low bits of every way to lay one of `kinds` with a pawn of one of `colours` on it."""
    return tuple(kind << 2 | which for kind in kinds for which in range(3) if COLOURS_OF[kind][which] in colours)
