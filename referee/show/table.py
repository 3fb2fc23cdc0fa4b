"""A table, which a terminal, a page or a spreadsheet shows."""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from typing import Literal

import click

from referee.show.markup import Markup, tag

REACHED_BY_KEYBOARD = re.compile("<(a|button|input|select) ")


@dataclass(frozen=True, slots=True)
class Column:
    """A column; a text alone is the heading of one that is aligned to the left."""

    head: object
    kind: str = ""
    """Classes on a page. With `number` among them it is aligned to the right, with `name` it is the heading of rows."""
    title: str | None = None
    only: Literal["", "page", "text"] = ""
    """Where it is shown, if not everywhere: `page` for pictures, `text` for what pages show as one."""

    @property
    def text(self) -> str:
        head = str(self.head)
        return head if head[:2].isupper() else head.lower()


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell that a page does not show as its text."""

    text: object
    markup: object
    attributes: Mapping[str, object] = field(default_factory=dict)
    """Attributes of its element on a page."""

    def __str__(self) -> str:
        return str(self.text)


def number(head: object, kind: str = "", title: str | None = None) -> Column:
    """Return a column of numbers."""
    return Column(head, f"number {kind}".rstrip(), title)


def picture(head: object, kind: str) -> Column:
    return Column(head, kind, only="page")


class Table:
    """Columns and rows, whose cells are texts, numbers, markup or `Cell`."""

    def __init__(self, columns: Iterable[Column | str], rows: Iterable[Sequence[object]]) -> None:
        self.columns = [Column(column) if isinstance(column, str) else column for column in columns]
        self.rows = [tuple(row) for row in rows]

    def to_text(self) -> str:
        """Return lines for a terminal, with a bold heading."""
        shown = [at for at, column in enumerate(self.columns) if column.only != "page"]
        heads = [self.columns[at].text for at in shown]
        lines = [heads, *([str(row[at]) for at in shown] for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        right = ["number" in self.columns[at].kind for at in shown]
        first, *others = (
            "  ".join(
                cell.rjust(width) if is_number else cell.ljust(width)
                for cell, width, is_number in zip(line, widths, right, strict=True)
            ).rstrip()
            for line in lines
        )
        return "\n".join([click.style(first, bold=True), *others])

    def to_html(
        self, class_: str = "", *, empty: str = "", row_classes: Sequence[str] = (), **attributes: object
    ) -> Markup:
        """Return a table that scrolls on a small window, or without rows the sentence `empty`, if there is one.

        `attributes` are those of the element around the table.
        """
        if not self.rows:
            return tag("p", empty, class_="note") if empty else Markup()
        shown = [(at, column) for at, column in enumerate(self.columns) if column.only != "text"]
        heads = [
            tag("th", column.head, scope="col", class_=column.kind or None, title=column.title) for _, column in shown
        ]
        rows = [
            tag("tr", *(_cell(row[at], column) for at, column in shown), class_=kind or None)
            for row, kind in zip(self.rows, row_classes or [""] * len(self.rows), strict=True)
        ]
        head = tag("thead", tag("tr", *heads))
        texts = (str(column.head) for _, column in shown if not isinstance(column.head, Markup) and column.head)
        whole = tag("table", head, tag("tbody", *rows), class_=class_ or None)
        return scroller(whole, f"Table: {', '.join(texts)}", **attributes)

    def to_csv(self) -> bytes:
        text = StringIO()
        sheet = csv.writer(text, lineterminator="\n")
        sheet.writerow([column.head for column in self.columns])
        sheet.writerows(self.rows)
        return text.getvalue().encode()


def _cell(cell: object, column: Column) -> Markup:
    is_name = "name" in column.kind.split()
    named = {"scope": "row"} if is_name else {}
    attributes: dict[str, object] = {"class_": column.kind or None}
    if isinstance(cell, Cell):
        return tag("th" if is_name else "td", cell.markup, **{**named, **attributes, **cell.attributes})
    return tag("th" if is_name else "td", cell, **named, **attributes)


def scroller(inside: Markup, label: str, **attributes: object) -> Markup:
    """Return an element that scrolls on a small window. The keyboard can reach it, or else links or fields in it."""
    if REACHED_BY_KEYBOARD.search(inside):
        return tag("div", inside, class_="scrolls", **attributes)
    return tag("div", inside, class_="scrolls", tabindex="0", role="group", aria_label=label, **attributes)
