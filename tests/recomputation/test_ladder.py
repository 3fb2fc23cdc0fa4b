"""The second implementation computes a ladder of 500 matches again from its record, and finds each changed value."""

import ast
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.recomputation.ladder import recompute_ladder
from tests.recomputation.signed_lines import Differs, read_events
from tests.recomputation.simulated_contests import SimulatedLadder
from tests.records.changed_values import changed, leaves, with_leaf

PRODUCERS = {"simulated_contests.py"}
"""Modules that produce records, besides the tests."""

DERIVED = {
    "pairing_planned": ("pairing",),
    "match_rated": ("finish.ranks", "changes", "weight"),
    "season_started": ("season",),
    "season_standings": ("season", "rows"),
}
"""Values by kind that follow from the entries before."""


@cache
def events() -> list[dict[str, Any]]:
    return read_events(SimulatedLadder(bots=16, seed=1).play(500).record())


def test_the_program_imports_nothing_of_the_referee() -> None:
    for path in Path(__file__).parent.glob("*.py"):
        if not path.name.startswith("test_") and path.name not in PRODUCERS:
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
            found += [name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names]
            assert not [name for name in found if name.split(".")[0] in {"referee", "engines", "referee_api"}]


def test_a_ladder_of_500_matches_is_computed_again() -> None:
    kinds = Counter(event["kind"] for event in events())
    assert kinds["match_rated"] >= 500
    assert (
        min(
            kinds[kind]
            for kind in ("entrant_left", "entrant_joined", "match_voided", "season_started", "season_standings")
        )
        > 1
    )
    assert any(event["challenge"] for event in events() if event["kind"] == "pairing_planned")
    assert any(event["weight"] < 1 for event in events() if event["kind"] == "match_rated")
    ladder = recompute_ladder(events())
    assert len(ladder.pairings) == kinds["pairing_planned"] >= 500


def derived_values() -> list[tuple[int, str, Any]]:
    return [
        (at, path, value)
        for at, event in enumerate(events())
        for path, value in leaves(event)
        if path.startswith(DERIVED.get(event["kind"], ("-",)))
    ]


@pytest.mark.slow
def test_every_changed_value_is_named_where_it_was_changed() -> None:
    for at, path, value in derived_values()[::151]:
        with pytest.raises((Differs, KeyError)) as raised:
            recompute_ladder([*events()[:at], with_leaf(events()[at], path, changed(value)), *events()[at + 1 :]])
        assert isinstance(raised.value, Differs), (at, path)
        assert raised.value.number == at + 1, (at, path, raised.value)
