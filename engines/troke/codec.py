"""Codec of Troke: a piece and its circle, then each circle that it enters, with or without a capture."""

from itertools import product
from typing import Any

from engines.codec import Codec, Field, from_seat, one_hot
from engines.options import Settings
from engines.troke.boards import COLOURS, NAME
from engines.troke.chips import CASTLES
from engines.troke.notation import DEMAND_MARK, PASS_TEXT, SHAPE_LETTERS
from engines.troke.own_board import board_of
from engines.troke.rules import colours_of
from engines.troke.turns import SHAPES

MAX_PLIES = 100_000
MAX_CHIPS = 10_000_000


class TrokeCodec(Codec):
    def __init__(self, settings: Settings) -> None:
        self._circles = board_of(settings).names
        self._colours = [COLOURS[colour] for colour in colours_of(settings)]
        seats, pieces = len(self._colours), len(SHAPES) * len(self._circles)
        super().__init__(
            [
                PASS_TEXT,
                DEMAND_MARK,
                *[mark + circle for mark, circle in product((*SHAPE_LETTERS, "-", "x"), self._circles)],
            ],
            f"{PASS_TEXT}|{DEMAND_MARK}|[{SHAPE_LETTERS}x-]{NAME.pattern}",
            [
                Field("pieces", seats * pieces, 0, 1, "By seat, beginning with the own one, shape, circle: a piece."),
                Field("back", pieces, 0, len(self._circles), "By shape, circle: the circle of its step back, from 1."),
                Field("chips", seats, -MAX_CHIPS, MAX_CHIPS, "By seat, beginning with the own one: its chips."),
                Field("castles", seats, 0, CASTLES, "By seat, beginning with the own one: castles that were paid."),
                Field("must_clear", seats, 0, 1, "By seat, beginning with the own one: it must clear its start row."),
                Field("to_move", seats, 0, 1, "By seat, beginning with the own one: it is to move."),
                Field("plies", 1, 0, MAX_PLIES, "Turns played, passes included."),
                Field("seat", seats, 0, 1, "The seat."),
            ],
        )

    def observe(self, view: Any, seat: int) -> list[int]:
        colours = from_seat(self._colours, seat)
        stacks = [view["circles"][circle] for circle in self._circles]
        return [
            *[int(stack[shape] == colour) for colour, shape, stack in product(colours, SHAPES, stacks)],
            *self._back(view["barred"]),
            *[view["chips"][colour] for colour in colours],
            *[view["castles"][colour] for colour in colours],
            *[int(colour in view["must_clear"]) for colour in colours],
            *[int(colour == view["to_move"]) for colour in colours],
            view["plies"],
            *one_hot(len(colours), seat),
        ]

    def _back(self, barred: list[str]) -> list[int]:
        many = len(self._circles)
        found = [0] * (len(SHAPES) * many)
        for step in barred:
            start, to = step[1:].split("-")
            place = SHAPE_LETTERS.index(step[0]) * many + self._circles.index(start)
            found[place] = self._circles.index(to) + 1
        return found
