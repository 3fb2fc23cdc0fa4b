"""Strengths that explain all results of a field best, with their errors: for tables and reports.

This is the model of Bradley and Terry: the odds between two sides follow from the difference of their strengths, and
strengths on one side add up. A draw is half a win for each. A match of more than two sides counts as its pairs, with
the weight `finish_order.pair_weight`. A weak prior keeps strengths within some thousand Elo of each other, so that a
player who has won every match has a finite one. Strengths are found by Newton's method; errors are those of the Fisher
information. Unlike ratings (`rating`), which follow results one by one, this uses all of them at once and disregards
their order.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import fsum, sqrt
from operator import mul, sub
from typing import Generic

from referee.contests.strength.elo import ELO_SCALE, EloEstimate, expected_score, normal_estimate
from referee.contests.strength.rating import FinishOrder, Player, pair_weight

PRIOR_DEVIATION = 1000.0
"""Standard deviation, in Elo, of a strength without results."""

PRIOR_INFORMATION = (ELO_SCALE / PRIOR_DEVIATION) ** 2
"""Information on each strength that the prior adds."""

TOLERANCE = 1e-14
"""Strengths are final when a step gains no more log-likelihood than this."""

_Signs = tuple[tuple[int, int], ...]
"""Two sides: the number of each player, with 1 on the first side and -1 on the second."""


@dataclass(frozen=True, slots=True)
class _SidePair:
    """Score of the first of two sides, out of how much."""

    signs: _Signs
    score: float
    played: float

    def ahead(self, elos: list[float]) -> float:
        return fsum(sign * elos[player] for player, sign in self.signs)


@dataclass(frozen=True)
class Strengths(Generic[Player]):
    """Strengths relative to the average of the field, in Elo, with their errors."""

    elo: Mapping[Player, float]
    """Highest first."""
    errors: Mapping[Player, Sequence[float]]
    """Each player's error as a sum of independent standard ones. The dot product of two is their covariance."""

    def estimate(self, player: Player) -> EloEstimate:
        """Return a player's strength relative to the average of the field."""
        error = self.errors[player]
        return normal_estimate(self.elo[player], sqrt(dot_product(error, error)))

    def difference(self, one: Player, other: Player) -> EloEstimate:
        """Return how far one player is ahead of the other. Errors that both share cancel out."""
        error = list(map(sub, self.errors[one], self.errors[other]))
        return normal_estimate(self.elo[one] - self.elo[other], sqrt(dot_product(error, error)))

    def table(self, order: Sequence[Player] = ()) -> dict[Player, EloEstimate]:
        """Return all strengths in the given order (default: highest first), with the superiority over the next player.

        The superiority of the last one is 0. Two players are each compared with the other.
        """
        listed = [player for player in order or self.elo if player in self.elo]
        if len(listed) == 2:
            first, second = listed
            return {first: self.difference(first, second), second: self.difference(second, first)}
        over_next = {one: self.difference(one, other).superiority for one, other in pairwise(listed)}
        return {player: replace(self.estimate(player), superiority=over_next.get(player, 0.0)) for player in listed}


def fit_strengths(finishes: Iterable[FinishOrder[Player]]) -> Strengths[Player]:
    """Return the strengths of all players of these matches. The order of matches does not matter."""
    numbers, pairs = _side_pairs(finishes)
    return _centre(list(numbers), *_maximise(pairs, [0.0] * len(numbers)))


def _maximise(pairs: list[_SidePair], values: list[float]) -> tuple[list[float], list[list[float]]]:
    """Return the strengths of maximum likelihood, starting from those given, and their errors (`Strengths.errors`)."""
    while True:
        gradient, lower = _gradient(pairs, values)
        step = solve_by_factor(lower, gradient)
        if fsum(slope * change for slope, change in zip(gradient, step, strict=True)) <= TOLERANCE:
            return values, inverse_factor_columns(lower)
        max_change = max(abs(pair.ahead(step)) for pair in pairs)
        length = 1 / max(1.0, max_change)  # Longer Newton steps might overshoot.
        values = [value + length * change for value, change in zip(values, step, strict=True)]


