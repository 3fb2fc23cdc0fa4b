"""Parses a custom board and reports what is wrong with it.

The text is JSON: `cells` (each with id, x and y), `edges` (pairs of ids), `start` (four ids for each of S, N, W and E)
and `forward` (a direction for each of them). A fifth entry, `uncircled_crossings`, is a remark that is ignored.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

from engines.game_errors import BadOption, quoted, unknown
from engines.options import Settings
from engines.troke.boards import BOARDS, COLOURS, EDGES, NAME, Board, Place, opposite

Data: TypeAlias = "bool | int | float | str | list[Data] | dict[str, Data] | None"
Neighbours: TypeAlias = Sequence[Sequence[int]]
"""The circles that a line connects to each circle."""

MAX_CIRCLES = 128
MAX_LINES = 8
"""Maximum per circle. It limits the number of turns that a position can have."""
MAX_EDGES = MAX_CIRCLES * MAX_LINES // 2
MAX_COORDINATE = 40
NEEDED = {"cells", "edges", "start", "forward"}
REMARKS = frozenset({"uncircled_crossings"})
NOTHING: frozenset[str] = frozenset()


def board_of(settings: Settings) -> Board:
    """Return the board of a game. Raises BadOption if `own_board` is not a valid board."""
    text = settings.choice("own_board")
    return read_board(text) if text else BOARDS[settings.choice("board")]


@lru_cache(maxsize=64)
def read_board(text: str) -> Board:
    """Return the board that a JSON text describes. Raises BadOption, which says what is wrong."""
    try:
        return _board(_parsed(text))
    except _InvalidBoard as error:
        raise BadOption("own_board", text, f"a board in JSON, but {error}") from None


def canonical(text: str) -> str:
    """Return the same board on one line without remarks, at most 16 KiB long. Raises BadOption."""
    if not text:
        return ""
    board = read_board(text)
    names = board.names
    data = {
        "cells": [{"id": name, "x": x, "y": y} for name, (x, y) in zip(names, board.places, strict=True)],
        "edges": [[names[circle], names[other]] for circle, other in board.lines],
        "start": {edge: [names[circle] for circle in row] for edge, row in zip(EDGES, board.rows, strict=True)},
        "forward": dict(zip(EDGES, board.ahead, strict=True)),
    }
    return json.dumps(data, separators=(",", ":"))


class _InvalidBoard(ValueError):
    pass


def _parsed(text: str) -> dict[str, Data]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise _InvalidBoard("the text is not JSON; it must be an object with cells, edges, start and forward") from None
    return _table(data, "the board", NEEDED, REMARKS)


def _board(data: dict[str, Data]) -> Board:
    cells = dict(_cell(cell) for cell in _unique_cells(data["cells"]))
    names = tuple(cells)
    number = {name: index for index, name in enumerate(names)}
    lines = _lines(data["edges"], number)
    rows = _rows(data["start"], number, lines)
    neighbours = _neighbours(len(names), lines)
    _not_too_many(names, neighbours)
    _connected(names, neighbours)
    board = Board(names, tuple(cells.values()), lines, rows, _ahead(data["forward"]))
    _playable(board, neighbours)
    return board


def _unique_cells(data: Data) -> list[Data]:
    cells = _list(data, "cells")
    if len(cells) > MAX_CIRCLES:
        raise _InvalidBoard(f"there are {len(cells)} cells; the maximum is {MAX_CIRCLES}")
    names: set[str] = set()
    places: dict[Place, str] = {}
    for cell in cells:
        name, place = _cell(cell)
        if name in names:
            raise _InvalidBoard(f"the cell {name} is listed twice; each id must be unique")
        if place in places:
            raise _InvalidBoard(
                f"{places[place]} and {name} are both at x {place[0]}, y {place[1]}; "
                "each cell must have a place of its own"
            )
        names.add(name)
        places[place] = name
    return cells


def _cell(data: Data) -> tuple[str, Place]:
    cell = _table(data, "a cell", {"id", "x", "y"})
    name = cell["id"]
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise _InvalidBoard(
            f"a cell has the id {quoted(name)}; an id must be a letter a to z and a number 1 to 99, like d5"
        )
    return name, (_coordinate(cell["x"], name), _coordinate(cell["y"], name))


def _coordinate(value: Data, name: str) -> int:
    if type(value) is int and 0 <= value <= MAX_COORDINATE:
        return value
    raise _InvalidBoard(f"x and y of {name} must be whole numbers from 0 to {MAX_COORDINATE}, not {quoted(value)}")


def _lines(data: Data, number: dict[str, int]) -> tuple[tuple[int, int], ...]:
    lines: dict[tuple[int, int], None] = {}
    for edge in _list(data, "edges"):
        ends = _list(edge, "an edge")
        if len(ends) != 2:
            raise _InvalidBoard(f"the edge {quoted(ends)} does not connect two cells; an edge must be a pair of ids")
        cell, other = (_known(end, number, "an edge") for end in ends)
        if cell == other:
            raise _InvalidBoard(f"an edge leads from {ends[0]} to itself; it must connect two different cells")
        line = (min(cell, other), max(cell, other))
        if line in lines:
            raise _InvalidBoard(f"the edge between {ends[0]} and {ends[1]} is listed twice; each edge must be unique")
        lines[line] = None
        if len(lines) > MAX_EDGES:
            raise _InvalidBoard(f"there are more than {MAX_EDGES} edges, which is the maximum")
    return tuple(lines)


def _rows(data: Data, number: dict[str, int], lines: tuple[tuple[int, int], ...]) -> tuple[tuple[int, ...], ...]:
    start = _table(data, "start", set(EDGES))
    rows = tuple(_row(edge, start[edge], number) for edge in EDGES)
    names = list(number)
    met: set[int] = set()
    for circle in (circle for row in rows for circle in row):
        if circle in met:
            raise _InvalidBoard(
                f"{names[circle]} is a start cell twice; the four start rows must have sixteen different cells"
            )
        met.add(circle)
    for row in rows:
        for cell, other in pairwise(row):
            if (min(cell, other), max(cell, other)) not in lines:
                raise _InvalidBoard(
                    f"no edge connects {names[cell]} and {names[other]}; "
                    "a start row must be listed from one end to the other, with an edge between neighbours"
                )
    return rows


def _row(edge: str, data: Data, number: dict[str, int]) -> tuple[int, ...]:
    row = tuple(_known(name, number, f"the start row {edge}") for name in _list(data, f"the start row {edge}"))
    if len(row) != 4:
        raise _InvalidBoard(f"the start row {edge} has {len(row)} cells; it must have four")
    return row


def _not_too_many(names: tuple[str, ...], neighbours: Neighbours) -> None:
    for name, near in zip(names, neighbours, strict=True):
        if len(near) > MAX_LINES:
            raise _InvalidBoard(f"{len(near)} edges lead from {name}; the maximum is {MAX_LINES}")


def _connected(names: tuple[str, ...], neighbours: Neighbours) -> None:
    met = _met([0], neighbours, lambda _one, _other: True)
    for circle, name in enumerate(names):
        if circle not in met:
            raise _InvalidBoard(f"there is no path from {names[0]} to {name}; all cells must be connected")


def _ahead(data: Data) -> tuple[Place, ...]:
    forward = _table(data, "forward", set(EDGES))
    return tuple(_direction(edge, forward[edge]) for edge in EDGES)


def _direction(edge: str, data: Data) -> Place:
    way = _list(data, f"forward of {edge}")
    right, up = way if len(way) == 2 else (0, 0)
    if type(right) is int and type(up) is int and 0 < max(abs(right), abs(up)) <= MAX_COORDINATE:
        return right, up
    numbers = f"two whole numbers from -{MAX_COORDINATE} to {MAX_COORDINATE}"
    raise _InvalidBoard(f"forward of {edge} is {quoted(data)}; it must be {numbers}, not both 0, like [0, 1]")


def _playable(board: Board, neighbours: Neighbours) -> None:
    """Check that every colour can get from its start row to its goal row without a backward step."""
    for colour, name in enumerate(COLOURS):
        # The function is called at once.
        met = _met(board.rows[colour], neighbours, lambda circle, other: board.advance(colour, circle, other) >= 0)  # noqa: B023
        if not met & set(board.rows[opposite(colour)]):
            start, goal = EDGES[colour], EDGES[opposite(colour)]
            raise _InvalidBoard(
                f"{name} cannot get from its start row {start} to its goal row {goal} without a backward step; "
                f"forward of {start} must point from one to the other"
            )


def _neighbours(circles: int, lines: tuple[tuple[int, int], ...]) -> Neighbours:
    near: list[list[int]] = [[] for _ in range(circles)]
    for circle, other in lines:
        near[circle].append(other)
        near[other].append(circle)
    return near


def _met(first: Iterable[int], neighbours: Neighbours, passable: Callable[[int, int], bool]) -> set[int]:
    """Return the circles that can be reached from the first ones, looking at each line at most twice."""
    met = set(first)
    waiting = list(met)
    while waiting:
        circle = waiting.pop()
        for other in neighbours[circle]:
            if other not in met and passable(circle, other):
                met.add(other)
                waiting.append(other)
    return met


def _known(name: Data, number: dict[str, int], where: str) -> int:
    if isinstance(name, str) and name in number:
        return number[name]
    raise _InvalidBoard(f"{where} names the cell {quoted(name)}, which is not in cells")


def _list(data: Data, what: str) -> list[Data]:
    if not isinstance(data, list):
        raise _InvalidBoard(f"{what} must be a list, not {quoted(data)}")
    return data


def _table(data: Data, what: str, needed: set[str], optional: frozenset[str] = NOTHING) -> dict[str, Data]:
    if not isinstance(data, dict):
        raise _InvalidBoard(f"{what} must be an object, not {quoted(data)}")
    for key in sorted(needed - data.keys()):
        raise _InvalidBoard(f"{what} has no {key}; required: {', '.join(sorted(needed))}")
    for key in sorted(data.keys() - needed - optional):
        raise _InvalidBoard(f"{what} has an {unknown('entry', key, sorted(needed | optional))}")
    return data
