"""Strengths of the players of a ladder from all results at once, of which most pairs have never met.

The model is that of `bradley_terry`, without the advantage of the first seat, since ladders alternate seats. A player
either has the prior of a player of whom nothing is known, or starts near a former player, such as the last version of
a bot: their difference is normal with mean 0. How wide the prior is follows from the field (empirical Bayes): in a
narrow field, few results change an estimate less. For this, strengths must not be the most likely ones, which in wide
fields with few matches would be too close together. They are the means of the normal distributions that describe the
knowledge best (Gaussian variational approximation), so expected scores are averages over possible leads. Width,
strengths and errors depend on each other, and are computed in turn, `ROUNDS` times.

Up to `EXACT_PLAYERS` players, strengths and errors are exact, in a time that grows with the third power of the number
of players. Above, strengths are found by conjugate gradients, and errors by belief propagation: what a result says of a
player counts less, the less is known of the opponents from their other results. The number of steps is limited, and
each takes a time that grows with the number of pairs that have met.

Numbers are in arrays, because these are copied to worker processes faster than anything else.
"""

from array import array
from collections.abc import Sequence
from itertools import chain
from math import fsum, pi, sqrt
from operator import add, mul, sub, truediv

from msgspec import Struct

from referee.contests.strength.bradley_terry import (
    PRIOR_INFORMATION,
    Matrix,
    SidePair,
    Signs,
    Vector,
    climb,
    dispersion,
    dot_product,
    inverse_factor_columns,
)
from referee.contests.strength.elo import ELO_SCALE
from referee.contests.strength.rating import INITIAL_VALUE

EXACT_PLAYERS = 100
"""Number of players up to which strengths and errors are exact: some hundred milliseconds."""

ROUNDS = 8
"""How often strengths, errors and the width of the prior are computed in turn."""

ASSUMED_STRENGTHS = 2
"""Strengths with the deviation below that are added to those of a field, to find the width of the prior."""

ASSUMED_INFORMATION = (ELO_SCALE / 350.0) ** 2

MAX_STEPS = 20
"""Limit of Newton's steps to find strengths."""

MAX_DIRECTIONS = 30
"""Limit of the directions in which each step is searched for."""

RESIDUAL = 1e-6
"""A step is found when the square of what is left of the slopes is this part of what it was."""

FINAL_CHANGE = 1e-4
"""Strengths are final when none changes by more than this in a step: 0.02 Elo."""

ROUGH_CHANGE = 0.05
"""The same in all rounds but the last."""

ERROR_SWEEPS = 8
"""Number of sweeps of belief propagation."""

LEAST_INFORMATION = 1e-9
"""What must not be zero: information on a player before any message, and that of a result between extreme strengths."""


class MetSides(Struct, frozen=True, gc=False):
    """Sides that have met in a season, with the sums of their results, each weighted."""

    first: int
    """Number of the first player of the season."""
    members: "array[int]"
    """Numbers of players, counted from the first one: n on the first side, -1 - n on the other."""
    ends: "array[int]"
    """Where the members of each two sides end."""
    scores: "array[float]"
    """Points of the first side."""
    played: "array[float]"
    drawn: "array[float]"


class FieldOfPlayers(Struct, frozen=True, gc=False):
    """Players, numbered from 0, with their results and what is known of them otherwise."""

    former: "array[int]"
    """Number of the former player near whom each one starts. -1: there is none."""
    deviations: "array[float]"
    """Standard deviation of the difference from the former player, in Elo."""
    met: tuple[MetSides, ...]


class JointEstimates(Struct, frozen=True, gc=False):
    """Strengths of the players of a field, by number, in Elo."""

    values: "array[float]"
    deviations: "array[float]"
    """Standard deviations, relative to the average of the field."""


NO_ESTIMATES = JointEstimates(array("d"), array("d"))


