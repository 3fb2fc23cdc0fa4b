"""Comparison of benchmark figures with their goals, and the order in which candidates are measured."""

from bench.figures import Findings, Goal, NotMeasured
from bench.measurement import alternate


def found(*rounds: tuple[float, float]) -> Findings:
    findings = Findings()
    findings.add("ours", "µs", *(ours for ours, _ in rounds))
    findings.add("theirs", "µs", *(theirs for _, theirs in rounds))
    return findings


def test_a_ratio_is_computed_per_round_because_drift_affects_both_sides() -> None:
    assert found((1, 2), (10, 20), (100, 50)).ratio("µs", "theirs", "ours") == 2


def test_a_goal_holds_exactly_at_its_bound() -> None:
    at_least = Goal("", "", 2, lambda found: found.ratio("µs", "theirs", "ours"))
    assert at_least.verdict(found((1, 2))).said == "holds"
    assert at_least.verdict(found((1, 1.9))).said == "does not hold"


def test_a_goal_can_be_an_upper_bound() -> None:
    at_most = Goal("", "", 2, lambda found: found.of("ours", "µs").median, at_least=False)
    assert at_most.verdict(found((2, 0))).said == "holds"
    assert at_most.verdict(found((3, 0))).said == "does not hold"


def test_a_goal_without_a_figure_is_reported_as_not_measured() -> None:
    def nobody(_: Findings) -> float:
        raise NotMeasured("nobody was there")

    verdict = Goal("", "", 2, nobody).verdict(Findings())
    assert (verdict.reached, verdict.said) == (None, "not measured: nobody was there")


def test_candidates_alternate_after_a_warm_up() -> None:
    order: list[str] = []

    def run(name: str) -> int:
        order.append(name)
        return len(order)

    found = alternate({"a": lambda: run("a"), "b": lambda: run("b")}, 2)
    assert "".join(order) == "ab" + "abab"
    assert found == {"a": [3, 5], "b": [4, 6]}
