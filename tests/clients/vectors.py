"""The test vectors of clients, and the rules of the client specification."""

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "clients" / "vectors"
RULE = re.compile(r"^\| ([A-Z]+-\d+) \| (.+) \| (.*)\|$", re.MULTILINE)


def load_vectors(name: str) -> list[Any]:
    """Return the vectors of a file; for settings, a certificate for them is in `certificate` of each."""
    loaded = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    shared = {key: value for key, value in loaded.items() if key != "vectors"}
    return [{**vector, **shared} for vector in loaded["vectors"]]


def rules_with_clauses() -> dict[str, list[str]]:
    """Return the rules of the specification, and the clauses of the conformance kit that show each."""
    page = (ROOT / "docs" / "client-spec.md").read_text(encoding="utf-8")
    rows = RULE.findall(page)
    assert len(rows) == len({rule for rule, _, _ in rows}), "two rules have the same id"
    return {rule: re.findall("`([^`]+)`", clauses) for rule, _, clauses in rows}