class _Known(Struct, frozen=True, gc=False):
    """What is known of a sum of strengths, some of them negative."""

    signs: Signs
    information: float

    def ahead(self, values: Vector) -> float:
        total = 0.0
        for player, sign in self.signs:
            total += sign * values[player]
        return total

    def add(self, sums: list[float], change: float) -> None:
        """Add a change to each player's sum, with its sign."""
        for player, sign in self.signs:
            sums[player] += sign * change


class _Fit(Struct, frozen=True, gc=False):
    """Strengths and what is known of them."""

    values: list[float]
    variances: Sequence[float]
    """The variance of each strength."""
    errors: Sequence[float]
    """Standard errors, relative to the average of the field where this is known."""
    lead_variances: Sequence[float]
    """The variance of the lead of the first side of each pair."""


def fit_field(field: FieldOfPlayers, start: Sequence[float] = ()) -> JointEstimates:
    """Return the strengths of all players. `start`: former estimates of the first players, which shorten the search."""
    pairs = list(chain.from_iterable(map(_side_pairs, field.met)))
    links = [
        _Known(((player, 1), (former, -1)), (ELO_SCALE / deviation) ** 2)
        for player, (former, deviation) in enumerate(zip(field.former, field.deviations, strict=True))
        if former >= 0
    ]
    roots = [player for player, former in enumerate(field.former) if former < 0]
    values = [(value - INITIAL_VALUE) / ELO_SCALE for value in start]
    values += [0.0] * (len(field.former) - len(values))
    fit_once = _fit_exactly if len(values) <= EXACT_PLAYERS else _fit_approximately
    errors: Sequence[float] = ()
    information, weight = PRIOR_INFORMATION, 1.0
    for number in range(ROUNDS):
        prior = [information * (former < 0) for former in field.former]
        weighted = [pair.with_weight(weight) for pair in pairs]
        fit = fit_once(prior, links, weighted, values, FINAL_CHANGE if number == ROUNDS - 1 else ROUGH_CHANGE)
        values, errors, information = fit.values, fit.errors, _prior_information(fit, roots, information)
        weight = 1 / dispersion(pairs, values)
        pairs = [
            SidePair(pair.signs, pair.score, pair.played, pair.drawn, 1 / sqrt(1 + pi / 8 * variance))
            for pair, variance in zip(pairs, fit.lead_variances, strict=True)
        ]
    return JointEstimates(
        array("d", (INITIAL_VALUE + ELO_SCALE * value for value in values)),
        array("d", (ELO_SCALE * error for error in errors)),
    )


def _prior_information(fit: _Fit, roots: Sequence[int], information: float) -> float:
    """Return the information on each strength that the prior adds, given its effect so far.

    Each strength counts as observed by the part that results, and not the prior, contribute to what is known of it.
    """
    squares = fsum(fit.values[root] ** 2 for root in roots)
    observed = fsum(1 - information * fit.variances[root] for root in roots)
    variance = (squares + ASSUMED_STRENGTHS / ASSUMED_INFORMATION) / (observed + ASSUMED_STRENGTHS)
    return max(PRIOR_INFORMATION, 1 / variance)


def _side_pairs(met: MetSides) -> list[SidePair]:
    found, begin = [], 0
    for end, score, played, drawn in zip(met.ends, met.scores, met.played, met.drawn, strict=True):
        members = met.members[begin:end]
        signs = tuple((met.first + member, 1) if member >= 0 else (met.first - 1 - member, -1) for member in members)
        found.append(SidePair(signs, score, played, drawn))
        begin = end
    return found


def _fit_exactly(
    prior: Vector, links: Sequence[_Known], pairs: Sequence[SidePair], values: list[float], _: float
) -> _Fit:
    known = [[each * (row == column) for column in range(len(prior))] for row, each in enumerate(prior)]
    for link in links:
        for player, sign in link.signs:
            link.add(known[player], sign * link.information)
    values, lower = climb(pairs, known, values)
    columns = inverse_factor_columns(lower)
    shared = [fsum(column) / len(columns) for column in zip(*columns, strict=True)]
    errors = [list(map(sub, each, shared)) for each in columns]
    return _Fit(
        values,
        [dot_product(each, each) for each in columns],
        [sqrt(dot_product(each, each)) for each in errors],
        [_lead_variance(pair.signs, columns) for pair in pairs],
    )


