"""What a tournament may be played as."""

from dataclasses import dataclass
from enum import Enum

from referee.contest.pairing import Places
from referee.contest.sprt import Sprt
from referee.contest.tiebreak import TieBreak


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """Everybody meets everybody."""

    cycles: int = 1


@dataclass(frozen=True, slots=True)
class Swiss:
    """Equals meet equals, nobody twice."""

    rounds: int


@dataclass(frozen=True, slots=True)
class Elimination:
    """Who loses is out; or who has lost twice."""

    twice: bool = False
    matches: int = 1
    """In each pairing. In duplicate play as many more as it takes to fill the last set, here and below."""
    extra: int = 2
    """Further matches while a pairing is level; after them the better seed goes on."""
    third_place: bool = False


@dataclass(frozen=True, slots=True)
class Gauntlet:
    """Some meet all the others, who do not meet each other."""

    challengers: tuple[str, ...]
    cycles: int = 1


@dataclass(frozen=True, slots=True)
class Pools:
    """Several at a table, new ones each round."""

    rounds: int
    at_a_table: int
    sides: Places = ()
    """Who stands together; nothing: everybody alone."""


class Model(Enum):
    """What a trial counts."""

    TRINOMIAL = "trinomial"
    """Single matches: lost, drawn, won."""
    PENTANOMIAL = "pentanomial"
    """Sets of two matches with the seats exchanged: 0, half, 1, one and a half, 2 points."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Two meet, set after set, until a sequential test knows who is better: the first of them, or not.

    In a game of more than two sides the first holds one side and the second all the others; then nothing is
    decided, and only their difference is estimated.
    """

    test: Sprt
    model: Model = Model.PENTANOMIAL
    at_a_table: int = 2
    sides: Places = ()
    """Who stands together; nothing: everybody alone."""

    @property
    def many_sides(self) -> int:
        return len(self.sides) or self.at_a_table

    @property
    def decides(self) -> bool:
        """Between two sides. Of more there is no ratio to test."""
        return self.many_sides == 2

    @property
    def by_sets(self) -> bool:
        """What is counted is sets, not single matches."""
        return self.model is Model.PENTANOMIAL or not self.decides


Format = RoundRobin | Swiss | Elimination | Gauntlet | Pools | Trial

USUAL_TIE_BREAKS: dict[type[Format], tuple[TieBreak, ...]] = {
    RoundRobin: (TieBreak.DIRECT_ENCOUNTER, TieBreak.SONNEBORN_BERGER, TieBreak.WINS),
    Swiss: (TieBreak.BUCHHOLZ, TieBreak.MEDIAN_BUCHHOLZ, TieBreak.SONNEBORN_BERGER, TieBreak.DIRECT_ENCOUNTER),
    Elimination: (),
    Gauntlet: (TieBreak.SONNEBORN_BERGER, TieBreak.WINS),
    Pools: (TieBreak.WINS, TieBreak.BUCHHOLZ),
    Trial: (),
}
