"""Compares the pairing of a ladder with pairing by lots: fifty bots with known strengths, in six kinds of fields."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from statistics import mean, stdev

from referee.contests.ladder.state import LadderPlayTerms
from tests.contests.random_draws import random_numbers
from tests.contests.simulated_ladder import SimulatedLadder, root_mean_square, share_contained
from tests.contests.simulated_matches import gauss

BOTS = 50
TOP = 8
MATCHES = (5, 10, 20, 50, 100)
"""Numbers of matches per bot after which the ratings are measured."""


def _clusters(draws: Iterator[float], place: int) -> float:
    return (1200 if place % 2 else 1800) + 60 * gauss(draws)


def _outliers(draws: Iterator[float], place: int) -> float:
    return (2100 if place % 6 == 0 and place < 6 * TOP else 1400) + 100 * gauss(draws)


FIELDS: Mapping[str, Callable[[Iterator[float], int], float]] = {
    "even": lambda _, place: 800 + 30.0 * (17 * place % BOTS),
    "normal 100": lambda draws, _: 1500 + 100 * gauss(draws),
    "normal 250": lambda draws, _: 1500 + 250 * gauss(draws),
    "normal 400": lambda draws, _: 1500 + 400 * gauss(draws),
    "two clusters": _clusters,
    "outliers": _outliers,
}
"""The strength of the bot at each place. `even` is from 800 to 2270; the eight outliers are 700 Elo ahead."""


@dataclass(frozen=True, slots=True)
class RatingQuality:
    """How wrong the ratings are after some matches. Lower is better."""

    order: float
    """Share of all pairs of bots that are in the wrong order: (1 - Kendall's tau) / 2."""
    top: float
    """How many places the eight strongest are away from their true ranks, on average."""
    value: float
    """Root mean square of the errors of values in Elo, relative to the average of the field."""
    coverage: float
    """Share of intervals that contain the true strength."""


def measure_quality(ladder: SimulatedLadder) -> RatingQuality:
    errors, strengths = ladder.errors, ladder.strengths
    values = {name: strengths[name] + error for name, (error, _) in errors.items()}
    pairs = list(combinations(strengths, 2))
    wrong = sum((strengths[name] - strengths[other]) * (values[name] - values[other]) <= 0 for name, other in pairs)
    best = sorted(strengths, key=lambda name: -strengths[name])[:TOP]
    ranked = sorted(values, key=lambda name: -values[name])
    displaced = mean(abs(ranked.index(name) - place) for place, name in enumerate(best))
    return RatingQuality(wrong / len(pairs), displaced, root_mean_square(errors), share_contained(errors))


def rate_field(
    field: str,
    number: int,
    terms: LadderPlayTerms,
    play: Callable[[SimulatedLadder, int], object],
    matches: Sequence[int],
) -> list[RatingQuality]:
    """Return the quality after each of these numbers of matches in one field, paired by `play`."""
    draws = random_numbers(f"{field} {number}")
    strengths = {f"bot{place:02}": FIELDS[field](draws, place) for place in range(BOTS)}
    ladder, before, found = SimulatedLadder(strengths, draws, terms), 0, list[RatingQuality]()
    for after in matches:
        play(ladder, after - before)
        found.append(measure_quality(ladder))
        before = after
    return found


@dataclass(frozen=True, slots=True)
class ComparedQuality:
    """One measure of both kinds of pairing, averaged over fields."""

    lots: float
    paired: float
    error: float
    """Standard error of the difference."""

    @property
    def ratio(self) -> float:
        return self.paired / self.lots


def compare(name: str, lots: Sequence[RatingQuality], paired: Sequence[RatingQuality]) -> ComparedQuality:
    """Compare one measure. The fields and results of both are independent of each other, except for the strengths."""
    first, second = [getattr(quality, name) for quality in lots], [getattr(quality, name) for quality in paired]
    difference = [its - theirs for its, theirs in zip(second, first, strict=True)]
    return ComparedQuality(mean(first), mean(second), stdev(difference) / sqrt(len(difference)))
