"""Metrics and labels that Prometheus queries use, and those that exist."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import yaml

from referee.observability.metrics import Metrics
from tests.deploy.tools import DEPLOY, ROOT
from tests.observability.exposition import Page

RULES = DEPLOY / "prometheus" / "rules"
ROW = re.compile(r"^\| `(\w+)` \| (\w+) \| ([^|]*)\|", re.MULTILINE)
NAME = re.compile(r"\b(?:referee|process)[_:][\w:]+")
MATCHED = re.compile(r"\b(\w+) ?(?:=~|!~|!=|=)\s*\"")
GROUPED = re.compile(r"\b(?:by|on|group_left|ignoring) \(([\w, ]*)\)")
SUFFIXES = {"histogram": ("_bucket", "_sum", "_count"), "counter": ("",), "gauge": ("",)}
PROMETHEUS_LABELS = {"job", "instance", "le", "alertname", "alertstate"}
"""Labels that every series has, or that Prometheus adds."""


def rules(kind: str) -> Iterator[dict[str, Any]]:
    """Yield all rules of a kind: alert or record."""
    for file in sorted(RULES.glob("*.yml")):
        for group in yaml.safe_load(file.read_text(encoding="utf-8"))["groups"]:
            yield from (rule for rule in group["rules"] if kind in rule)


@cache
def known_series() -> dict[str, set[str]]:
    """Return the labels of each series by name: those in docs/metrics.md, of the process, and of recording rules."""
    page = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    found = {
        f"{name}{suffix}": set(re.findall(r"`(\w+)`", labels))
        for name, kind, labels in ROW.findall(page)
        for suffix in SUFFIXES[kind]
    }
    families = Page(Metrics("1.2.3")).families.values()
    found |= {sample.name: set() for family in families for sample in family.samples if "process_" in sample.name}
    for rule in rules("record"):
        found[rule["record"]] = {label for name in _names(rule["expr"]) for label in found.get(name, ())}
    return found


def unknown_names(query: str) -> set[str]:
    """Return the metrics and labels in a query that do not exist."""
    known = known_series()
    names = _names(query)
    labels = {label for name in names for label in known.get(name, ())} | PROMETHEUS_LABELS
    return (names - set(known)) | (_labels(query) - labels)


def _names(query: str) -> set[str]:
    return set(NAME.findall(re.sub(r'"[^"]*"', '""', query)))


def _labels(query: str) -> set[str]:
    grouped: Iterable[str] = (label.strip() for labels in GROUPED.findall(query) for label in labels.split(","))
    return set(MATCHED.findall(query)) | set(filter(None, grouped))
