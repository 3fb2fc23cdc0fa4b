"""Counters and histograms of plain numbers, compared with those of the client library."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.registry import Collector

from referee.observability.metric_families import CounterFamily, HistogramFamily

BOUNDS = (0.0003, 0.01, 1, 2.5, 1000, 10_000_000)
VALUES = st.one_of(st.sampled_from(BOUNDS), st.floats(min_value=0, max_value=1e9), st.integers(0, 10**9))
LABELS = st.sampled_from(("nim", 'a "game"', "troke"))
AMOUNTS = st.lists(st.tuples(LABELS, VALUES))


def text(collectors: Iterable[Collector]) -> str:
    """Return the page of the collectors, without the samples that the server omits."""
    registry = CollectorRegistry()
    for collector in collectors:
        registry.register(collector)
    lines = generate_latest(registry).decode().splitlines(keepends=True)
    return "".join(line for line in lines if "_created" not in line)


@given(AMOUNTS)
def test_counters_are_exported_as_those_of_the_library(amounts: list[tuple[str, float]]) -> None:
    ours = CounterFamily(CollectorRegistry(), "moves", "Some \\ moves.", "game")
    theirs = Counter("moves", "Some \\ moves.", ("game",), registry=None)
    for game, amount in amounts:
        ours.labels(game).inc(amount)
        theirs.labels(game).inc(amount)
    assert text([ours]) == text([theirs])


@given(AMOUNTS)
def test_histograms_are_exported_as_those_of_the_library(amounts: list[tuple[str, float]]) -> None:
    ours = HistogramFamily(CollectorRegistry(), "seconds", "Some time.", BOUNDS, "game")
    theirs = Histogram("seconds", "Some time.", ("game",), buckets=BOUNDS, registry=None)
    for game, amount in amounts:
        ours.labels(game).observe(amount)
        theirs.labels(game).observe(amount)
    assert text([ours]) == text([theirs])


def test_series_without_labels_are_exported_as_those_of_the_library() -> None:
    faults = CounterFamily(CollectorRegistry(), "faults", "Faults.")
    group = HistogramFamily(CollectorRegistry(), "group", "Appends.", BOUNDS)
    faults.labels()
    group.labels()
    theirs = [
        Counter("faults", "Faults.", registry=None),
        Histogram("group", "Appends.", buckets=BOUNDS, registry=None),
    ]
    assert text([faults, group]) == text(theirs)


def test_a_name_can_be_registered_only_once() -> None:
    registry = CollectorRegistry()
    CounterFamily(registry, "faults", "Faults.")
    with pytest.raises(ValueError, match="Duplicated"):
        CounterFamily(registry, "faults", "Faults.")
