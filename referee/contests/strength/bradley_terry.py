"""Strengths that explain all results of a field best, with their errors: for tables and reports.

This is the model of Bradley and Terry: the odds between two sides follow from the difference of their strengths, and
strengths on one side add up. A draw is half a win for each. In matches of two sides, the first one is ahead by the
advantage of the first seat, which is estimated too. A match of more than two sides counts as its pairs, with the weight
`rating.pair_weight`. A weak prior keeps strengths close enough together that a player who has won every match has a
finite one. Strengths are found by Newton's method.

Errors are those of the Fisher information, which counts a result more the less it varies: with the expected score p and
a probability of draws d, the variance is p (1 - p) - d / 4. Unlike ratings (`rating`), which follow results one by one,
this uses all of them at once and disregards their order.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import fsum, sqrt
from operator import mul, sub
from typing import Generic

from msgspec import Struct
from msgspec.structs import replace

from engines.chance import RANGE, Chance
from referee.contests.strength.elo import ELO_SCALE, NORMAL, EloEstimate, expected_score, normal_estimate
from referee.contests.strength.rating import FinishOrder, Player, pair_weight

PRIOR_DEVIATION = 600.0
"""Standard deviation, in Elo, of a strength without results."""

PRIOR_INFORMATION = (ELO_SCALE / PRIOR_DEVIATION) ** 2
"""Information on each strength that the prior adds."""

FIRST_SEAT_DEVIATION = 100.0
"""Standard deviation, in Elo, of the advantage of the first seat without results."""

FIRST_SEAT_INFORMATION = (ELO_SCALE / FIRST_SEAT_DEVIATION) ** 2
"""Information on the advantage of the first seat that its prior adds."""

PRIOR_RESULTS = 1.0
"""Results without draws, of equal sides, that are added to find how much results vary."""

TOLERANCE = 1e-14
"""Strengths are final when a step gains no more log-likelihood than this."""

MIN_DISPERSION = 0.02
"""Least share of the variance without draws that results are taken to have."""

Vector = Sequence[float]
Matrix = Sequence[Vector]

Signs = tuple[tuple[int, int], ...]
"""Two sides: the number of each player, with 1 on the first side and -1 on the second."""

FIRST_SEAT = 0
"""Number of the advantage of the first seat, which counts as a player of the first side. Players follow it."""


class SidePair(Struct, frozen=True, gc=False):
    """Score of the first of two sides, out of how much, and how much of it was drawn."""

    signs: Signs
    score: float
    played: float
    drawn: float
    flatness: float = 1.0
    """Factor of leads: below 1 if these are uncertain, because expected scores are averages over possible leads."""

    def ahead(self, elos: Sequence[float]) -> float:
        return fsum(sign * elos[player] for player, sign in self.signs)

    def chance(self, values: Sequence[float]) -> float:
        """Return the expected score of the first side."""
        return expected_score(ELO_SCALE * self.flatness * self.ahead(values))

    def information(self, chance: float) -> float:
        """Return how much the results say of the lead, given the expected score."""
        return self.played * self.flatness * chance * (1 - chance)

    def with_weight(self, weight: float) -> "SidePair":
        return SidePair(self.signs, self.score * weight, self.played * weight, self.drawn * weight, self.flatness)


class Strengths(Struct, Generic[Player], frozen=True, gc=False):
    """Strengths relative to the average of the field, in Elo, with their errors."""

    elo: Mapping[Player, float]
    """Highest first."""
    errors: Mapping[Player, Sequence[float]]
    """Each player's error as a sum of independent standard ones. The dot product of two is their covariance."""
    first_seat: EloEstimate
    """Advantage of the first seat in matches of two sides. Without such matches, about 0 plus or minus 200."""
    draw_rate: float
    """Share of draws among all results."""

    def estimate(self, player: Player) -> EloEstimate:
        """Return a player's strength relative to the average of the field."""
        error = self.errors[player]
        return normal_estimate(self.elo[player], sqrt(dot_product(error, error)))

    def difference(self, player: Player, other: Player) -> EloEstimate:
        """Return how far one player is ahead of the other. Errors that both share cancel out."""
        error = list(map(sub, self.errors[player], self.errors[other]))
        return normal_estimate(self.elo[player] - self.elo[other], sqrt(dot_product(error, error)))

    def table(self, order: Sequence[Player] = ()) -> dict[Player, EloEstimate]:
        """Return all strengths in the given order (default: highest first), with the superiority over the next player.

        The superiority of the last one is 0. Two players are each compared with the other.
        """
        listed = [player for player in order or self.elo if player in self.elo]
        if len(listed) == 2:
            first, second = listed
            return {first: self.difference(first, second), second: self.difference(second, first)}
        over_next = {player: self.difference(player, other).superiority for player, other in pairwise(listed)}
        return {player: replace(self.estimate(player), superiority=over_next.get(player, 0.0)) for player in listed}


