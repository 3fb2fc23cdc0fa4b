"""Boards as SVG: each drawn by its game, and those of one page with the parts that they have in common stored once."""

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

from engines.api import REFEREE, Game, Json
from engines.options import Settings
from engines.view_table import picture_drawing, view_table
from referee.show.markup import Markup, tag

TAG = re.compile(r"""<(/?)(?:"[^"]*"|'[^']*'|[^>"'])*?(/?)>""")
MIN_SHARED_CHARS = 60
"""Shorter elements stay where they are: a reference would hardly be shorter."""


def draw_board(game: Game, settings: Settings, view: Json, position: str, last_move: str | None) -> str:
    """Return the drawing of a view; of a game that does not draw views, its picture of the position.

    `position`: the text of the position, as the viewer may see it. If the game fails to draw, or the text has hidden
    parts and cannot be read, the view is shown as a table of its data.
    """
    # The drawing of a stranger's game can fail, and the page must not.
    with suppress(Exception):
        # An event loop must not wait until a slow game has read the text.
        if type(game).svg is not Game.svg or game.is_slow:
            return game.svg(settings, view, last_move)
        # The picture may show everything, since everything in it comes from the text.
        return picture_drawing(game.title, game.read(position, settings).picture(REFEREE), last_move)
    return view_table(game.title, view, last_move)


def share_parts(drawings: Sequence[str]) -> tuple[Markup, list[Markup]]:
    """Return an element with the parts that occur several times, and the drawings with references to it.

    The lines of a board are the same after each move, and so are most of its pieces.
    """
    divided = [_divide(drawing) for drawing in drawings]
    uses = Counter(part for _, parts, _ in divided for part in parts if len(part) >= MIN_SHARED_CHARS)
    names = {part: f"d{number}" for number, part in enumerate(part for part, many in uses.items() if many > 1)}
    written = [
        Markup("".join([start, *(f'<use href="#{names[part]}"/>' if part in names else part for part in parts), end]))
        for start, parts, end in divided
    ]
    groups = (tag("g", Markup(part), id=name) for part, name in names.items())
    return tag("svg", tag("defs", *groups), class_="shared", aria_hidden="true"), written


def _divide(drawing: str) -> tuple[str, list[str], str]:
    """Return the start tag of a drawing, each element in it, and its end tag; joined they are the drawing."""
    parts: list[str] = []
    depth = start = 0
    for found in TAG.finditer(drawing):
        closes, is_empty = found.groups()
        depth += 0 if is_empty else -1 if closes else 1
        if depth <= 1:
            parts.append(drawing[start : found.end()])
            start = found.end()
    if depth or len(parts) < 2:
        return drawing, [], ""  # It is no element with elements in it.
    return parts[0], parts[1:-1], parts[-1] + drawing[start:]
