"""The second implementation computes Swiss tournaments again from records: lots, rounds, colours and standings."""

import json
from functools import cache
from typing import Any

import pytest

from tests.recomputation.signed_lines import Differs, read_events
from tests.recomputation.simulated_contests import simulated_swiss
from tests.recomputation.swiss import recompute_swiss


@cache
def small_swiss() -> list[dict[str, Any]]:
    return read_events(simulated_swiss(entrants=12, rounds=5, seed=1))


@pytest.mark.slow
def test_a_swiss_of_40_is_computed_again() -> None:
    events = read_events(simulated_swiss(entrants=40, rounds=9, seed=1))
    assert sum(len(event["pairings"]) for event in events if event["kind"] == "pairings_planned") == 180
    swiss = recompute_swiss(events)
    assert (swiss.round, swiss.over) == (9, True)


def test_small_swiss_tournaments_are_computed_again() -> None:
    for seed in range(8):
        assert recompute_swiss(read_events(simulated_swiss(entrants=12, rounds=5, seed=seed))).over


@pytest.mark.slow
def test_late_rounds_in_which_most_have_met_are_computed_again() -> None:
    """In rounds like these, the order of the criteria C.6 and C.7 matters."""
    for seed in (2, 5, *range(20, 26)):
        assert recompute_swiss(read_events(simulated_swiss(entrants=14, rounds=9, seed=seed))).over


def test_a_swiss_that_ends_early_is_computed_again() -> None:
    events = read_events(simulated_swiss(entrants=6, rounds=5, seed=2))
    swiss = recompute_swiss(events)
    assert swiss.over
    assert swiss.round < 5


def changed(at: int, change: Any) -> list[dict[str, Any]]:
    """Return the events with one of them changed."""
    event = json.loads(json.dumps(small_swiss()[at]))
    change(event)
    return [*small_swiss()[:at], event, *small_swiss()[at + 1 :]]


def exchange(event: dict[str, Any]) -> None:
    """Exchange colours on the first board."""
    event["pairings"][0]["entrants"].reverse()


def exchange_opponents(event: dict[str, Any]) -> None:
    first, second = event["pairings"][0]["entrants"], event["pairings"][1]["entrants"]
    first[1], second[1] = second[1], first[1]


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("tournament_started", lambda event: event["order"].reverse()),
        ("pairings_planned", exchange),
        ("pairings_planned", exchange_opponents),
        ("standings", lambda event: event["rows"][3].update(rank=99)),
        ("standings", lambda event: event["rows"][5]["tie_breaks"].__setitem__(1, 0.0)),
        ("standings", lambda event: event["rows"][0].update(points=0.0)),
    ],
)
def test_a_changed_lot_pairing_or_standing_is_named(kind: str, change: Any) -> None:
    for at, event in enumerate(small_swiss()):
        if event["kind"] == kind:
            with pytest.raises(Differs) as raised:
                recompute_swiss(changed(at, change))
            assert raised.value.number == at + 1


def test_a_changed_result_is_found_at_the_latest_in_the_standings() -> None:
    for at, event in enumerate(small_swiss()):
        if event["kind"] == "match_scored":
            ranks = [1, 1] if event["score"]["ranks"] != [1, 1] else [1, 2]
            with pytest.raises(Differs):
                recompute_swiss(changed(at, lambda event, ranks=ranks: event["score"].update(ranks=ranks)))
