"""Faulty third-party game: Nim whose rules fail when three are taken, and whose parser fails on `boom`."""

from engines.api import Position, Seat
from engines.options import Settings
from tests.third_party_games.third_party_games.nim import Nim, NimPosition


class BrittlePosition(NimPosition):
    def play(self, seat: Seat, move: str) -> Position:
        after = super().play(seat, {"1": "1", "2": "2"}[move])
        assert isinstance(after, NimPosition)
        return BrittlePosition(after.rules, after.heap, after.mover)


class Brittle(Nim):
    name = "brittle"
    title = "Brittle nim"

    def start(self, settings: Settings, seed: bytes) -> NimPosition:
        return BrittlePosition(settings, settings.count("heap"), 0)

    def read(self, text: str, settings: Settings) -> NimPosition:
        if text == "boom":
            raise ZeroDivisionError("a detail that nobody outside may see")
        return super().read(text, settings)


BRITTLE = Brittle()
