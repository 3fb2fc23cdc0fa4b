"""The Prometheus rules: each alert fires when it should and only then, and the operator's guide explains it."""

import re

import pytest
import yaml

from tests.deploy.queries import rules, strange
from tests.deploy.tools import DEPLOY, ROOT, tool, works

CASES = DEPLOY / "prometheus" / "tests" / "alerts.yml"
PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
ALERTS = {rule["alert"]: rule for rule in rules("alert")}


def test_prometheus_can_read_its_configuration_and_all_rules() -> None:
    works(tool("promtool"), "check", "config", DEPLOY / "prometheus" / "prometheus.yml")


@pytest.mark.slow
def test_alerts_speak_up_and_keep_quiet_as_the_cases_say() -> None:
    works(tool("promtool"), "test", "rules", CASES)


def test_there_is_a_case_in_which_each_alert_speaks_up() -> None:
    checks = [
        check
        for case in yaml.safe_load(CASES.read_text(encoding="utf-8"))["tests"]
        for check in case["alert_rule_test"]
    ]
    assert {check["alertname"] for check in checks if check["exp_alerts"]} == set(ALERTS)


@pytest.mark.parametrize("rule", [*ALERTS.values(), *rules("record")], ids=lambda rule: rule.get("alert", "record"))
def test_a_rule_names_nothing_that_there_is_not(rule: dict[str, str]) -> None:
    assert strange(rule["expr"]) == set()


@pytest.mark.parametrize("alert", ALERTS)
def test_the_operator_is_told_what_an_alert_means_and_what_to_do(alert: str) -> None:
    assert ALERTS[alert]["annotations"]["runbook"] == f"docs/operations.md#{alert.lower()}"
    assert ALERTS[alert]["labels"]["severity"] in ("page", "ticket")
    section = re.search(rf"^### {alert}\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert section
    assert re.findall(r"^- \*\*(\w+\s?\w*)\.\*\* \S", section[1], re.MULTILINE) == ["Means", "Look at", "Do"]


def test_the_page_tells_of_no_alert_that_there_is_not() -> None:
    assert set(re.findall(r"^### (Referee\w+)$", PAGE, re.MULTILINE)) == set(ALERTS)
