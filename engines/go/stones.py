"""The stones on a board and the side to move, as sets of bits: what a move captures, and which moves are legal.

The positions that have occurred are not part of it, so it does not know what the ko rule forbids.
"""

from typing import Final

from engines.go.points import Points

PASS: Final = 0
"""The move that places no stone; other moves are the bit of a point."""
BLACK: Final = 0
MAX_PASSES: Final = 2


class Stones:
    """The stones of the side to move, those of the other side, and how many passes were made just before."""

    __slots__ = ("enemy", "mover", "own", "passes", "points", "suicide")

    def __init__(self, points: Points, suicide: bool, mover: int, own: int, enemy: int, passes: int) -> None:
        self.points = points
        self.suicide = suicide
        self.mover = mover
        self.own = own
        self.enemy = enemy
        self.passes = passes

    @property
    def empty(self) -> int:
        return self.points.all & ~(self.own | self.enemy)

    @property
    def black(self) -> int:
        return self.own if self.mover == BLACK else self.enemy

    @property
    def white(self) -> int:
        return self.enemy if self.mover == BLACK else self.own

    def moves(self) -> list[int]:
        """Return all legal moves, passing last; none after two passes."""
        if self.passes >= MAX_PASSES:
            return []
        legal = self.legal_points()
        return [*[bit for bit in self.points.bits if bit & legal], PASS]

    def allows(self, move: int) -> bool:
        """Return whether a move, which is a point of the board or PASS, is legal."""
        if self.passes >= MAX_PASSES:
            return False
        return move == PASS or bool(move & self.empty and (self.suicide or self._lives(move, self.empty)))

    def play(self, move: int) -> "Stones":
        """Return the stones after a legal move."""
        if move == PASS:
            return Stones(self.points, self.suicide, 1 - self.mover, self.enemy, self.own, self.passes + 1)
        own, enemy = self.own | move, self.enemy & ~self._captured(move, self.empty)
        if self.suicide and enemy == self.enemy:
            group = self.points.fill(move, own)
            if not self.points.next_to(group) & self.points.all & ~(own | enemy):
                own &= ~group
        return Stones(self.points, self.suicide, 1 - self.mover, enemy, own, 0)

    def legal_points(self) -> int:
        """Return the points on which the side to move may place a stone, as far as the ko rule does not forbid it."""
        empty = self.empty
        if self.suicide:
            return empty
        legal = empty & self.points.next_to(empty)
        rest = empty & ~legal
        while rest:
            bit = rest & -rest
            rest ^= bit
            if self._lives(bit, empty):
                legal |= bit
        return legal

    def removing_points(self) -> int:
        """Return the empty points on which a stone may remove stones: all that capture, and perhaps others."""
        points, empty = self.points, self.empty
        found, rest = 0, self.enemy
        while rest:
            group = points.fill(rest & -rest, self.enemy)
            rest &= ~group
            liberties = points.next_to(group) & empty
            if not liberties & (liberties - 1):
                found |= liberties
        return found | (empty & ~points.next_to(empty)) if self.suicide else found

    def board_key(self) -> int:
        """Return a number that stands for the stones, whichever side is to move."""
        return self.black << self.points.width * self.points.size | self.white

    def stone_key(self, move: int) -> int:
        """Return what a stone of the side to move adds to the number."""
        return move << self.points.width * self.points.size if self.mover == BLACK else move

    def area(self) -> tuple[int, int]:
        """Return the points of Black and of White: their stones, and empty points that reach only their colour."""
        points, empty = self.points, self.empty
        near_black = points.fill(points.next_to(self.black) & empty, empty)
        near_white = points.fill(points.next_to(self.white) & empty, empty)
        return (
            (self.black | near_black & ~near_white).bit_count(),
            (self.white | near_white & ~near_black).bit_count(),
        )

    def all_have_liberties(self) -> bool:
        """Return whether each stone is connected to an empty point."""
        near = self.points.next_to(self.empty)
        own, enemy = self.own, self.enemy
        return self.points.fill(near & own, own) == own and self.points.fill(near & enemy, enemy) == enemy

    def _lives(self, move: int, empty: int) -> bool:
        """Return whether a stone on this empty point has a liberty after its captures."""
        points = self.points
        around = points.next_to(move)
        if around & empty:
            return True
        group = points.fill(around & self.own, self.own)
        return bool(points.next_to(group) & empty & ~move or self._captured(move, empty))

    def _captured(self, move: int, empty: int) -> int:
        """Return the enemy stones that lose their last liberty."""
        points, found = self.points, 0
        left = empty & ~move
        rest = points.next_to(move) & self.enemy
        while rest:
            stone = rest & -rest
            rest ^= stone
            if not points.next_to(stone) & left:
                group = points.fill(stone, self.enemy)
                rest &= ~group
                if not points.next_to(group) & left:
                    found |= group
        return found
