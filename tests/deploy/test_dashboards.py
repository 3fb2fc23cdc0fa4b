"""The Grafana dashboards use only metrics and labels that exist, in queries that Prometheus accepts."""

import json
import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.queries import rules, unknown_names
from tests.deploy.tools import DEPLOY, ROOT, find_tool, run_command

GRAFANA = DEPLOY / "grafana"
FILES = sorted((GRAFANA / "dashboards").glob("*.json"))
VARIABLES = {"$__rate_interval": "1m", "$__range": "1h", "$instance": ".*", "$game": ".*"}
"""Values that stand in for the variables that Grafana replaces."""


def targets(file: Path) -> Iterator[dict[str, Any]]:
    for panel in json.loads(file.read_text(encoding="utf-8"))["panels"]:
        yield from panel.get("targets", ())


def expand_variables(target: dict[str, Any]) -> str:
    query: str = target["expr"]
    for variable, value in VARIABLES.items():
        query = query.replace(variable, value)
    assert "$" not in query
    return query


def queries() -> list[str]:
    return sorted({expand_variables(target) for file in FILES for target in targets(file)})


def test_the_dashboards_are_up_to_date() -> None:
    generator = runpy.run_path(str(GRAFANA / "make.py"))
    texts = {name: generator["written"](dashboard) for name, dashboard in generator["DASHBOARDS"].items()}
    assert {file.stem: file.read_text(encoding="utf-8") for file in FILES} == texts


@pytest.mark.parametrize("query", queries())
def test_a_query_uses_only_existing_metrics_and_labels(query: str) -> None:
    assert unknown_names(query) == set()


def test_prometheus_accepts_every_query(tmp_path: Path) -> None:
    recorded = [{"record": f"query:{number}", "expr": query} for number, query in enumerate(queries())]
    file = tmp_path / "queries.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "queries", "rules": recorded}]}), encoding="utf-8")
    run_command(find_tool("promtool"), "check", "rules", "--lint=none", file)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_query_keeps_the_labels_of_its_legend(file: Path) -> None:
    for target in targets(file):
        for label in ("game", "phase", "source", "presence", "cause", "reason", "method", "code", "kind", "waits_for"):
            if f"{{{{{label}}}}}" in target["legendFormat"]:
                assert label in target["expr"].partition("{")[0], target


def test_panels_do_not_overlap() -> None:
    for file in FILES:
        occupied: set[tuple[int, int]] = set()
        for panel in json.loads(file.read_text(encoding="utf-8"))["panels"]:
            grid = panel["gridPos"]
            cells = {(grid["x"] + right, grid["y"] + down) for right in range(grid["w"]) for down in range(grid["h"])}
            assert not occupied & cells
            assert all(x < 24 for x, _ in cells)
            occupied |= cells


def test_grafana_is_provisioned_with_dashboards_and_prometheus() -> None:
    source = yaml.safe_load((GRAFANA / "provisioning" / "datasources" / "prometheus.yaml").read_text())
    provider = yaml.safe_load((GRAFANA / "provisioning" / "dashboards" / "referee.yaml").read_text())
    grafana = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]["grafana"]
    mounted = dict(volume.split(":")[:2] for volume in grafana["volumes"])
    assert source["datasources"][0]["url"] == "http://prometheus:9090"
    assert mounted["./grafana/dashboards"] == provider["providers"][0]["options"]["path"]
    assert mounted["./grafana/provisioning"] == "/etc/grafana/provisioning"


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
