"""Ladders of bots whose strengths are known: the real ladder pairs and rates, and the results are by luck."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import sqrt

from referee.contest.climbing import decide
from referee.contest.finish import Finish
from referee.contest.ladder import Ladder, evolve
from referee.contest.ladder_commands import Command, Here, Join, Pair, Rate
from referee.contest.ladder_events import Entrant
from referee.contest.ladder_pairing import to_begin
from referee.contest.ladder_terms import Terms
from referee.core.setup import Player
from tests.contest.field import gauss, played


@dataclass
class Known:
    """A ladder, and its bots. Everybody is there all the time, and plays one match a round."""

    strengths: Mapping[str, float]
    draws: Iterator[float]
    terms: Terms
    matches: int = 0
    ladder: Ladder = field(init=False)

    def __post_init__(self) -> None:
        self.ladder = Ladder(self.terms)
        for name in self.strengths:
            self._do(Join(Entrant(name, (Player(name),))))

    def as_paired(self, rounds: int) -> "Known":
        here = tuple(Here(name, (Player(name),), 1) for name in self.strengths)
        for _ in range(rounds):
            self._do(Pair(here))
            for due in to_begin(self.ladder, here):
                self._play(due.seats, due.id)
        return self

    def by_lot(self, rounds: int) -> "Known":
        at_a_table = self.terms.at_a_table
        for _ in range(rounds):
            lots = sorted(self.strengths, key=lambda _: next(self.draws))
            for start in range(0, len(lots) - at_a_table + 1, at_a_table):
                self._play(tuple(lots[start : start + at_a_table]))
        return self

    def _play(self, seats: tuple[str, ...], due: str = "") -> None:
        finish = played([self.strengths[name] for name in seats], range(len(seats)), self.draws)
        self.matches += 1
        sides = tuple((Player(name),) for name in seats)
        self._do(Rate(f"m{self.matches}", Finish(sides, finish.ranks), due=due))

    def _do(self, command: Command) -> None:
        for event in decide(self.ladder, command):
            self.ladder = evolve(self.ladder, event)

    @property
    def found(self) -> dict[str, tuple[float, float]]:
        """Everybody's error and deviation. Only differences are known: both scales are brought to the same average."""
        ratings = {name: self.ladder.standing.rating(Player(name)).rating for name in self.strengths}
        shift = sum(ratings[name].value - self.strengths[name] for name in ratings) / len(ratings)
        return {name: (it.value - self.strengths[name] - shift, it.deviation) for name, it in ratings.items()}

    @property
    def error(self) -> float:
        """In the square mean."""
        return sqrt(sum(error**2 for error, _ in self.found.values()) / len(self.strengths))

    @property
    def held(self) -> float:
        """The share of the intervals that hold the truth."""
        return sum(abs(error) <= 2 * deviation for error, deviation in self.found.values()) / len(self.strengths)


def fifty(draws: Iterator[float], spread: float) -> dict[str, float]:
    """Bots of strengths that spread so far: their standard deviation, in Elo."""
    return {f"bot{number:02}": 1500 + spread * gauss(draws) for number in range(50)}
