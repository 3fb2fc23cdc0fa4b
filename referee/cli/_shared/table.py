"""Format tables of text: a bold heading, names left-aligned, numbers right-aligned."""

from collections.abc import Sequence

import click


def table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Format a table. The first column has names, all others have numbers."""
    widths = [max(map(len, column)) for column in zip(heading, *rows, strict=True)]
    first, *others = [_line(cells, widths) for cells in (heading, *rows)]
    return "\n".join([click.style(first, bold=True), *others])


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Format rows as lines with left-aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    name, *numbers = cells
    return "  ".join([name.ljust(widths[0]), *map(str.rjust, numbers, widths[1:])]).rstrip()