def fit_strengths(finishes: Iterable[FinishOrder[Player]]) -> Strengths[Player]:
    """Return the strengths of all players of these matches. The order of matches does not matter.

    The first side of a match of two must be the one with the first seat.
    """
    numbers, pairs = _side_pairs(finishes)
    prior = [FIRST_SEAT_INFORMATION, *[PRIOR_INFORMATION] * len(numbers)]
    known = [[each * (row == column) for column in range(len(prior))] for row, each in enumerate(prior)]
    values, _ = climb(pairs, known, [0.0] * len(known))
    weight = 1 / dispersion(pairs, values)
    values, lower = climb([pair.with_weight(weight) for pair in pairs], known, values)
    played = fsum(pair.played for pair in pairs)
    draw_rate = fsum(pair.drawn for pair in pairs) / played if played else 0.0
    return _centre(list(numbers), values, inverse_factor_columns(lower), draw_rate)


def dispersion(pairs: Sequence[SidePair], values: Sequence[float]) -> float:
    """Return the variance of results relative to that without draws, up to 1. Results that vary less count more."""
    without_draws = fsum(pair.played * (chance := pair.chance(values)) * (1 - chance) for pair in pairs)
    less = fsum(pair.drawn for pair in pairs) / 4
    return max(MIN_DISPERSION, 1 - less / (without_draws + PRIOR_RESULTS / 4))


def climb(pairs: Sequence[SidePair], known: Matrix, values: list[float]) -> tuple[list[float], list[list[float]]]:
    """Return the strengths of maximum likelihood, starting from those given, and the factor of their information.

    `known` is the information of the prior, whose mean is 0.
    """
    while True:
        gradient, lower = _gradient(pairs, known, values)
        step = solve_by_factor(lower, gradient)
        if fsum(slope * change for slope, change in zip(gradient, step, strict=True)) <= TOLERANCE:
            return values, lower
        max_change = max(abs(pair.ahead(step)) for pair in pairs)
        length = 1 / max(1.0, max_change)  # Longer Newton steps might overshoot.
        values = [value + length * change for value, change in zip(values, step, strict=True)]


def _side_pairs(finishes: Iterable[FinishOrder[Player]]) -> tuple[dict[Player, int], list[SidePair]]:
    """Return the number of each player, and the sums of scores between each two sides."""
    numbers: dict[Player, int] = {}
    scores: defaultdict[Signs, float] = defaultdict(float)
    played: defaultdict[Signs, float] = defaultdict(float)
    drawn: defaultdict[Signs, float] = defaultdict(float)
    for finish in finishes:
        for player in finish.players:
            numbers.setdefault(player, len(numbers) + 1)
        weight = pair_weight(len(finish.sides))
        first_seat = ((FIRST_SEAT, 1),) if len(finish.sides) == 2 else ()
        for side, other, score in finish.side_pairs():
            signs = (
                *first_seat,
                *((numbers[player], 1) for player in side),
                *((numbers[player], -1) for player in other),
            )
            scores[signs] += score * weight
            played[signs] += weight
            drawn[signs] += weight * (score == 0.5)
    return numbers, [SidePair(signs, scores[signs], played[signs], drawn[signs]) for signs in played]