def _lead_variance(signs: Signs, columns: Matrix) -> float:
    error = [0.0] * len(columns)
    for player, sign in signs:
        error = list(map(add if sign > 0 else sub, error, columns[player]))
    return dot_product(error, error)


def _fit_approximately(
    prior: Vector, links: Sequence[_Known], pairs: Sequence[SidePair], values: list[float], final: float
) -> _Fit:
    values = _climb(prior, links, pairs, values, final)
    known = [*links, *(_known_by_result(pair, pair.chance(values)) for pair in pairs)]
    variances = [1 / each for each in _propagate(prior, known)]
    leads = [fsum(variances[player] for player, _ in pair.signs) for pair in pairs]
    return _Fit(values, variances, list(map(sqrt, variances)), leads)


def _known_by_result(pair: SidePair, chance: float) -> _Known:
    return _Known(pair.signs, max(LEAST_INFORMATION, pair.information(chance)))


def _climb(
    prior: Vector, links: Sequence[_Known], pairs: Sequence[SidePair], values: list[float], final: float
) -> list[float]:
    """Return the strengths of maximum likelihood, starting from those given, after some of Newton's steps."""
    for _ in range(MAX_STEPS):
        known = [*links]
        slopes = [-each * value for each, value in zip(prior, values, strict=True)]
        for link in links:
            link.add(slopes, -link.information * link.ahead(values))
        for pair in pairs:
            chance = pair.chance(values)
            known.append(_known_by_result(pair, chance))
            known[-1].add(slopes, pair.score - pair.played * chance)
        step = _solve(prior, known, slopes)
        largest = max(map(abs, step))
        length = 1 / max(1.0, largest)  # Longer steps might overshoot.
        values = [value + length * change for value, change in zip(values, step, strict=True)]
        if largest <= final:
            break
    return values


def _solve(prior: Vector, known: Sequence[_Known], right: Vector) -> list[float]:
    """Solve the linear system of the information approximately, by the method of conjugate gradients."""
    diagonal = [*prior]
    for each in known:
        for player, _ in each.signs:
            diagonal[player] += each.information
    found = [0.0] * len(prior)
    rest = [*right]
    scaled = list(map(truediv, rest, diagonal))
    direction, size = scaled, dot_product(rest, scaled)
    enough = RESIDUAL * size
    for _ in range(MAX_DIRECTIONS):
        if size <= enough:
            break
        product = list(map(mul, prior, direction))
        for each in known:
            each.add(product, each.information * each.ahead(direction))
        length = size / dot_product(direction, product)
        found = [value + length * change for value, change in zip(found, direction, strict=True)]
        rest = [value - length * change for value, change in zip(rest, product, strict=True)]
        scaled = list(map(truediv, rest, diagonal))
        last, size = size, dot_product(rest, scaled)
        direction = [value + size / last * change for value, change in zip(scaled, direction, strict=True)]
    return found


def _propagate(prior: Vector, known: Sequence[_Known]) -> list[float]:
    """Return the information on each player, without what players have in common.

    This is belief propagation for normal variables, of which only the variances are computed. It begins with nothing
    but the priors, and the information only grows with each sweep, so it converges.
    """
    total = [max(LEAST_INFORMATION, each) for each in prior]
    messages = [[0.0] * len(each.signs) for each in known]
    for _ in range(ERROR_SWEEPS):
        after = [max(LEAST_INFORMATION, each) for each in prior]
        for each, sent in zip(known, messages, strict=True):
            variances = [
                1 / max(LEAST_INFORMATION, total[player] - message)
                for (player, _), message in zip(each.signs, sent, strict=True)
            ]
            together = 1 / each.information + sum(variances)
            for place, (player, _) in enumerate(each.signs):
                sent[place] = 1 / (together - variances[place])
                after[player] += sent[place]
        total = after
    return total
