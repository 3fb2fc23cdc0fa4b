"""Output of a run: `report.json` with every round of every figure, and the plots."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.figures import Findings, Verdict, table
from bench.machine import load
from bench.measurement import Measurement


@dataclass(frozen=True, slots=True)
class Done:
    """One measurement that was taken, or could not be taken."""

    measurement: Measurement
    findings: Findings
    verdicts: tuple[Verdict, ...]
    seconds: float
    why_not: str
    """Why it could not be taken; empty: it was."""

    @property
    def failed(self) -> bool:
        return any(verdict.failed for verdict in self.verdicts)


def goals_told(all_done: Sequence[Done]) -> str:
    """Format each goal with its result, followed by the profiles of those that are not reached."""
    told = ["Goals\n", *(str(verdict) for done in all_done for verdict in done.verdicts)]
    for profile in all_done:
        explained = [done.measurement.name for done in all_done if done.failed and _explains(profile, done)]
        if explained:
            told.append(f"\nWhy not ({', '.join(explained)}): {profile.measurement.question}\n")
            told.append(
                table(profile.findings.figures) if profile.findings.figures else f"not measured: {profile.why_not}"
            )
    return "\n".join(told)


def _explains(profile: Done, done: Done) -> bool:
    return profile.measurement.name == done.measurement.profile


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
