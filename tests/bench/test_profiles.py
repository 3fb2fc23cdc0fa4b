"""Profiles that the benchmarks measure to explain a goal that is not reached."""

from contextlib import ExitStack
from pathlib import Path

import pytest

import bench.__main__ as program
from bench.figures import Findings, Goal
from bench.measurement import Measurement, Scope
from bench.report import goals_told


def found(_: Scope) -> Findings:
    findings = Findings()
    findings.add("the slow part", "µs", 7)
    return findings


def measurement_with_goal(bound: float) -> Measurement:
    goal = Goal("quick", "", bound, lambda found: found.of("the slow part", "µs").median, at_least=False)
    return Measurement("moves", "", found, (goal,), profile="path")


@pytest.fixture
def scope(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scope:
    monkeypatch.setattr(program, "SUITE", (PATH,))
    return Scope(quick=True, folder=tmp_path, closing=ExitStack())


PATH = Measurement("path", "Where does it go?", found)


def test_a_missed_goal_is_profiled_even_if_only_the_measurement_was_selected(scope: Scope) -> None:
    report = goals_told(program.taken([measurement_with_goal(6)], scope))
    assert "does not hold" in report
    assert "Why not (moves): Where does it go?" in report
    assert "the slow part" in report


def test_the_profile_is_not_taken_twice(scope: Scope) -> None:
    assert [done.measurement.name for done in program.taken([PATH, measurement_with_goal(6)], scope)] == [
        "path",
        "moves",
    ]


def test_no_profile_is_taken_if_all_goals_hold(scope: Scope) -> None:
    all_done = program.taken([measurement_with_goal(7)], scope)
    assert [done.measurement.name for done in all_done] == ["moves"]
    assert "Why not" not in goals_told(all_done)
