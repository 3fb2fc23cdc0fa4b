"""Codec of Alquerque: a man's point, then each point that it enters, by a step or by a jump."""

from itertools import product
from typing import Any

from engines.alquerque.geometry import NAMES
from engines.alquerque.notation import COLOURS
from engines.codec import Codec, Field
from engines.options import Settings

POINTS = NAMES[1:]
CHUNKS = tuple(mark + point for mark, point in product(("", "-", "x", "!"), POINTS))
MAX_PLIES = 100_000


class AlquerqueCodec(Codec):
    def __init__(self, settings: Settings) -> None:
        self._returns = settings.choice("no_return") == "off"
        many = len(POINTS)
        fields = [
            Field("own", many, 0, 1, "By point: a man of the seat."),
            Field("enemy", many, 0, 1, "By point: a man of the other seat."),
            Field("huffable", many, 0, 1, "By point: a man that may be huffed now."),
            Field("seat", 1, 0, 1, "The seat: 0 white, 1 black."),
            Field("to_move", 1, 0, 1, "Whether the seat is to move."),
            Field("again", 1, 0, 1, "Whether the side to move must capture once more."),
            Field("plies", 1, 0, MAX_PLIES, "Plies since a man was last taken off."),
        ]
        if not self._returns:
            fields.append(Field("left", many * many, 0, 1, "By man, then by point: it may not step back to there."))
        super().__init__(CHUNKS, "[!x-]?[a-e][1-5]", fields)

    def observe(self, view: Any, seat: int) -> list[int]:
        points = view["points"]
        mine, theirs = COLOURS[seat], COLOURS[1 - seat]
        numbers = [points[point] == mine for point in POINTS]
        numbers += [points[point] == theirs for point in POINTS]
        numbers += [point in view["huffable"] for point in POINTS]
        numbers += [seat == 1, view["to_move"] == mine, view["again"]]
        found = [*map(int, numbers), min(view["plies_without_capture"], MAX_PLIES)]
        if not self._returns:
            left = view["left"]
            found += [int(to in left.get(man, ())) for man, to in product(POINTS, POINTS)]
        return found
