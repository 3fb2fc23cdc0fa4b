"""The pairing of a ladder compared with lots.

`pytest -rP -m soak tests/contests/test_compared_pairing.py` prints the figures.
"""

from collections.abc import Callable, Mapping, Sequence

import pytest

from referee.contests.ladder.state import LadderPlayTerms
from tests.contests.compared_pairing import FIELDS, MATCHES, ComparedQuality, compare, rate_field
from tests.contests.simulated_ladder import SimulatedLadder

MEASURES = ("order", "top", "value", "coverage")

RUNS = 30


def compared(
    field: str,
    runs: int,
    matches: Sequence[int],
    play: Callable[[SimulatedLadder, int], object] = SimulatedLadder.play_paired,
) -> dict[tuple[str, int], ComparedQuality]:
    """Return each measure after each of these numbers of matches per bot, with the default terms of ladders."""
    terms = [LadderPlayTerms("main", b"seed %d" % number) for number in range(runs)]
    lots = [rate_field(field, n, it, SimulatedLadder.play_random, matches) for n, it in enumerate(terms)]
    paired = [rate_field(field, n, it, play, matches) for n, it in enumerate(terms)]
    return {
        (measure, count): compare(measure, [it[place] for it in lots], [it[place] for it in paired])
        for measure in MEASURES
        for place, count in enumerate(matches)
    }


def report(field: str, found: Mapping[tuple[str, int], ComparedQuality]) -> None:
    for (measure, count), it in found.items():
        print(f"{field}, {count} matches, {measure}: {it.lots:.3f} by lots, {it.paired:.3f} paired, {it.ratio:.2f}")  # noqa: T201


@pytest.mark.soak
@pytest.mark.parametrize("field", FIELDS)
def test_pairing_is_never_worse_than_lots_and_better_after_a_hundred_matches(field: str) -> None:
    found = compared(field, RUNS, MATCHES)

    report(field, found)
    for measure in ("order", "top", "value"):
        for count in MATCHES:
            it = found[measure, count]
            assert it.paired <= it.lots + 2.5 * it.error, (measure, count, it)
        assert found[measure, 100].ratio < 1


@pytest.mark.soak
@pytest.mark.parametrize("field", FIELDS)
def test_pairing_among_few_is_about_as_good_as_lots(field: str) -> None:
    """Matches end one by one, so that only two to four entrants wait at a time."""
    found = compared(field, 10, (10, 50), SimulatedLadder.play_overlapping)

    report(field, found)
    assert found["order", 50].ratio < 1.15
    assert found["value", 50].ratio < 1.15


@pytest.mark.slow
def test_pairing_orders_a_wide_field_better_than_lots_do() -> None:
    found = compared("even", 4, (50,))

    assert found["order", 50].ratio < 0.9
    assert found["top", 50].ratio < 0.9
    assert found["value", 50].ratio < 1.05
