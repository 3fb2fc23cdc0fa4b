"""The beta distribution: what is known of a score between 0 and 1."""

from math import exp, lgamma, log

from msgspec import Struct

FRACTION_PRECISION = 1e-12
QUANTILE_STEPS = 50


class BetaDistribution(Struct, frozen=True, gc=False):
    """A distribution on the numbers from 0 to 1, with two positive parameters."""

    a: float
    b: float

    @classmethod
    def of_moments(cls, mean: float, variance: float) -> "BetaDistribution":
        """Return the one with that mean and that variance, which is less than that of a coin."""
        weight = mean * (1 - mean) / variance - 1
        return cls(mean * weight, (1 - mean) * weight)

    def cdf(self, x: float) -> float:
        """Return the probability of a value of at most x, which is between 0 and 1, both excluded."""
        a, b = self.a, self.b
        factor = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x))
        if x < (a + 1) / (a + b + 2):  # The fraction converges quickly on this side.
            return factor * _continued_fraction(a, b, x) / a
        return 1 - factor * _continued_fraction(b, a, 1 - x) / b

    def quantile(self, share: float) -> float:
        """Return the value that is exceeded with a probability of 1 - share."""
        low, high = 0.0, 1.0
        for _ in range(QUANTILE_STEPS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.cdf(middle) < share else (low, middle)
        return (low + high) / 2


def _continued_fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method.

    Numerators and denominators are positive where it is used, so none of them needs a guard against zero.
    """
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value, change, m = d, 0.0, 0
    while abs(change - 1) > FRACTION_PRECISION:
        m += 1
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        c, d = 1 + even / c, 1 / (1 + even * d)
        value *= c * d
        c, d = 1 + odd / c, 1 / (1 + odd * d)
        change = c * d
        value *= change
    return value
