"""How often 95 % intervals contain the true difference: exactly, by summing over all counts, or by simulation.

The average is over true leads of 0, 25, 50, ... 200 Elo, each as often. The share of draws is that of the most draws
that the lead allows: a score of s leaves room for 2 * min(s, 1 - s). `pytest -rP` prints the tables of
`docs/ratings.md`; with `-m soak` also those of ladders, whose intervals come from all results at once.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from math import hypot
from statistics import mean

import pytest

from referee.contests.ladder import matchmaking
from referee.contests.ladder.state import LadderPlayTerms
from referee.contests.strength import joint_fit
from referee.contests.strength.elo import (
    ELO_SCALE,
    EloEstimate,
    OutcomeCounts,
    elo_difference,
    estimate_from_counts,
    estimate_from_scores,
    expected_score,
    score_interval,
)
from tests.contests.simulated_ladder import (
    BOTS,
    Errors,
    SimulatedLadder,
    ladder_of_field,
    root_mean_square,
    share_contained,
)
from tests.contests.simulated_matches import gauss, gumbel, random_numbers

LEADS = range(0, 201, 25)
DRAW_SHARES = (0.0, 0.3, 0.6, 0.9)
Counts = tuple[int, ...]


def single_rates(lead: float, drawn: float) -> tuple[float, ...]:
    """Return the rates of losses, draws and wins."""
    score = expected_score(lead)
    draws = 2 * drawn * min(score, 1 - score)
    return 1 - score - draws / 2, draws, score - draws / 2


def pair_rates(lead: float, drawn: float, first_move: float) -> tuple[float, ...]:
    """Return the rates of 0 to 4 half points in two matches, if the first move is worth that many Elo."""
    first, other = single_rates(lead + first_move, drawn), single_rates(lead - first_move, drawn)
    return tuple(sum(first[i] * other[points - i] for i in range(3) if 0 <= points - i < 3) for points in range(5))


def all_counts(sets: int, outcomes: int) -> Iterator[Counts]:
    if outcomes == 1:
        yield (sets,)
        return
    for first in range(sets + 1):
        yield from ((first, *rest) for rest in all_counts(sets - first, outcomes - 1))


@cache
def estimates(sets: int, outcomes: int) -> Mapping[Counts, EloEstimate]:
    return {counts: estimate_from_counts(OutcomeCounts(counts)) for counts in all_counts(sets, outcomes)}


def probability(counts: Counts, rates: Sequence[float]) -> float:
    logs = [many * math.log(rate or 1e-300) - math.lgamma(many + 1) for many, rate in zip(counts, rates, strict=True)]
    return math.exp(math.lgamma(sum(counts) + 1) + math.fsum(logs))


def exact_coverage(sets: int, rates: Sequence[float]) -> float:
    """Return the probability that the interval contains the truth."""
    last = len(rates) - 1
    truth = elo_difference(math.fsum(rate * place / last for place, rate in enumerate(rates)))
    return math.fsum(
        probability(counts, rates)
        for counts, found in estimates(sets, len(rates)).items()
        if found.low - 1e-6 <= truth <= found.high + 1e-6
    )


SINGLES = [3, 4, 5, 7, 10, 20, *(pytest.param(sets, marks=pytest.mark.soak) for sets in (50, 100, 200))]


@pytest.mark.slow
@pytest.mark.parametrize("sets", SINGLES)
@pytest.mark.parametrize("drawn", DRAW_SHARES)
def test_intervals_of_single_matches_hold_from_three_on_with_any_share_of_draws(sets: int, drawn: float) -> None:
    found = [exact_coverage(sets, single_rates(lead, drawn)) for lead in LEADS]
    print(f"{sets} matches, {drawn:.0%} of possible draws: {mean(found):.3f}")  # noqa: T201
    assert 0.93 <= mean(found) <= 0.97


@pytest.mark.parametrize(
    ("sets", "low", "high"), [(10, 0.99, 1), (20, 0.99, 1), pytest.param(200, 0.94, 0.97, marks=pytest.mark.soak)]
)
def test_if_nearly_all_matches_are_drawn_few_of_them_leave_more_doubt_than_stated(
    sets: int, low: float, high: float
) -> None:
    """With 90 draws in 100 matches, whatever the lead is, the largest lead is 35 Elo."""
    won = [expected_score(lead) for lead in LEADS]
    found = [exact_coverage(sets, (0.1 * (1 - share), 0.9, 0.1 * share)) for share in won]
    print(f"{sets} matches, 90% drawn: {mean(found):.3f}")  # noqa: T201
    assert low <= mean(found) <= high


@pytest.mark.slow
@pytest.mark.parametrize("pairs", [3, 5, pytest.param(10, marks=pytest.mark.soak)])
@pytest.mark.parametrize("drawn", DRAW_SHARES)
@pytest.mark.parametrize("first_move", [0, 100])
def test_intervals_of_pairs_hold_whatever_the_first_move_is_worth(pairs: int, drawn: float, first_move: float) -> None:
    found = [exact_coverage(pairs, pair_rates(lead, drawn, first_move)) for lead in LEADS]
    print(f"{pairs} pairs, {drawn:.0%} drawn, first move {first_move} Elo: {mean(found):.3f}")  # noqa: T201
    assert 0.93 <= mean(found) <= 0.98


def test_the_interval_of_scores_is_that_of_counts() -> None:
    found = estimate_from_counts(OutcomeCounts((2, 1, 6)))
    scores = [0.0] * 2 + [0.5] + [1.0] * 6
    assert tuple(map(elo_difference, score_interval(scores))) == pytest.approx((found.low, found.high), abs=1e-6)
    assert estimate_from_scores(scores).elo == pytest.approx(found.elo)
    assert score_interval([1.0] * 3)[1] == 1


@pytest.mark.parametrize("outcomes", [3, 5])
def test_three_won_sets_do_not_exclude_equality_and_six_do(outcomes: int) -> None:
    won = [estimate_from_counts(OutcomeCounts((*[0] * (outcomes - 1), sets))) for sets in (3, 6)]
    assert won[0].low < 0 < won[1].low
    assert won[0].high == pytest.approx(elo_difference(1.0))
    assert 0.9 < won[0].superiority < 0.975


def table_score(lead: float, players: int, start: float, draws: Iterator[float]) -> float:
    """Return the share of opponents that one player, ahead of all by `lead`, precedes in a set that starts alike."""
    total = 0.0
    for _ in range(players):
        performance = lead + start - ELO_SCALE * gumbel(draws)
        total += sum(performance > -ELO_SCALE * gumbel(draws) for _ in range(players - 1)) / (players - 1)
    return total / players


@pytest.mark.slow
@pytest.mark.parametrize("sets", [3, 10, 40])
@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize(("runs", "slack"), [(100, 0.04), pytest.param(1500, 0.0, marks=pytest.mark.soak)])
def test_intervals_of_sets_of_several_sides_hold(sets: int, players: int, runs: int, slack: float) -> None:
    draws, held = random_numbers(f"{sets} sets of {players}"), []
    for lead in (0, 100, 200):
        # The luck of a start is shared by the matches of a set.
        scores = [table_score(lead, players, 100 * gauss(draws), draws) for _ in range(10 * runs + sets * runs)]
        truth = elo_difference(mean(scores))
        for run in range(runs):
            found = estimate_from_scores(scores[run * sets : (run + 1) * sets])
            held.append(found.low <= truth <= found.high)
    print(f"{sets} sets of {players} sides: {mean(held):.3f}")  # noqa: T201
    assert 0.93 - slack <= mean(held) <= 0.975 + slack


KINDS = pytest.mark.parametrize("kind", ["even", "normal 100", "normal 250", "normal 400"])
MATCHES = (5, 20, 50, 100)


def ladders(kind: str, runs: int, seats: int = 2) -> list[SimulatedLadder]:
    """Return ladders whose bots have not played yet."""
    terms = [LadderPlayTerms("main", b"seed %d" % number, table_size=seats) for number in range(runs)]
    return [ladder_of_field(kind, f"{kind} {number}, {seats} seats", each) for number, each in enumerate(terms)]


def contained(errors: Iterable[Errors]) -> float:
    return round(mean(map(share_contained, errors)), 9)  # So that nine in ten is 0.9.


def mean_error(errors: Iterable[Errors]) -> float:
    return mean(map(root_mean_square, errors))


def coverage(played: Sequence[SimulatedLadder], what: str) -> float:
    """Return the share of intervals with the true strength, and print it with the errors."""
    errors, live = [run.errors for run in played], [run.live_errors for run in played]
    shares = f"{contained(errors):.3f}, error {mean_error(errors):.0f}"
    print(f"{what}: {shares}; live ratings: {contained(live):.3f}, error {mean_error(live):.0f}")  # noqa: T201
    return contained(errors)


@pytest.mark.slow
@KINDS
def test_intervals_contain_the_true_strength_in_narrow_and_wide_fields(kind: str) -> None:
    found = ladders(kind, 2)
    for rounds, after in ((5, 5), (15, 20)):
        assert coverage([ladder.play_paired(rounds) for ladder in found], f"{kind}, {after} matches") >= 0.9


@pytest.mark.soak
@KINDS
def test_intervals_contain_the_true_strength_in_95_of_100_cases(kind: str) -> None:
    """These are a thousand intervals for each number of matches, so the standard error is about 0.01."""
    found, before = ladders(kind, 20), 0
    for after in MATCHES:
        share = coverage([run.play_paired(after - before) for run in found], f"{kind}, {after} matches")
        # Five matches do not show how narrow the narrowest field is.
        assert 0.93 <= share <= (1 if (kind, after) == ("normal 100", 5) else 0.97), (kind, after)
        live_error = mean_error(run.live_errors for run in found)
        assert mean_error(run.errors for run in found) <= live_error + 5, (kind, after)
        before = after


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["normal 100", "normal 400"])
def test_so_do_those_of_matches_of_four(kind: str) -> None:
    found = [ladder.play_paired(20) for ladder in ladders(kind, 20, seats=4)]
    assert 0.93 <= coverage(found, f"{kind}, 20 matches of four") <= 0.98


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["normal 100", "normal 400"])
def test_the_estimates_of_large_fields_are_close_to_exact_ones(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [ladder.play_paired(20) for ladder in ladders(kind, 10)]
    exact = [ladder.errors for ladder in found]
    monkeypatch.setattr(joint_fit, "EXACT_PLAYERS", 0)
    for of_exact, known in zip(exact, found, strict=True):
        for name, (error, deviation) in known.errors.items():
            assert error == pytest.approx(of_exact[name][0], abs=0.1 * deviation)
            assert deviation == pytest.approx(of_exact[name][1], rel=0.06)


@pytest.mark.soak
def test_ratings_need_opponents_of_mixed_strength(monkeypatch: pytest.MonkeyPatch) -> None:
    mixed = [ladder.play_paired(100) for ladder in ladders("normal 100", 6)]
    monkeypatch.setattr(matchmaking, "MIN_INFORMATION_SHARE", 1.0)
    nearest = [ladder.play_paired(100) for ladder in ladders("normal 100", 6)]
    assert coverage(mixed, "opponents of mixed strength") >= 0.9
    coverage(nearest, "only the most informative opponents")
    assert contained(ladder.live_errors for ladder in nearest) <= 0.8
    errors = [mean_error(ladder.errors for ladder in ladders) for ladders in (nearest, mixed)]
    live_errors = [mean_error(ladder.live_errors for ladder in ladders) for ladders in (nearest, mixed)]
    assert errors[0] >= 1.3 * errors[1]
    assert live_errors[0] >= 2 * live_errors[1]


@pytest.mark.slow
@pytest.mark.parametrize("runs", [1, pytest.param(3, marks=pytest.mark.soak)])
def test_fifty_bots_are_ordered_within_the_stated_uncertainty(runs: int) -> None:
    wrong = sure = 0
    for known in ladders("normal 250", runs):
        errors = known.play_paired(40).errors
        for (name, (error, deviation)), (other, (its_error, its_deviation)) in combinations(errors.items(), 2):
            true_difference = known.strengths[name] - known.strengths[other]
            estimated_difference = true_difference + error - its_error
            if abs(estimated_difference) > 1.96 * hypot(deviation, its_deviation):  # The better one seems to be known.
                sure += 1
                wrong += true_difference * estimated_difference < 0
    print(f"{wrong} of {sure} wrong, of {runs * BOTS * (BOTS - 1) // 2}")  # noqa: T201
    assert sure > runs * BOTS * (BOTS - 1) // 2 * 0.4
    assert wrong / sure <= 0.025
