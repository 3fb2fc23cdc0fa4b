"""Comparison of benchmark figures with their goals, and the order in which candidates are measured."""

from bench.figures import Findings, Goal, NotMeasured
from bench.measurement import alternate


def findings_of(*rounds: tuple[float, float]) -> Findings:
    findings = Findings()
    findings.add("first", "µs", *(first for first, _ in rounds))
    findings.add("second", "µs", *(second for _, second in rounds))
    return findings


def test_a_ratio_is_computed_per_round_because_drift_affects_both_sides() -> None:
    assert findings_of((1, 2), (10, 20), (100, 50)).ratio("µs", "second", "first") == 2


def test_a_goal_holds_exactly_at_its_bound() -> None:
    at_least = Goal("", "", 2, lambda found: found.ratio("µs", "second", "first"))
    assert at_least.verdict(findings_of((1, 2))).said == "holds"
    assert at_least.verdict(findings_of((1, 1.9))).said == "does not hold"


def test_a_goal_can_be_an_upper_bound() -> None:
    at_most = Goal("", "", 2, lambda found: found.of("first", "µs").median, at_least=False)
    assert at_most.verdict(findings_of((2, 0))).said == "holds"
    assert at_most.verdict(findings_of((3, 0))).said == "does not hold"


def test_a_goal_without_a_figure_is_reported_as_not_measured() -> None:
    def unmeasured(_: Findings) -> float:
        raise NotMeasured("no measurement")

    verdict = Goal("", "", 2, unmeasured).verdict(Findings())
    assert (verdict.reached, verdict.said) == (None, "not measured: no measurement")


def test_candidates_alternate_after_a_warm_up() -> None:
    order: list[str] = []

    def run(name: str) -> int:
        order.append(name)
        return len(order)

    found = alternate({"a": lambda: run("a"), "b": lambda: run("b")}, 2)
    assert "".join(order) == "ab" + "abab"
    assert found == {"a": [3, 5], "b": [4, 6]}
