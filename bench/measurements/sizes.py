"""How many matches at once one process bears."""

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial

from bench.figures import Findings, Goal, NotMeasured
from bench.measurement import Measurement, Scope, alternate
from bench.stage import Cost, Work, refereed
from bench.svg import lines

CPU = "server CPU per move, µs"
GROWTH = 1.2


def measure(scope: Scope) -> Findings:
    with ExitStack() as stack:
        candidates, sizes = {}, dict[str, tuple[str, int]]()
        for series, matches, work in _works(scope.quick):
            name = f"{series}, {matches} at once"
            stage = stack.enter_context(refereed(scope, f"sizes {name}", work))
            # Large crowds are made once: there is enough to play for all rounds.
            stage.crowd.do("make", matches=matches)
            sizes[name] = series, matches
            if matches >= LARGE:
                candidates[name] = partial(stage.cost, scope.pick(1_500, 5_000), scope.pick(1.0, 4.0))
            else:
                candidates[name] = partial(stage.fresh, matches, scope.pick(1_000, 3_000), scope.pick(1.0, 2.0))
        return _findings(alternate(candidates, scope.pick(2, 4)), sizes)


LARGE = 1000


def _works(quick: bool) -> Iterator[tuple[str, int, Work]]:
    for matches in (10, 100) if quick else (1, 10, 100, 1000):
        yield "1 match a bot", matches, Work(bots=2 * matches)
    for matches in (100,) if quick else (100, 1000, 10_000):
        yield "64 matches a bot", matches, Work(bots=2 * -(-matches // 64), room=64)


def _findings(costs: dict[str, list[Cost]], sizes: dict[str, tuple[str, int]]) -> Findings:
    found, series = Findings(), dict[str, list[tuple[float, float]]]()
    for name, rounds in costs.items():
        found.add(name, CPU, *(cost.us_per_move for cost in rounds))
        found.add(name, "moves per second", *(cost.played.moves / cost.played.seconds for cost in rounds))
        kind, matches = sizes[name]
        series.setdefault(kind, []).append((matches, found.of(name, CPU).median))
    found.plots["sizes"] = lines(CPU, "matches at once", series)
    return found


def _growth(found: Findings) -> float:
    try:
        return found.ratio(CPU, "64 matches a bot, 10000 at once", "64 matches a bot, 100 at once")
    except NotMeasured:
        raise NotMeasured("a quick look stops at 100 matches") from None


MEASUREMENT = Measurement(
    "sizes",
    "Does a move cost more when more matches are played at once?",
    measure,
    goals=(
        Goal("growth", "CPU per move with 10000 matches, in units of that with 100.", GROWTH, _growth, at_least=False),
    ),
)
