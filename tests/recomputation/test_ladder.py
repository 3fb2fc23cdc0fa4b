"""The second implementation computes a ladder of 500 matches again from its record, and finds each changed value."""

import ast
import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.recomputation.ladder import recompute_ladder
from tests.recomputation.signed_lines import Differs, read_events
from tests.recomputation.simulated_contests import SimulatedLadder

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


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield the path to each value that is no object or array, and the value."""
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(item, (*path, key))
    else:
        yield path, value


def forged(at: int, path: tuple[str | int, ...], value: Any) -> list[dict[str, Any]]:
    """Return the events with another value in one of them."""
    event = place = json.loads(json.dumps(events()[at]))
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = (
        not value if isinstance(value, bool) else value + "x" if isinstance(value, str) else (value or 0) + 1
    )
    return [*events()[:at], event, *events()[at + 1 :]]


def derived_values() -> list[tuple[int, tuple[str | int, ...], Any]]:
    return [
        (at, path, value)
        for at, event in enumerate(events())
        for path, value in leaves(event)
        if ".".join(map(str, path)).startswith(DERIVED.get(event["kind"], ("-",)))
    ]


@pytest.mark.slow
def test_every_changed_value_is_named_where_it_was_changed() -> None:
    for at, path, value in derived_values()[::151]:
        with pytest.raises((Differs, KeyError)) as raised:
            recompute_ladder(forged(at, path, value))
        assert isinstance(raised.value, Differs), (at, path)
        assert raised.value.number == at + 1, (at, path, raised.value)
