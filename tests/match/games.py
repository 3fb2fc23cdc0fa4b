"""Two third-party games, for behaviour of a match that nim and fingers do not show.

Stones has two to four seats, each for itself or in teams, draws by claim, and a default move of its own. Brittle is nim
that breaks its promises, in the way that its option names.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan

from engines.api import Game, Json, Notation, Outcome, Position, Seat, Table, Viewer
from engines.game_errors import BadOption, MalformedPosition, NotYourTurn
from engines.options import Choice, Count, Flag, Options, Settings
from tests.third_party_games.third_party_games.nim import Nim, NimPosition


def sides_of(settings: Settings) -> tuple[tuple[Seat, ...], ...]:
    return ((0, 2), (1, 3)) if settings.flag("teams") else tuple((seat,) for seat in range(settings.count("seats")))


@dataclass(frozen=True, eq=False, repr=False)
class StonesPosition(NimPosition):
    taken: tuple[int, ...]

    def play(self, seat: Seat, move: str) -> "StonesPosition":
        super().play(seat, move)
        taken = tuple(had + int(move) * (other == seat) for other, had in enumerate(self.taken))
        return StonesPosition(self.rules, self.heap - int(move), (seat + 1) % len(taken), taken)

    @property
    def outcome(self) -> Outcome | None:
        return None if self.heap else Outcome("none_left", tuple(map(float, self.taken)), self.standing)

    @property
    def standing(self) -> tuple[float, ...]:
        return tuple(float(sum(self.taken[seat] for seat in side)) for side in sides_of(self.rules))

    def default(self, seat: Seat) -> str:
        return self.moves(seat)[-1]

    @property
    def claimable(self) -> str | None:
        return "level" if any(self.taken) and len(set(self.standing)) == 1 else None

    def text(self, viewer: Viewer) -> str:
        return f"{self.heap} {self.mover} {','.join(map(str, self.taken))}"

    def view(self, viewer: Viewer) -> Json:
        return {"text": self.text(viewer)}


class Stones(Game):
    name = "stones"
    version = 1
    title = "Stones"
    rules = "NIM-1  Take one to three in turn; the seat with the most at the end has won. Level is a draw to claim."
    options = Options(
        (
            Count("heap", 12, "How many there are at the start.", least=1, most=1000),
            Count("seats", 3, "How many play.", least=2, most=4),
            Flag("teams", False, "Seats 0 and 2 against 1 and 3; needs four seats."),
        )
    )
    notation = Notation("How many are taken: 1, 2 or 3.", "12 0 0,0,0: how many are left, who moves, what each has.")
    view_schema: Mapping[str, Json] = {"type": "object"}
    draws_by_agreement = True

    def table(self, settings: Settings) -> Table:
        seats = settings.count("seats")
        if settings.flag("teams") and seats != 4:
            raise BadOption("teams", True, "four seats")
        return Table(tuple(f"player{seat}" for seat in range(seats)), sides_of(settings))

    def start(self, settings: Settings, seed: bytes) -> StonesPosition:
        return StonesPosition(settings, settings.count("heap"), 0, (0,) * settings.count("seats"))

    def read(self, text: str, settings: Settings) -> StonesPosition:
        found = re.fullmatch(r"([0-9]{1,4}) ([0-3]) ([0-9]{1,4}(?:,[0-9]{1,4}){1,3})", text, re.ASCII)
        if not found:
            raise MalformedPosition(text, "it is the heap, the seat to move and what each has, as in '12 0 0,0,0'")
        return StonesPosition(settings, int(found[1]), int(found[2]), tuple(map(int, found[3].split(","))))


class BrokenGame(Exception):
    """Raised by Brittle."""


@dataclass(frozen=True, eq=False, repr=False)
class BrittlePosition(NimPosition):
    def play(self, seat: Seat, move: str) -> Position:
        breaks = self.rules.choice("breaks")
        if breaks == "playing" and move == "2":
            raise BrokenGame("two were too many")
        if breaks == "whose_turn" and move == "2":
            raise NotYourTurn(seat, (1 - seat,))
        after = super().play(seat, move)
        assert isinstance(after, NimPosition)
        return BrittlePosition(self.rules, after.heap, after.mover)

    def default(self, seat: Seat) -> str:
        if self.rules.choice("breaks") == "own_default":
            return "9"
        return super().default(seat)

    @property
    def outcome(self) -> Outcome | None:
        if self.rules.choice("breaks") == "outcome" and self.heap < self.rules.count("heap"):
            raise BrokenGame("the winner is not known")
        outcome = super().outcome
        if outcome and self.rules.choice("breaks") == "score":
            return Outcome(outcome.reason, (nan, 0.0), outcome.side_scores)
        return outcome


class Brittle(Nim):
    name = "brittle"
    title = "Brittle nim"
    options = Options(
        (
            *Nim.options.declared,
            Choice(
                "breaks",
                "playing",
                "Which call fails.",
                choices=("playing", "whose_turn", "own_default", "outcome", "starting", "over_at_once", "score"),
            ),
        )
    )

    def start(self, settings: Settings, seed: bytes) -> NimPosition:
        if settings.choice("breaks") == "starting":
            raise BrokenGame("there was no table")
        heap = 0 if settings.choice("breaks") == "over_at_once" else settings.count("heap")
        return BrittlePosition(settings, heap, 0)


@dataclass(frozen=True, eq=False, repr=False)
class OneOrTwoPosition(NimPosition):
    def moves(self, seat: Seat) -> Sequence[str]:
        return super().moves(seat)[:2]

    def play(self, seat: Seat, move: str) -> Position:
        after = super().play(seat, move)
        assert isinstance(after, NimPosition)
        return OneOrTwoPosition(after.rules, after.heap, after.mover)


class OneOrTwo(Nim):
    """Nim after an unannounced change of its rules: three is too many."""

    def start(self, settings: Settings, seed: bytes) -> NimPosition:
        return OneOrTwoPosition(settings, settings.count("heap"), 0)


STONES = Stones()
BRITTLE = Brittle()
ONE_OR_TWO = OneOrTwo()