def _gradient(pairs: Iterable[SidePair], known: Matrix, values: list[float]) -> tuple[list[float], list[list[float]]]:
    """Return the gradient of the log-likelihood, and the Cholesky factor of the information."""
    gradient = [-dot_product(row, values) for row in known]
    information = [[*row] for row in known]
    for pair in pairs:
        chance = pair.chance(values)
        known_by_pair = pair.information(chance)
        for player, sign in pair.signs:
            gradient[player] += sign * (pair.score - pair.played * chance)
            for other, other_sign in pair.signs:
                information[player][other] += sign * other_sign * known_by_pair
    return gradient, cholesky_factor(information)


def _centre(
    players: list[Player], values: list[float], errors: list[list[float]], draw_rate: float
) -> Strengths[Player]:
    """Convert strengths to Elo relative to the average, highest first."""
    count = max(1, len(players))
    mean = fsum(values[1:]) / count
    shared = [fsum(column) / count for column in zip(*errors[1:], strict=True)]
    order = sorted(range(1, len(values)), key=lambda number: -values[number])
    first_seat = normal_estimate(
        ELO_SCALE * values[FIRST_SEAT], ELO_SCALE * sqrt(dot_product(errors[FIRST_SEAT], errors[FIRST_SEAT]))
    )
    return Strengths(
        {players[number - 1]: ELO_SCALE * (values[number] - mean) for number in order},
        {players[number - 1]: [ELO_SCALE * error for error in map(sub, errors[number], shared)] for number in order},
        first_seat,
        draw_rate,
    )


SAMPLES = 2000
"""Samples of the strengths, from which the chances of being best are counted."""

MAX_CONTENDERS = 24
"""Number of players with the highest estimates that are compared; the chances of all others are negligible."""

MIN_SUPERIORITY = 0.001
"""Least probability of being ahead of the first one with which a player is counted among the contenders."""


def chances_to_be_best(strengths: Strengths[Player]) -> dict[Player, float]:
    """Return the probability of each player to be the strongest, given the results.

    The leads over the player with the highest estimate are normal variables with known covariances, of which samples
    are drawn from a fixed seed. Two players are compared exactly.
    """
    first, *others = strengths.elo or (None,)
    if first is None:
        return {}
    leads = {other: strengths.difference(other, first) for other in others[: MAX_CONTENDERS - 1]}
    contenders = [other for other, lead in leads.items() if lead.superiority >= MIN_SUPERIORITY]
    if len(contenders) < 2:
        chances = {other: leads[other].superiority for other in contenders}
    else:
        chances = _sampled_chances(strengths, first, contenders)
    return {first: 1 - fsum(chances.values()), **{other: chances.get(other, 0.0) for other in others}}


def _sampled_chances(strengths: Strengths[Player], first: Player, others: list[Player]) -> dict[Player, float]:
    """Return how often each of the others is ahead of the first player and of all others."""
    errors = [list(map(sub, strengths.errors[other], strengths.errors[first])) for other in others]
    factor = cholesky_factor([[dot_product(error, other) for other in errors] for error in errors])
    leads = [strengths.elo[other] - strengths.elo[first] for other in others]
    draws, chance = [], Chance(b"chances to be best")
    for _ in range(SAMPLES * len(others)):
        draw, chance = chance.below(RANGE)
        draws.append(NORMAL.inv_cdf((draw + 0.5) / RANGE))
    best = [0] * len(others)
    for start in range(0, len(draws), len(others)):
        sample = draws[start : start + len(others)]
        values = [lead + dot_product(row, sample) for lead, row in zip(leads, factor, strict=True)]
        highest = max(values)
        best[values.index(highest)] += highest > 0
    return {other: times / SAMPLES for other, times in zip(others, best, strict=True)}


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


def dot_product(vector: Vector, other: Vector) -> float:
    """Return the scalar product, over the length of the shorter vector."""
    return float(sum(map(mul, vector, other)))
