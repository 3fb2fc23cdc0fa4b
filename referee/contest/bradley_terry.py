"""The strengths that explain all results at once best, with how sure they are: for tables and reports.

The model of Bradley and Terry: the odds between two sides follow from the difference of their strengths, and
strengths on one side add up. A draw is half a win for each, and a match of more than two sides counts as its
pairs, each worth less than a match of its own (`finish.worth_of_a_pair`). Every strength is also held to be
within some thousand Elo of the others', so weakly that it shows only where nothing else says so: who has won
every match has a strength all the same. The best strengths are found by Newton's method, and the errors are
those of the Fisher information. Ratings (`rated`) follow the results one by one; this looks at all of them
again, has no memory of their order, and takes longer.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import fsum, sqrt
from operator import sub
from typing import Generic

from referee.contest.elo import SCALE, expected
from referee.contest.estimate import Estimate, around
from referee.contest.finish import Finish, Player, worth_of_a_pair
from referee.contest.matrix import inverse_columns, product, root, solved

PRIOR = 1000.0
"""The standard deviation, in Elo, of strengths that no result speaks of."""

BELIEF = (SCALE / PRIOR) ** 2
"""What that adds to the information on each strength."""

CLOSE = 1e-14
"""Strengths have been found when no more log-likelihood than this is to be gained."""

_Signs = tuple[tuple[int, int], ...]
"""Two sides: the number of each player, with 1 on the first side and -1 on the second."""


@dataclass(frozen=True, slots=True)
class _Duel:
    """What the first of two sides scored, and out of how much."""

    signs: _Signs
    score: float
    played: float

    def ahead(self, strengths: list[float]) -> float:
        return fsum(sign * strengths[player] for player, sign in self.signs)


@dataclass(frozen=True)
class Strengths(Generic[Player]):
    """Everybody's strength above the average of the field, in Elo, and the errors."""

    elo: Mapping[Player, float]
    """The strongest first."""
    errors: Mapping[Player, Sequence[float]]
    """Each player's error as a sum of independent standard ones: the scalar product of two is their covariance."""

    def of(self, player: Player) -> Estimate:
        """Above the average of the field."""
        mine = self.errors[player]
        return around(self.elo[player], sqrt(product(mine, mine)))

    def between(self, one: Player, other: Player) -> Estimate:
        """How far the one is ahead of the other. Errors that they share take no part in it."""
        apart = list(map(sub, self.errors[one], self.errors[other]))
        return around(self.elo[one] - self.elo[other], sqrt(product(apart, apart)))

    def superiority(self) -> dict[tuple[Player, Player], float]:
        """For every two of them, how likely it is that the first is the stronger one."""
        return {
            (one, other): self.between(one, other).superiority for one in self.elo for other in self.elo if one != other
        }

    def table(self, order: Sequence[Player] = ()) -> dict[Player, Estimate]:
        """Everybody above the average, the strongest first or in the order given, with the superiority over the next.

        The last one has nobody to be superior to: 0. Of two, each is told above the other.
        """
        listed = [player for player in order or self.elo if player in self.elo]
        if len(listed) == 2:
            first, second = listed
            return {first: self.between(first, second), second: self.between(second, first)}
        over_next = {one: self.between(one, other).superiority for one, other in pairwise(listed)}
        return {player: replace(self.of(player), superiority=over_next.get(player, 0.0)) for player in listed}


def strengths(finishes: Iterable[Finish[Player]]) -> Strengths[Player]:
    """The strengths of all who played in these matches, whatever the order of the matches."""
    numbers, duels = _duels(finishes)
    return _above_average(list(numbers), *_climbed(duels, [0.0] * len(numbers)))


def _climbed(duels: list[_Duel], found: list[float]) -> tuple[list[float], list[list[float]]]:
    """The strengths of the greatest likelihood, uphill from those given, and how they err (`Strengths.errors`)."""
    while True:
        uphill, lower = _slope(duels, found)
        step = solved(lower, uphill)
        if fsum(up * along for up, along in zip(uphill, step, strict=True)) <= CLOSE:
            return found, inverse_columns(lower)
        longest = max(abs(duel.ahead(step)) for duel in duels)
        length = 1 / max(1.0, longest)  # So far at most does Newton's direction lead upwards for certain.
        found = [each + length * more for each, more in zip(found, step, strict=True)]


def _duels(finishes: Iterable[Finish[Player]]) -> tuple[dict[Player, int], list[_Duel]]:
    """Every player's number, and what was played between every two sides, added up."""
    numbers: dict[Player, int] = {}
    scores: defaultdict[_Signs, float] = defaultdict(float)
    played: defaultdict[_Signs, float] = defaultdict(float)
    for finish in finishes:
        for player in finish.players:
            numbers.setdefault(player, len(numbers))
        worth = worth_of_a_pair(len(finish.sides))
        for one, other, score in finish.pairs():
            signs = (*((numbers[player], 1) for player in one), *((numbers[player], -1) for player in other))
            scores[signs] += score * worth
            played[signs] += worth
    return numbers, [_Duel(signs, scores[signs], played[signs]) for signs in played]


def _slope(duels: Iterable[_Duel], found: list[float]) -> tuple[list[float], list[list[float]]]:
    """The gradient of the log-likelihood, and the root of the information (how sharply it bends)."""
    uphill = [-BELIEF * each for each in found]
    information = [[BELIEF * (row == column) for column in range(len(found))] for row in range(len(found))]
    for duel in duels:
        chance = expected(SCALE * duel.ahead(found))
        for player, sign in duel.signs:
            uphill[player] += sign * (duel.score - duel.played * chance)
            for other, other_sign in duel.signs:
                information[player][other] += sign * other_sign * duel.played * chance * (1 - chance)
    return uphill, root(information)


def _above_average(players: list[Player], found: list[float], errors: list[list[float]]) -> Strengths[Player]:
    """In Elo, strongest first, and measured from the average of all."""
    count = max(1, len(players))
    mean = fsum(found) / count
    shared = [fsum(column) / count for column in zip(*errors, strict=True)]
    order = sorted(range(len(players)), key=lambda number: -found[number])
    return Strengths(
        {players[number]: SCALE * (found[number] - mean) for number in order},
        {players[number]: [SCALE * it for it in map(sub, errors[number], shared)] for number in order},
    )
