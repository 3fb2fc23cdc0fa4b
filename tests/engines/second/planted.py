"""Second engines with planted errors, to show that each kind is found."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from engines.api import REFEREE, Outcome, Position, Seat, Viewer
from engines.game_errors import IllegalMove
from engines.options import Settings
from engines.second.second_engine import OpenPosition, SecondEngine
from engines.second.toc_reference import Board, Deal, TocReference, TocSecond, deal_in
from tests.third_party_games.third_party_games.nim import Nim, NimPosition

WRONG_AT = 4
"""The heap at which the planted errors show."""


@dataclass(frozen=True)
class SecondNimPosition(OpenPosition):
    heap: int
    mover: Seat
    error: str = ""

    @property
    def wrong(self) -> str:
        """The planted error, if it shows here."""
        return self.error if self.heap == WRONG_AT or (self.heap == 0 and self.error in ENDS) else ""

    @property
    def owing(self) -> tuple[Seat, ...]:
        if self.wrong == "two seats":
            return (0, 1)
        return (self.mover,) if self.heap and self.wrong != "over" else ()

    def moves(self, seat: Seat) -> Collection[str]:
        if self.wrong == "exception":
            raise KeyError("no such heap")
        most = {"a move more": 4, "a move less": 2}.get(self.wrong, min(3, self.heap))
        return {str(many) for many in range(1, most + 1)}

    def play(self, seat: Seat, move: str, after: str) -> "SecondNimPosition":
        return replace(self, heap=self.heap - int(move), mover=1 - self.mover)

    @property
    def outcome(self) -> Outcome | None:
        if self.wrong == "over":
            return Outcome("", (), (1.0, 0.0))
        if self.heap:
            return None
        scores = (0.0, 1.0) if (self.mover == 0) != (self.wrong == "winner") else (1.0, 0.0)
        if self.wrong == "scores":
            return Outcome("", (3.0, 4.0), scores)
        return Outcome("nothing_left" if self.wrong == "reason" else "", (), scores)

    def full_text(self) -> str:
        return f"{self.heap} {self.mover}" + (" ?" if self.wrong == "text" else "")


ENDS = ("winner", "scores", "reason")


@dataclass(frozen=True)
class SecondNim(SecondEngine):
    error: str = ""
    name: str = "planted"
    game: str = "nim"

    def refusal(self, settings: Settings) -> str:
        return "it needs a heap below 100" if settings.count("heap") > 99 else ""

    def start(self, settings: Settings, text: str) -> SecondNimPosition:
        heap, mover = map(int, text.split(" "))
        if self.error == "start":
            raise ZeroDivisionError
        return SecondNimPosition(heap, mover, self.error)


RIGHT = SecondNim()
WRONG_TEXT = SecondNim("text", "wrong")


class LenientNimPosition(NimPosition):
    """Accepts 4, which it does not list, and refuses 3, which it lists."""

    def play(self, seat: Seat, move: str) -> Position:
        if move == "4":
            return LenientNimPosition(self.rules, self.heap - 4, 1 - self.mover)
        if move == "3":
            raise IllegalMove(move, "NIM-1", "three are too many")
        return super().play(seat, move)


class RepeatingNimPosition(NimPosition):
    """Lists a move twice."""

    def moves(self, seat: Seat) -> Sequence[str]:
        return [*super().moves(seat), "1"]


class PlantedNim(Nim):
    """Nim whose positions have errors."""

    def __init__(self, position: type[NimPosition]) -> None:
        self._position = position

    def start(self, settings: Settings, seed: bytes) -> NimPosition:
        return self._position(settings, settings.count("heap"), 0)


class ForgetfulTocPosition(TocSecond):
    """Toc that has forgotten the last card of the hand of seat 1 once two gifts were given."""

    def __init__(self, options: Mapping[str, str], board: Board, deal: Deal) -> None:
        super().__init__(options, board, deal)
        self._forgets = deal.exchanging and sum(gift != "-" for gift in deal.gifts) == 2

    def text(self, viewer: Viewer) -> str:
        text = super().text(viewer)
        return text.replace(self._deal.hands[1][-1], "") if self._forgets and viewer == REFEREE else text

    def play(self, seat: Seat, move: str, after: str) -> TocSecond:
        there = deal_in(after)
        return ForgetfulTocPosition(self._options, self._board, there)


class ForgetfulToc(TocReference):
    name = "planted"

    def start(self, settings: Settings, text: str) -> TocSecond:
        at = super().start(settings, text)
        return ForgetfulTocPosition(at._options, at._board, at._deal)  # Only its answers differ.


FORGETFUL = ForgetfulToc()
