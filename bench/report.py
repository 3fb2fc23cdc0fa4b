"""What a run leaves behind: `report.json` with every round of every figure, and the plots."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.figures import Findings, Verdict
from bench.machine import load
from bench.measurement import Measurement


@dataclass(frozen=True, slots=True)
class Done:
    """One measurement that was taken, or could not be."""

    measurement: Measurement
    findings: Findings
    verdicts: tuple[Verdict, ...]
    seconds: float
    why_not: str
    """Empty: it was measured."""


def write_report(folder: Path, machine: dict[str, str], quick: bool, all_done: Sequence[Done]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.svg"):
        old.unlink()
    for done in all_done:
        for name, plot in done.findings.plots.items():
            (folder / f"{name}.svg").write_text(plot)
    report = {
        "machine": {**machine, "load at the end": load()},
        "quick": quick,
        "measurements": [_told(done) for done in all_done],
    }
    (folder / "report.json").write_text(json.dumps(report, indent=2) + "\n")


def _told(done: Done) -> dict[str, Any]:
    return {
        "name": done.measurement.name,
        "question": done.measurement.question,
        "seconds": round(done.seconds, 1),
        "not_measured": done.why_not,
        "figures": [{**asdict(figure), "median": figure.median} for figure in done.findings.figures],
        "notes": done.findings.notes,
        "plots": sorted(done.findings.plots),
        "goals": [_verdict(verdict) for verdict in done.verdicts],
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    goal = verdict.goal
    return {
        "name": goal.name,
        "sentence": goal.sentence,
        "at_least" if goal.at_least else "at_most": goal.bound,
        "reached": verdict.reached,
        "verdict": verdict.said,
    }
