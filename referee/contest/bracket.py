"""The tree of a knock-out: who comes from where.

A bracket is drawn before the first match and never changes. It is filled to a power of two with nobody, so
placed that the best seeds meet nobody first and meet each other last.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, slots=True)
class Seed:
    """The entrant of that number, from 1; nobody if there are not so many."""

    number: int


@dataclass(frozen=True, slots=True)
class Winner:
    of: str


@dataclass(frozen=True, slots=True)
class Loser:
    of: str


Place = Seed | Winner | Loser


class Stage(Enum):
    """What is at stake in a duel."""

    WINNERS = "w"
    """Who loses is out, or has a second life where there is one."""
    LOSERS = "l"
    """Who loses is out."""
    FINAL = "f"
    AGAIN = "g"
    """The final once more: both have lost once. Only if the one who came from below won it."""
    THIRD = "t"
    """For the third place."""


@dataclass(frozen=True, slots=True)
class Duel:
    """Two places that meet."""

    stage: Stage
    round: int
    board: int
    first: Place
    second: Place
    depth: int
    """How far who loses here got: the more, the better."""

    @property
    def id(self) -> str:
        return f"{self.stage.value}{self.round}.{self.board}"


def single(many: int, *, third_place: bool = False) -> list[Duel]:
    """Who loses is out."""
    duels = [duel for row in _winners(_rounds(many)) for duel in row]
    if third_place and many >= 4:
        semi_finals = duels[-3:-1]
        first, second = (Loser(duel.id) for duel in semi_finals)
        duels.append(Duel(Stage.THIRD, semi_finals[0].round + 1, 1, first, second, semi_finals[0].depth))
    return duels


def double(many: int) -> list[Duel]:
    """Who has lost twice is out."""
    upper = _winners(_rounds(many))
    lower = list(_losers(upper))
    below = Winner(lower[-1][0].id) if lower else Loser(upper[-1][0].id)
    number = upper[-1][0].round + len(lower) + 1
    final = Duel(Stage.FINAL, number, 1, Winner(upper[-1][0].id), below, number)
    again = Duel(Stage.AGAIN, number + 1, 1, Winner(final.id), Loser(final.id), number + 1)
    return [*(duel for row in upper for duel in row), *(duel for row in lower for duel in row), final, again]


def order_of_seeds(rounds: int) -> list[int]:
    """1 and 2 in different halves, 1 to 4 in different quarters, and so on."""
    order = [1]
    for _ in range(rounds):
        order = [number for seed in order for number in (seed, 2 * len(order) + 1 - seed)]
    return order


def _rounds(many: int) -> int:
    return (many - 1).bit_length()


def _winners(rounds: int) -> list[list[Duel]]:
    places: list[Place] = [Seed(number) for number in order_of_seeds(rounds)]
    rows = []
    for number in range(1, rounds + 1):
        row = _row(Stage.WINNERS, number, number, places)
        places = [Winner(duel.id) for duel in row]
        rows.append(row)
    return rows


def _losers(upper: list[list[Duel]]) -> Iterator[list[Duel]]:
    """Those who lost once: among themselves, then against those who come down from the next round.

    Every second time these come in the opposite order, so that who has met already meets again as late as can be.
    """
    places: list[Place] = [Loser(duel.id) for duel in upper[0]]
    number = 1
    for coming in range(1, len(upper)):
        row = _row(Stage.LOSERS, number, number, places)
        yield row
        down: list[Place] = [Loser(duel.id) for duel in upper[coming]]
        if coming % 2:
            down.reverse()
        mixed = [place for duel, other in zip(row, down, strict=True) for place in (other, Winner(duel.id))]
        row = _row(Stage.LOSERS, number + 1, number + 1, mixed)
        yield row
        places = [Winner(duel.id) for duel in row]
        number += 2


def _row(stage: Stage, number: int, depth: int, places: list[Place]) -> list[Duel]:
    return [
        Duel(stage, number, board, places[2 * board - 2], places[2 * board - 1], depth)
        for board in range(1, len(places) // 2 + 1)
    ]
