"""Profile of a step in each game: the functions that take the most time themselves."""

from collections.abc import Callable
from cProfile import Profile
from functools import partial
from pathlib import Path
from types import CodeType

from bench.fast import FastPlayouts
from bench.figures import Findings
from bench.measurement import Measurement, Scope
from engines.registry import OURS, find

SHOWN = 5


def measure(scope: Scope) -> Findings:
    found, steps = Findings(), scope.pick(500, 3000)
    for game in map(find, OURS):
        playouts = FastPlayouts(game, seed=1)
        playouts.run(steps)  # Warm up, so that cached tables are not attributed to the steps.
        for function, share in _shares(partial(playouts.run, steps))[:SHOWN]:
            found.add(f"{game.name}: {function}", "share of the time, %", share * 100)
    found.notes.append("Of the fast positions. To be looked at costs small functions more than large ones.")
    return found


def _shares(work: Callable[[], object]) -> list[tuple[str, float]]:
    """Return each function with its share of the time, excluding callees, the largest first."""
    profile = Profile()
    profile.runcall(work)
    looked_at = profile.getstats()
    whole = sum(entry.inlinetime for entry in looked_at)
    own = ((_name(entry.code), entry.inlinetime / whole) for entry in looked_at)
    return sorted(own, key=lambda share: share[1], reverse=True)


def _name(code: str | CodeType) -> str:
    """Return the name of a function; for one written in C, there is nothing but the name."""
    return code if isinstance(code, str) else f"{code.co_qualname} in {Path(code.co_filename).name}"


MEASUREMENT = Measurement("functions", "Which functions of a game take the time of a step?", measure)
