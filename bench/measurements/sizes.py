"""Number of simultaneous matches that one process can serve."""

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial

from bench.costs import CPU, Cost, add_costs
from bench.figures import Findings, Goal, NotMeasured
from bench.measurement import Measurement, Scope, alternate
from bench.stage import MATCHES, MATCHES_OF_ROOMY, ROOMY, SINGLE, Stage, Work, refereed, standing
from bench.svg import lines

GROWTH = 1.1
ONE, ROOM = "1 match per bot", "64 matches per bot"
MANY = 10_000
PINGED_SELDOM = ("--ping-interval-ms", "60000", "--heartbeat-timeout-ms", "180000")
"""Flags for thousands of streams: with the default ping every five seconds, 20 000 of them exceed one process."""


MANY_STREAMS = 1000


def crowded(scope: Scope) -> tuple[Stage, int]:
    """Return the stage with the most simultaneous matches, and their number.

    It is shared by all measurements, because the matches take long to create.
    """
    matches = scope.pick(1000, MANY)
    return standing(scope, Work(bots=2 * -(-matches // 64), room=64)), matches


def measure(scope: Scope) -> Findings:
    moves, seconds = scope.pick(1_000, 2_500), scope.pick(0.7, 1.2)
    with ExitStack() as stack:
        candidates, sizes = {}, dict[str, tuple[str, int]]()
        for series, matches, stage in _stages(scope, stack):
            name = f"{series}, {matches} at once"
            sizes[name] = series, matches
            candidates[name] = partial(stage.among, matches, moves, seconds)
        return _findings(alternate(candidates, scope.pick(2, 3)), sizes)


def _stages(scope: Scope, stack: ExitStack) -> Iterator[tuple[str, int, Stage]]:
    if not scope.quick:
        for matches in (1, 10, 1000, MANY):
            flags = PINGED_SELDOM if matches >= MANY_STREAMS else ()
            opening = refereed(scope, f"sizes {matches}", Work(bots=2 * matches), *flags)
            yield ONE, matches, stack.enter_context(opening)
        yield ROOM, 1000, stack.enter_context(refereed(scope, "sizes roomy", Work(bots=32, room=64)))
    yield ONE, MATCHES, standing(scope, SINGLE)
    yield ROOM, MATCHES_OF_ROOMY, standing(scope, ROOMY)
    stage, matches = crowded(scope)
    yield ROOM, matches, stage


def _findings(costs: dict[str, list[Cost]], sizes: dict[str, tuple[str, int]]) -> Findings:
    found, series = Findings(), dict[str, list[tuple[float, float]]]()
    for name in sorted(costs, key=sizes.__getitem__):
        add_costs(found, name, costs[name])
        kind, matches = sizes[name]
        series.setdefault(kind, []).append((matches, found.of(name, CPU).median))
    if f"{ONE}, {MANY} at once" in costs:
        found.notes.append(
            f"{MANY} matches with one match per bot are {2 * MANY} streams: they are pinged once a minute."
        )
    found.plots["sizes"] = lines(CPU, "matches at once", series)
    return found


def _growth(found: Findings) -> float:
    try:
        return found.ratio(CPU, f"{ROOM}, {MANY} at once", f"{ROOM}, {MATCHES_OF_ROOMY} at once")
    except NotMeasured:
        raise NotMeasured("a quick look stops at 1000 matches") from None


MEASUREMENT = Measurement(
    "sizes",
    "Does a move cost more when more matches are played at once?",
    measure,
    goals=(
        Goal(
            "growth",
            f"CPU per move with {MANY} matches, in units of that with {MATCHES_OF_ROOMY}.",
            GROWTH,
            _growth,
            at_least=False,
        ),
    ),
    profile="path",
)
