"""The Prometheus rules: each alert fires when it should and only then, and the operator's guide explains it."""

import re

import pytest
import yaml

from tests.deploy.queries import rules, unknown_names
from tests.deploy.tools import DEPLOY, ROOT, find_tool, run_command

CASES = DEPLOY / "prometheus" / "tests" / "alerts.yml"
PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
ALERTS = {rule["alert"]: rule for rule in rules("alert")}


def test_prometheus_accepts_its_configuration_and_all_rules() -> None:
    run_command(find_tool("promtool"), "check", "config", DEPLOY / "prometheus" / "prometheus.yml")


@pytest.mark.slow
def test_alerts_fire_only_in_the_cases_where_they_should() -> None:
    run_command(find_tool("promtool"), "test", "rules", CASES)


def test_every_alert_has_a_case_in_which_it_fires() -> None:
    checks = [
        check
        for case in yaml.safe_load(CASES.read_text(encoding="utf-8"))["tests"]
        for check in case["alert_rule_test"]
    ]
    assert {check["alertname"] for check in checks if check["exp_alerts"]} == set(ALERTS)


@pytest.mark.parametrize("rule", [*ALERTS.values(), *rules("record")], ids=lambda rule: rule.get("alert", "record"))
def test_a_rule_uses_only_existing_metrics_and_labels(rule: dict[str, str]) -> None:
    assert unknown_names(rule["expr"]) == set()


@pytest.mark.parametrize("alert", ALERTS)
def test_every_alert_is_explained_in_the_operations_guide(alert: str) -> None:
    assert ALERTS[alert]["annotations"]["runbook"] == f"docs/operations.md#{alert.lower()}"
    assert ALERTS[alert]["labels"]["severity"] in ("page", "ticket")
    section = re.search(rf"^### {alert}\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert section
    assert re.findall(r"^- \*\*(\w+\s?\w*)\.\*\* \S", section[1], re.MULTILINE) == ["Means", "Look at", "Do"]


def test_the_operations_guide_has_no_unknown_alerts() -> None:
    assert set(re.findall(r"^### (Referee\w+)$", PAGE, re.MULTILINE)) == set(ALERTS)
