"""Codec of Go: one action for each point, along the rows from A1, and one for passing."""

from typing import Any

from engines.codec import Codec, Field
from engines.go.notation import COLOURS, PASS_TEXT
from engines.go.options import MAX_PLIES, PLIES_PER_POINT
from engines.go.points import points_of
from engines.options import Settings


class GoCodec(Codec):
    def __init__(self, settings: Settings) -> None:
        self._names = points_of(settings.count("size")).names
        many = len(self._names)
        self._max_plies = max(MAX_PLIES, PLIES_PER_POINT * many)
        fields = [
            Field("own", many, 0, 1, "By point: a stone of the seat."),
            Field("enemy", many, 0, 1, "By point: a stone of the other seat."),
            Field("ko", many, 0, 1, "By point: the ko rule forbids the side to move to place a stone now."),
            Field("seat", 1, 0, 1, "The seat: 0 black, 1 white."),
            Field("to_move", 1, 0, 1, "Whether the seat is to move."),
            Field("passes", 1, 0, 2, "Passes made just before."),
            Field("plies", 1, 0, self._max_plies, "Moves since the start, passes included."),
        ]
        super().__init__((*self._names, PASS_TEXT), "pass|[A-HJ-Z][0-9]+", fields)

    def observe(self, view: Any, seat: int) -> list[int]:
        mine, theirs = COLOURS[seat], COLOURS[1 - seat]
        found = [
            int(name in stones) for stones in map(set, (view[mine], view[theirs], view["ko"])) for name in self._names
        ]
        return [*found, seat, int(view["to_move"] == mine), view["passes"], min(view["plies"], self._max_plies)]
