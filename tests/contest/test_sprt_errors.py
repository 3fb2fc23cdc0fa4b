"""The sequential test, run thousands of times: how often it errs, and how long it takes."""

from collections.abc import Iterator
from itertools import accumulate, islice
from math import log
from typing import NamedTuple

import pytest

from referee.contest.elo import expected
from referee.contest.sprt import Sprt, Verdict, decided, judged
from referee.contest.tally import Tally, none_yet
from tests.contest.luck import luck, outcome

ALPHA, BETA = 0.05, 0.1
SPRT = Sprt(elo0=0, elo1=100, alpha=ALPHA, beta=BETA)

TRINOMIAL, PENTANOMIAL = 3, 5


class Ran(NamedTuple):
    verdict: Verdict
    tally: Tally


def rates(lead: float, outcomes: int, draws: float) -> tuple[float, ...]:
    """How often each outcome comes, if so many matches are drawn and the first move is worth some twenty Elo."""
    score = expected(lead)
    first, second = ((1 - each - draws / 2, draws, each - draws / 2) for each in (score + 0.03, score - 0.03))
    if outcomes == TRINOMIAL:
        return tuple((a + b) / 2 for a, b in zip(first, second, strict=True))
    return tuple(sum(first[i] * second[points - i] for i in range(3) if 0 <= points - i < 3) for points in range(5))


def run(of_outcomes: tuple[float, ...], draws: Iterator[float]) -> Ran:
    tally = none_yet(len(of_outcomes))
    while (verdict := decided(SPRT, tally)) is Verdict.OPEN:
        tally = tally.and_then(outcome(of_outcomes, next(draws)))
    return Ran(verdict, tally)


def wald(of_outcomes: tuple[float, ...], lead: float) -> float:
    """Wald's approximation to the expected number of sets, for rates that are known."""
    last = len(of_outcomes) - 1
    score = sum(rate * place / last for place, rate in enumerate(of_outcomes))
    variance = sum(rate * (place / last - score) ** 2 for place, rate in enumerate(of_outcomes))
    score0, score1 = expected(SPRT.elo0), expected(SPRT.elo1)
    drift = (score1 - score0) * (score - (score0 + score1) / 2) / variance
    lower, upper = log(BETA / (1 - ALPHA)), log((1 - BETA) / ALPHA)
    passes = ALPHA if lead == SPRT.elo0 else 1 - BETA
    return (passes * upper + (1 - passes) * lower) / drift


@pytest.mark.slow
@pytest.mark.parametrize("runs", [150, pytest.param(1000, marks=pytest.mark.soak)])
@pytest.mark.parametrize("outcomes", [TRINOMIAL, PENTANOMIAL])
@pytest.mark.parametrize("drawn", [0.0, 0.4])
@pytest.mark.parametrize(
    ("lead", "wrong", "allowed"), [(SPRT.elo0, Verdict.PASSED, ALPHA), (SPRT.elo1, Verdict.FAILED, BETA)]
)
def test_it_errs_no_more_often_than_it_may_and_takes_about_as_long_as_wald_foretells(
    outcomes: int, drawn: float, lead: float, wrong: Verdict, allowed: float, runs: int
) -> None:
    of_outcomes, draws = rates(lead, outcomes, drawn), luck(f"{outcomes} outcomes, {drawn} drawn, {lead} Elo")

    ran = [run(of_outcomes, draws) for _ in range(runs)]

    erred = sum(it.verdict is wrong for it in ran) / runs
    sets = sum(sum(it.tally.counts) for it in ran) / runs
    told = f"{erred:.3f} of {runs} erred, where {allowed} may; {sets:.1f} sets, {wald(of_outcomes, lead):.1f} by Wald"
    print(told)  # noqa: T201  # `pytest -rP` shows the evidence.
    assert erred <= allowed, told
    by_wald = wald(of_outcomes, lead)
    assert 0.8 * by_wald < sets < 1.3 * by_wald + 2 * outcomes, told  # A set for each outcome is held to tell nothing.


@pytest.mark.slow
def test_it_takes_about_as_many_matches_as_it_foresaw() -> None:
    of_outcomes, draws = rates(100, PENTANOMIAL, 0.3), luck("to go")
    foreseen, needed = [], []
    for _ in range(300):
        outcomes = (outcome(of_outcomes, drawn) for drawn in islice(draws, 10))
        *_, tally = accumulate(outcomes, Tally.and_then, initial=none_yet(PENTANOMIAL))
        so_far = tally.matches
        if (state := judged(SPRT, tally)).verdict is Verdict.OPEN:
            while decided(SPRT, tally) is Verdict.OPEN:
                tally = tally.and_then(outcome(of_outcomes, next(draws)))
            foreseen.append(state.matches_to_go)
            needed.append(tally.matches - so_far)

    assert 0.6 < sum(foreseen) / sum(needed) < 1.6