def _side_pairs(finishes: Iterable[FinishOrder[Player]]) -> tuple[dict[Player, int], list[_SidePair]]:
    """Return the number of each player, and the sums of scores between each two sides."""
    numbers: dict[Player, int] = {}
    scores: defaultdict[_Signs, float] = defaultdict(float)
    played: defaultdict[_Signs, float] = defaultdict(float)
    for finish in finishes:
        for player in finish.players:
            numbers.setdefault(player, len(numbers))
        weight = pair_weight(len(finish.sides))
        for one, other, score in finish.side_pairs():
            signs = (*((numbers[player], 1) for player in one), *((numbers[player], -1) for player in other))
            scores[signs] += score * weight
            played[signs] += weight
    return numbers, [_SidePair(signs, scores[signs], played[signs]) for signs in played]


def _gradient(pairs: Iterable[_SidePair], values: list[float]) -> tuple[list[float], list[list[float]]]:
    """Return the gradient of the log-likelihood, and the Cholesky factor of the information."""
    gradient = [-PRIOR_INFORMATION * each for each in values]
    information = [[PRIOR_INFORMATION * (row == column) for column in range(len(values))] for row in range(len(values))]
    for pair in pairs:
        chance = expected_score(ELO_SCALE * pair.ahead(values))
        for player, sign in pair.signs:
            gradient[player] += sign * (pair.score - pair.played * chance)
            for other, other_sign in pair.signs:
                information[player][other] += sign * other_sign * pair.played * chance * (1 - chance)
    return gradient, cholesky_factor(information)


def _centre(players: list[Player], values: list[float], errors: list[list[float]]) -> Strengths[Player]:
    """Convert strengths to Elo relative to the average, highest first."""
    count = max(1, len(players))
    mean = fsum(values) / count
    shared = [fsum(column) / count for column in zip(*errors, strict=True)]
    order = sorted(range(len(players)), key=lambda number: -values[number])
    return Strengths(
        {players[number]: ELO_SCALE * (values[number] - mean) for number in order},
        {players[number]: [ELO_SCALE * it for it in map(sub, errors[number], shared)] for number in order},
    )


Vector = Sequence[float]
Matrix = Sequence[Vector]


def cholesky_factor(matrix: Matrix) -> list[list[float]]:
    """Return the lower triangle L, by rows, for which L times its transpose is the positive definite matrix."""
    rows: list[list[float]] = []
    for i, of_matrix in enumerate(matrix):
        row: list[float] = []
        for j in range(i):
            row.append((of_matrix[j] - dot_product(row, rows[j])) / rows[j][j])
        row.append(sqrt(of_matrix[i] - dot_product(row, row)))
        rows.append(row)
    return rows


def solve_by_factor(lower: Matrix, right: Vector) -> list[float]:
    """Solve the linear system, given the Cholesky factor of its matrix."""
    half: list[float] = []
    for row, value in zip(lower, right, strict=True):
        half.append((value - dot_product(half, row)) / row[-1])
    values = half
    for i in reversed(range(len(values))):
        values[i] /= lower[i][i]
        for j in range(i):
            values[j] -= lower[i][j] * values[i]
    return values


def inverse_factor_columns(lower: Matrix) -> list[list[float]]:
    """Return the columns of the factor's inverse. The dot products of two are the entries of the inverse matrix."""
    columns: list[list[float]] = []
    for start in range(len(lower)):
        column = [0.0] * start + [1 / lower[start][start]]
        for i in range(start + 1, len(lower)):
            column.append(-dot_product(lower[i][start:i], column[start:]) / lower[i][i])
        columns.append(column)
    return columns


def dot_product(one: Vector, other: Vector) -> float:
    """Return the scalar product, over the length of the shorter vector."""
    return float(sum(map(mul, one, other)))
