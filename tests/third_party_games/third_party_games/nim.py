"""Nim with one heap: take one, two or three; the player who takes the last one wins. `options: heap`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engines.api import Game, Json, Notation, Outcome, Position, Seat, Table, Viewer
from engines.codec import Codec, Field, one_hot
from engines.game_errors import IllegalMove, MalformedMove, MalformedPosition, NotYourTurn
from engines.options import Count, Options, Settings


@dataclass(frozen=True, eq=False, repr=False)
class NimPosition(Position):
    rules: Settings
    heap: int
    mover: Seat

    @property
    def settings(self) -> Settings:
        return self.rules

    @property
    def owing(self) -> tuple[Seat, ...]:
        return (self.mover,) if self.heap else ()

    def moves(self, seat: Seat) -> Sequence[str]:
        return [str(many) for many in range(1, min(3, self.heap) + 1)] if seat in self.owing else []

    def play(self, seat: Seat, move: str) -> Position:
        if not re.fullmatch("[1-9]", move, re.ASCII):
            raise MalformedMove(move, "a move is how many are taken: 1, 2 or 3")
        if seat not in self.owing:
            raise NotYourTurn(seat, self.owing)
        if move not in self.moves(seat):
            raise IllegalMove(move, "NIM-1", f"1 to {min(3, self.heap)} may be taken")
        return NimPosition(self.rules, self.heap - int(move), 1 - self.mover)

    @property
    def outcome(self) -> Outcome | None:
        if self.heap:
            return None
        scores = (0.0, 1.0) if self.mover == 0 else (1.0, 0.0)
        return Outcome("last_taken", scores, scores)

    @property
    def standing(self) -> tuple[float, ...]:
        return (0.0, 0.0)

    def text(self, viewer: Viewer) -> str:
        return f"{self.heap} {self.mover}"

    def view(self, viewer: Viewer) -> Json:
        return {"heap": self.heap, "to_move": self.mover}

    def visible_move(self, seat: Seat, move: str, viewer: Viewer) -> str:
        return move

    def picture(self, viewer: Viewer) -> str:
        return "|" * self.heap or "nothing left"


SCHEMA: Mapping[str, Json] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"heap": {"type": "integer"}, "to_move": {"type": "integer"}},
}


class NimCodec(Codec):
    def __init__(self) -> None:
        fields = [
            Field("heap", 1, 0, 1000, "How many are left."),
            Field("to_move", 1, 0, 1, "Whether the seat is to move."),
            Field("seat", 2, 0, 1, "The seat."),
        ]
        super().__init__("123", "[0-9]", fields)

    def observe(self, view: Any, seat: int) -> list[int]:
        return [view["heap"], int(view["to_move"] == seat), *one_hot(2, seat)]


class Nim(Game):
    name = "nim"
    version = 1
    title = "Nim"
    rules = "NIM-1  Take one, two or three from the heap; who takes the last has won."
    options = Options((Count("heap", 21, "How many there are at the start.", least=1, most=1000),))
    notation = Notation("How many are taken: 1, 2 or 3.", "21 0: how many are left, and the seat to move.")
    view_schema = SCHEMA
    draws_by_agreement = True

    def table(self, settings: Settings) -> Table:
        return Table(("first", "second"), ((0,), (1,)))

    def start(self, settings: Settings, seed: bytes) -> NimPosition:
        return NimPosition(settings, settings.count("heap"), 0)

    def read(self, text: str, settings: Settings) -> NimPosition:
        found = re.fullmatch("(0|[1-9][0-9]{0,3}) ([01])", text, re.ASCII)
        if not found:
            raise MalformedPosition(text, "it is the heap and the seat to move, as in '21 0'")
        return NimPosition(settings, int(found[1]), int(found[2]))

    def codec(self, settings: Settings) -> NimCodec:
        return NimCodec()
