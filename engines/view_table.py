"""Drawings of games that do not draw themselves: a view as a table of keys and values, and a picture as its lines."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from textwrap import wrap
from typing import Final, NamedTuple, TypeAlias

from engines.drawing import BLANK, FAINT, INK, Point, group, svg_element, text

MAX_ROWS: Final = 40
MAX_DEPTH: Final = 6
"""Maximum depth of nested data; what is nested deeper is not shown."""
MAX_KEY: Final = 24
MAX_TITLE: Final = 60
MAX_VALUE: Final = 48
"""Maximum length of a row's value; longer ones continue on the next row."""
MAX_LINES: Final = 6
"""Maximum number of rows of one value."""
MAX_LABEL: Final = 160
MIN_WIDTH: Final = 44
"""Number of letters that have room beside each other, so that those of a small table are no larger than of others."""
MAX_PICTURE_ROWS: Final = 60
MAX_PICTURE_LETTERS: Final = 100
CUT: Final = "…"
NOTHING: Final = "–"

SIZE: Final = 10
"""Size of the letters, which all have the same width, so that the width of a text is known."""
LETTER: Final = 0.6 * SIZE
HEIGHT: Final = 1.5 * SIZE
MARGIN: Final = 1.2 * SIZE
INDENT: Final = 2
"""Number of letters by which nested rows are indented."""
GAP: Final = 2
"""Number of letters between the longest key and the values."""

COLOUR: Final = re.compile("\x1b\\[[0-9;]*m", re.ASCII)
"""What changes the colour of letters on a terminal."""

Entry: TypeAlias = tuple[object, object]


class Row(NamedTuple):
    """One line of the table."""

    depth: int
    key: str
    value: str


def view_table(title: str, view: object, last_move: str | None) -> str:
    """Return a drawing of plain data. What is too long, too deep or too much is cut."""
    last: list[Entry] = [] if last_move is None else [("last move", last_move)]
    rows = list(islice(_rows(chain(last, _entries(view) or [("view", view)]), 0), MAX_ROWS + 1))
    if len(rows) > MAX_ROWS:
        rows[MAX_ROWS] = Row(0, CUT, "")
    head = _cut(title, MAX_TITLE)
    column = max(INDENT * row.depth + len(row.key) for row in rows) + GAP
    letters = max(MIN_WIDTH, len(head), *(column + len(row.value) for row in rows))
    return svg_element(
        _label(head, rows),
        0,
        0,
        2 * MARGIN + LETTER * letters,
        2 * MARGIN + HEIGHT * (len(rows) + 1),
        group(
            text(_place(0, 0), SIZE, head, font_weight="bold"),
            group(*(_at(number, INDENT * row.depth, row.key) for number, row in enumerate(rows, 1)), fill=FAINT),
            *(_at(number, column, row.value) for number, row in enumerate(rows, 1)),
            fill=INK,
            font_family="monospace",
        ),
    )


def picture_drawing(title: str, picture: str, last_move: str | None) -> str:
    """Return a picture for a terminal as a drawing, without its colours. What is too long or too much is cut."""
    lines = COLOUR.sub("", picture).strip("\n").split("\n")[:MAX_PICTURE_ROWS]
    rows = [_cut(line, MAX_PICTURE_LETTERS).replace(" ", BLANK) for line in lines]
    head = _cut(title if last_move is None else f"{title}: last move {last_move}", MAX_PICTURE_LETTERS)
    letters = max(MIN_WIDTH, *map(len, (head, *rows)))
    return svg_element(
        head,
        0,
        0,
        2 * MARGIN + LETTER * letters,
        2 * MARGIN + HEIGHT * (len(rows) + 1),
        group(
            text(_place(0, 0), SIZE, head, font_weight="bold"),
            *(_at(number, 0, row) for number, row in enumerate(rows, 1)),
            fill=INK,
            font_family="monospace",
        ),
    )


def _rows(entries: Iterable[Entry], depth: int) -> Iterator[Row]:
    for name, value in entries:
        key = _cut(str(name).replace("_", " "), MAX_KEY)
        nested = _entries(value)
        if nested is None:
            first, *others = _lines(value)
            yield Row(depth, key, first)
            yield from (Row(depth, "", line) for line in others)
        elif depth + 1 == MAX_DEPTH:
            yield Row(depth, key, CUT)
        else:
            yield Row(depth, key, "")
            yield from _rows(nested, depth + 1)


def _entries(value: object) -> Iterable[Entry] | None:
    """Return the entries of data that needs rows of its own, or None if the value fits beside its key."""
    if isinstance(value, Mapping):
        return value.items() or None
    if isinstance(value, list | tuple) and any(item and isinstance(item, Mapping | list | tuple) for item in value):
        return enumerate(value)
    return None


def _lines(value: object) -> list[str]:
    """Return a value as at least one line."""
    many = MAX_VALUE * MAX_LINES
    written = ", ".join(map(_written, islice(value, many))) if isinstance(value, list | tuple) else _written(value)
    return wrap(_cut(written, many), MAX_VALUE, max_lines=MAX_LINES, placeholder=CUT) or [NOTHING]


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return NOTHING if value is None or isinstance(value, Mapping | list | tuple) else str(value)


def _cut(written: str, most: int) -> str:
    return written if len(written) <= most else written[: most - 1] + CUT


def _label(title: str, rows: list[Row]) -> str:
    """Return the title and what the first rows that are not nested say."""
    said = [f"{row.key} {row.value}" for row in rows if row.depth == 0 and row.key and row.value]
    return _cut(f"{title}: {', '.join(said)}" if said else title, MAX_LABEL)


def _place(number: int, letters: int) -> Point:
    return MARGIN + LETTER * letters, MARGIN + HEIGHT * (number + 0.5)


def _at(number: int, letters: int, written: str) -> str:
    return text(_place(number, letters), SIZE, written) if written else ""
