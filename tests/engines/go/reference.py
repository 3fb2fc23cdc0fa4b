"""A second, slow implementation of Go, written from the rules page, to compare the engine with.

A board is a dictionary from point to 'b' or 'w'. Nothing here uses the engine.
"""

from dataclasses import dataclass

Point = tuple[int, int]
Board = dict[Point, str]
Situation = tuple[frozenset[tuple[Point, str]], str]

COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
OTHER = {"b": "w", "w": "b"}


def name(point: Point) -> str:
    return f"{COLUMNS[point[0]]}{point[1] + 1}"


def around(point: Point, size: int) -> list[Point]:
    x, y = point
    found = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
    return [(x, y) for x, y in found if 0 <= x < size and 0 <= y < size]


def region(board: Board, size: int, start: Point) -> set[Point]:
    """Return the points that are connected to `start` and occupied like it."""
    found, todo = {start}, [start]
    while todo:
        for point in around(todo.pop(), size):
            if point not in found and board.get(point) == board.get(start):
                found.add(point)
                todo.append(point)
    return found


def has_liberty(board: Board, size: int, group: set[Point]) -> bool:
    return any(near not in board for point in group for near in around(point, size))


def placed(board: Board, size: int, point: Point, colour: str, suicide: bool) -> Board | None:
    """Return the board after a stone, or None if that is suicide, and this is forbidden."""
    after = {**board, point: colour}
    for near in around(point, size):
        if after.get(near) == OTHER[colour] and not has_liberty(after, size, group := region(after, size, near)):
            after = {at: stone for at, stone in after.items() if at not in group}
    own = region(after, size, point)
    if not has_liberty(after, size, own):
        return {at: stone for at, stone in after.items() if at not in own} if suicide else None
    return after


def area(board: Board, size: int) -> tuple[int, int]:
    """Return the points of Black and White."""
    points = {"b": 0, "w": 0}
    for point in [(x, y) for x in range(size) for y in range(size)]:
        if point in board:
            points[board[point]] += 1
            continue
        borders = {board[near] for at in region(board, size, point) for near in around(at, size) if near in board}
        if len(borders) == 1:
            points[borders.pop()] += 1
    return points["b"], points["w"]


@dataclass(frozen=True)
class ReferenceGo:
    """A position with the whole history: boards, each with the side to move on it."""

    size: int
    ko: str
    suicide: bool
    board: Board
    side: str = "b"
    passes: int = 0
    history: tuple[Situation, ...] = ()
    """All earlier positions, the last one being that before the opponent's last move."""
    last_was_stone: bool = False

    @property
    def situation(self) -> Situation:
        return frozenset(self.board.items()), self.side

    def moves(self) -> dict[str, "ReferenceGo"]:
        """Return all legal moves as text, with the position after each."""
        if self.passes == 2:
            return {}
        found = {"pass": self.after(self.board, self.passes + 1, False)}
        for point in [(x, y) for x in range(self.size) for y in range(self.size)]:
            after = None if point in self.board else placed(self.board, self.size, point, self.side, self.suicide)
            if after is not None and not self.repeats(after):
                found[name(point)] = self.after(after, 0, True)
        return found

    def after(self, board: Board, passes: int, stone: bool) -> "ReferenceGo":
        history = (*self.history, self.situation)
        return ReferenceGo(self.size, self.ko, self.suicide, board, OTHER[self.side], passes, history, stone)

    def repeats(self, board: Board) -> bool:
        stones = frozenset(board.items())
        earlier = (*self.history, self.situation)
        if self.ko == "positional":
            return any(stones == before for before, _ in earlier)
        if self.ko == "situational":
            return (stones, OTHER[self.side]) in earlier
        return self.last_was_stone and stones == self.history[-1][0]
