"""Tables of text: a heading, names on the left, numbers on the right."""

from collections.abc import Sequence

import click


def table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as what stands in them, the first of names, a blank line before and after."""
    widths = [max(map(len, column)) for column in zip(heading, *rows, strict=True)]
    first, *others = [_line(cells, widths) for cells in (heading, *rows)]
    return "\n".join([click.style(first, bold=True), *others])


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of words, each column as wide as what stands in it."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    name, *numbers = cells
    return "  ".join([name.ljust(widths[0]), *map(str.rjust, numbers, widths[1:])]).rstrip()
