"""What a tournament may be played as."""

from dataclasses import dataclass

from referee.contest.pairing import Places
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


Format = RoundRobin | Swiss | Elimination | Gauntlet | Pools

USUAL_TIE_BREAKS: dict[type[Format], tuple[TieBreak, ...]] = {
    RoundRobin: (TieBreak.DIRECT_ENCOUNTER, TieBreak.SONNEBORN_BERGER, TieBreak.WINS),
    Swiss: (TieBreak.BUCHHOLZ, TieBreak.MEDIAN_BUCHHOLZ, TieBreak.SONNEBORN_BERGER, TieBreak.DIRECT_ENCOUNTER),
    Elimination: (),
    Gauntlet: (TieBreak.SONNEBORN_BERGER, TieBreak.WINS),
    Pools: (TieBreak.WINS, TieBreak.BUCHHOLZ),
}
