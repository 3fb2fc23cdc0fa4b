"""`python -m bench`: measure, side by side, and say of each goal whether it holds.

Figures are medians over rounds in which the candidates take turns, with the lowest and the highest round. What
counts is the processor time of the server's process, and the ratio of two candidates of one run. `bench/attempts.md`
lists what was tried to improve them.
"""

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from bench.figures import Findings, NotMeasured, table
from bench.machine import machine, warning
from bench.measurement import Measurement, Scope
from bench.report import Done, goals_told, write_report
from bench.suite import BY_NAME, SUITE

ALL = (*SUITE, *BY_NAME)
REPORT = Path(__file__).parent / "report"


def main() -> int:
    names = [measurement.name for measurement in ALL]
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds: for a look, not for a figure")
    parser.add_argument("--report", type=Path, default=REPORT, help="the folder for report.json and the plots")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"only these of {', '.join(names)}")
    told = parser.parse_args()
    if unknown := set(told.names) - set(names):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(names)}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # Raise SystemExit, so that all servers are ended.
    here = machine()
    _say("\n".join(f"{name:<20}{value}" for name, value in here.items()) + f"\n{warning()}")
    wanted = [measurement for measurement in ALL if measurement.name in told.names] if told.names else SUITE
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as closing:
        all_done = taken(wanted, Scope(told.quick, Path(folder), closing))
    write_report(told.report, here, told.quick, all_done)
    _say(goals_told(all_done))
    _say(f"\n{time.monotonic() - begun:.0f} s. {warning()}\nAll rounds and the plots are in {told.report}.")
    return 0


def taken(wanted: Sequence[Measurement], scope: Scope) -> list[Done]:
    """Take the measurements, then the profiles of those that do not reach a goal."""
    all_done = [_taken(measurement, scope) for measurement in wanted]
    there = {done.measurement.name for done in all_done}
    wanting = {done.measurement.profile for done in all_done if done.failed} - there
    return all_done + [_taken(measurement, scope) for measurement in SUITE if measurement.name in wanting]


def _taken(measurement: Measurement, scope: Scope) -> Done:
    """Take one measurement. A failure is reported and does not affect the others."""
    _say(f"== {measurement.name}: {measurement.question}\n")
    begun, why_not, findings = time.monotonic(), "", Findings()
    try:
        findings = measurement.measure(scope)
    except Exception as why:
        why_not = f"{why}" if isinstance(why, NotMeasured) else repr(why)
        _say(f"not measured: {why_not}")
    seconds = time.monotonic() - begun
    _say(table(findings.figures) + "".join(f"\n{note}" for note in findings.notes) + f"\n({seconds:.0f} s)\n")
    return Done(measurement, findings, tuple(goal.verdict(findings) for goal in measurement.goals), seconds, why_not)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
