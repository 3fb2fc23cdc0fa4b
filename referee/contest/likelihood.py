"""What counted outcomes say about the score that is to be expected.

Nothing is assumed about how often each outcome comes (how drawish the game is, how much the first move
counts), only that it comes at some rate. Among all rates that lead to an expected score there are some that
explain the counts best; how much worse these explain them than the counts' own rates do is the `loss` of
that score. The difference of two losses is the generalised log-likelihood ratio of two scores.

The best rates follow from Lagrange's multiplier: if `w` of `n` sets scored `a`, its rate is
w / n / (1 + x * (a - score)), where x makes the rates sum up to 1. See Michel Van den Bergh, "Comments on
normalized Elo" and "The generalized maximum likelihood ratio for the expectation value of a distribution".
"""

from collections.abc import Iterable
from math import log

from referee.contest.tally import Tally

PRECISION = 1e-13


def loss(tally: Tally, score: float) -> float:
    """How much log-likelihood it costs to insist on that expected score, which is between 0 and 1. Never negative."""
    return max(0.0, tally.weigh(evidence(tally, score)))


def evidence(tally: Tally, score: float) -> tuple[float, ...]:
    """For each outcome, how much one set that ends so speaks against that expected score, in log-likelihood."""
    apart = [of_outcome - score for of_outcome in tally.scores]
    x = _multiplier(apart, tally.weights)
    return tuple(log(1 + x * a) for a in apart)


def _multiplier(apart: list[float], weights: Iterable[float]) -> float:
    """The x for which the sum of w * a / (1 + x * a) is 0.

    The sum falls from plus to minus infinity between its two poles. Newton's steps find the place; where one
    leads out of what is known to hold it, that is halved instead.
    """
    low, high = -1 / max(apart), -1 / min(apart)
    precision = PRECISION * (high - low)
    x, step = 0.0, high - low
    while abs(step) > precision:
        terms = [a / (1 + x * a) for a in apart]
        value = sum(w * term for w, term in zip(weights, terms, strict=True))
        slope = sum(w * term * term for w, term in zip(weights, terms, strict=True))
        low, high = (x, high) if value > 0 else (low, x)
        step = value / slope
        if not low < x + step < high:
            step = (low + high) / 2 - x
        x += step
    return x
