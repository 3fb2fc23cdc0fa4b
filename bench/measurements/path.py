"""The path of a move: where the server spends CPU time, by sampling its stacks during play."""

import subprocess
from collections import Counter
from collections.abc import Iterator

from bench.beside import ENVIRONMENT, other_python
from bench.costs import CPU
from bench.figures import Findings, NotMeasured
from bench.measurement import Measurement, Scope
from bench.measurements.sizes import crowded
from bench.parts import PARTS, REST, part_of
from bench.stage import MATCHES, MATCHES_OF_ROOMY, ROOMY, SINGLE, TO_THE_END, Stage, at_most, standing
from bench.svg import bars

A_SECOND = 250


def measure(scope: Scope) -> Findings:
    other_python()
    found = Findings()
    for name, stage, matches in _stages(scope):
        us_per_move, samples = _sampled(scope, stage, matches)
        whole = sum(samples.values())
        for part in (*PARTS, REST):
            found.add(part, f"{name}, µs", us_per_move * samples[part] / whole)
        found.add("all", f"{name}, µs", us_per_move)
    found.notes.append(f"{CPU}. Sampling takes time of its own from the server, and where little was sampled")
    found.notes.append("a share is good to two or three points: they show what is large.")
    first = found.figures[0].what
    found.plots["path"] = bars(f"{first} a move", [figure for figure in found.figures if figure.what == first])
    return found


def _stages(scope: Scope) -> Iterator[tuple[str, Stage, int]]:
    yield "1 match per bot", standing(scope, SINGLE), MATCHES
    yield "64 matches per bot", standing(scope, ROOMY), MATCHES_OF_ROOMY
    if not scope.quick:
        stage, matches = crowded(scope)
        yield f"64 per bot, {matches} at once", stage, matches


def _sampled(scope: Scope, stage: Stage, matches: int) -> tuple[float, Counter[str]]:
    """Return the CPU time per move during sampling, and the number of samples for each part of the path."""
    stage.prepare(matches, min(at_most(matches), scope.pick(3_000, AT_LEAST)))
    raw = scope.folder / "stacks.txt"
    seconds = scope.pick(2, 4)
    command = [
        # Stopping the process for each sample would be exact, but waiting threads would be counted as running.
        *(str(ENVIRONMENT / "bin" / "py-spy"), "record", "--pid", str(stage.pid), "--format", "raw", "--nonblocking"),
        *("--rate", str(A_SECOND), "--duration", str(seconds), "--output", str(raw)),
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as looking:
        cost = stage.cost(TO_THE_END, seconds)
        _, errors = looking.communicate()
    if looking.returncode or not raw.exists():
        raise NotMeasured(f"py-spy: {errors.strip()[-300:]}")
    samples = Counter[str]()
    for line in raw.read_text().splitlines():
        stack, _, times = line.rpartition(" ")
        samples[part_of(stack.split(";"))] += int(times)
    return cost.us_per_move, samples


AT_LEAST = 20_000
"""Minimum number of moves that should be left, where possible, so that the server is busy all the time."""

MEASUREMENT = Measurement("path", "Where does the time of a move go, in the server?", measure)
