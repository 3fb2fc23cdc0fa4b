"""A second, slow implementation of Go, written from the rules page, to compare the engine with.

A board is a dictionary from point to 'b' or 'w'. Nothing here uses the engine.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from engines.api import Outcome, Seat
from engines.options import Settings
from engines.testing.second_engine import OpenPosition, SecondEngine

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
class GoSecond(OpenPosition):
    """A position with the whole history: boards, each with the side to move on it."""

    options: dict[str, str]
    board: Board
    side: str
    passes: int = 0
    plies: int = 0
    history: tuple[Situation, ...] = ()
    """All earlier positions, the last one being that before the opponent's last move."""

    @property
    def size(self) -> int:
        return int(self.options["size"])

    @property
    def situation(self) -> Situation:
        return frozenset(self.board.items()), self.side

    @property
    def owing(self) -> tuple[Seat, ...]:
        return () if self.outcome else ("bw".index(self.side),)

    def moves(self, seat: Seat) -> Collection[str]:
        return ["pass", *(name(point) for point, board in self.placements.items() if not self.repeats(board))]

    def play(self, seat: Seat, move: str, after: str) -> "GoSecond":
        board = self.board
        if move != "pass":
            board = next(board for point, board in self.placements.items() if name(point) == move)
        passes = self.passes + 1 if move == "pass" else 0
        history = (*self.history, self.situation)
        return GoSecond(self.options, board, OTHER[self.side], passes, self.plies + 1, history)

    @property
    def outcome(self) -> Outcome | None:
        if self.passes < 2 and self.plies < (int(self.options["max_plies"]) or 3 * self.size**2):
            return None
        black, white = area(self.board, self.size)
        scores = (float(black), white + float(self.options["komi"]))
        return Outcome("passes" if self.passes == 2 else "max_plies", scores, scores)

    def full_text(self) -> str:
        rows = []
        for y in range(self.size - 1, -1, -1):
            row = "".join(self.board.get((x, y), ".") for x in range(self.size))
            rows.append(re.sub(r"\.+", lambda empty: str(len(empty[0])), row))
        barred = [name(point) for point, board in self.placements.items() if self.repeats(board)]
        ko = [f"ko={','.join(barred)}"] if barred and not self.outcome else []
        return " ".join(["/".join(rows), self.side, str(self.passes), str(self.plies), *ko])

    @cached_property
    def placements(self) -> dict[Point, Board]:
        """The board after a stone on each point where it is neither suicide nor on another stone."""
        points = [(x, y) for y in range(self.size) for x in range(self.size) if (x, y) not in self.board]
        suicide = self.options["suicide"] == "allowed"
        after = {point: placed(self.board, self.size, point, self.side, suicide) for point in points}
        return {point: board for point, board in after.items() if board is not None}

    def repeats(self, board: Board) -> bool:
        stones = frozenset(board.items())
        earlier = (*self.history, self.situation)
        if self.options["ko"] == "positional":
            return any(stones == before for before, _ in earlier)
        if self.options["ko"] == "situational":
            return (stones, OTHER[self.side]) in earlier
        return bool(self.history) and self.passes == 0 and stones == self.history[-1][0]


class GoReference(SecondEngine):
    def start(self, settings: Settings, text: str) -> GoSecond:
        """Return the first position, which has no history. It is empty."""
        return GoSecond(settings.texts(), {}, "b")


REFERENCE = GoReference()
