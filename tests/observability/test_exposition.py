"""The text in which metrics are exported: families, series and gauges."""

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.registry import Collector

from referee.live.ports import Conflict, Entry, StoreUnavailable
from referee.match.clock import MS, Clock, Micros
from referee.match.clock_charge import ClockCharge
from referee.match.events import Event, FlagFell, MatchCreated, MovePlayed, MoveSource, PlayEnded
from referee.match.result import EndCause, EndKind, Forfeit, PlayerRating, RatingChange, Result, void_result
from referee.match.state import Match
from referee.observability.metric_families import CounterFamily, HistogramFamily
from referee.observability.metrics import Metrics
from tests.live.runner_harness import RunnerHarness, in_loop, match_setup
from tests.observability.exposition import Page, gauge_sources
from tests.observability.test_metrics_page import make_calls
from tests.third_party_games.third_party_games import FINGERS, NIM

GOLDEN = Path(__file__).parent / "golden" / "exposition.txt"

CHARGED_US = (0, 700, 1_000, 1_001, 30_000, 29_999, 2_345_678, 1_000_000_000, 1_000_000_001)
"""Inside and on the bounds of buckets, and above all of them."""


def charge(charged_us: Micros, decided_after_us: Micros = 0) -> ClockCharge:
    clock = Clock(10_000 * MS)
    return ClockCharge(0, -decided_after_us, 0, charged_us // 3, charged_us // 7, charged_us, clock, clock, late=False)


def bot_move(charged_us: Micros) -> MovePlayed:
    return MovePlayed(0, 0, "token", "1", row=charge(charged_us, charged_us // 11))


def flag(move: str = "", request_id: str = "") -> FlagFell:
    return FlagFell(0, 0, "token", charge(5_000_000), move, request_id)


def events_of(match: Match) -> list[Event]:
    forfeit = Result(EndKind.FORFEITED, EndCause.FAULT, forfeits=(Forfeit(1, "disconnected", 3), Forfeit(0, "time", 3)))
    rating = PlayerRating(25.0, 8.0, 1)
    rated = tuple(RatingChange(seat, f"bot{seat}", "1", rating, rating) for seat in range(2))
    return [
        MatchCreated(0, match.setup),
        *map(bot_move, CHARGED_US),
        MovePlayed(0, 0, "token", "1", MoveSource.RANDOM, charge(123_456)),
        MovePlayed(0, 0, "token", "1", MoveSource.DEFAULT),
        flag(),
        flag(move="2"),
        flag(request_id="r"),
        PlayEnded(0, forfeit, b"", rated),
        PlayEnded(0, Result(EndKind.PLAYED, EndCause.RULES), b""),
        PlayEnded(0, void_result(EndCause.ABORTED), b""),
    ]


def record(metrics: Metrics, match: Match, events: Sequence[Event]) -> None:
    away = structs.replace(match, gone_us=tuple(0 for _ in match.players))
    entries = [Entry(match.setup.match_id, number, 0, event) for number, event in enumerate(events, 1)]
    metrics.matches.on_entries(match, entries, match)
    for entry in entries:
        metrics.matches.on_entries(away, [entry], match)


async def append(metrics: Metrics, harness: RunnerHarness) -> None:
    log = metrics.meter_event_log(harness.log, harness.time)
    for number, took_us in enumerate((0, 100, 2_000, 60_000_000)):
        harness.log.after.clear()
        appending = asyncio.create_task(
            log.append(f"a{number}", 0, [MatchCreated(0, match_setup(match_id=f"a{number}"))])
        )
        await harness.time.advance(took_us)
        harness.log.after.set()
        await appending
    with pytest.raises(Conflict):
        await log.append("a0", 5, [])
    harness.log.make_unavailable()
    with pytest.raises(StoreUnavailable):
        await log.append("a0", 1, [])


async def fixed_sequence(metrics: Metrics) -> None:
    harness = RunnerHarness()
    for game in (NIM, FINGERS, NIM):
        runner = await harness.start_match(match_setup(game, f"{game.name} {harness.time.us}"))
        record(metrics, runner.match, events_of(runner.match))
        await runner.close()
        await harness.time.advance(MS)
    metrics.matches.on_fault("m1", ValueError("broken"))
    await append(metrics, harness)
    for appends in (1, 2, 3, 1_024, 1_025):
        metrics.committed(appends)
    for reason in ("ILLEGAL_MOVE", "ENGINE_FAULT", "ILLEGAL_MOVE"):
        metrics.refused(reason)
    await make_calls(metrics)


def page(metrics: Metrics) -> str:
    """Return the page without the lines that depend on the machine."""
    lines = metrics.text().decode().splitlines(keepends=True)
    return "".join(line for line in lines if "process_" not in line and "referee_build" not in line)


def test_a_fixed_sequence_of_events_gives_the_same_text_as_ever(renewing: bool) -> None:
    nothing, everything = Metrics("1.2.3"), Metrics("1.2.3")
    in_loop(fixed_sequence)(everything)
    text = page(nothing) + page(everything)
    if renewing:
        GOLDEN.write_text(text, encoding="ascii")
    else:
        assert text == GOLDEN.read_text(encoding="ascii")


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


def gauges_page(**sources: Any) -> Page:
    metrics = Metrics("1.2.3")
    metrics.register_gauges(gauge_sources(**sources))
    return Page(metrics)


def test_a_draining_referee_is_not_ready() -> None:
    assert gauges_page().value("referee_ready") == 1
    assert gauges_page(ready=lambda: False).families["referee_ready"].samples[0].value == 0


def test_the_expiry_of_the_certificate_is_exported_if_there_is_one() -> None:
    assert gauges_page(certificate_ends_s=lambda: 1.8e9).value("referee_certificate_expiry_timestamp_seconds") == 1.8e9
    assert "referee_certificate_expiry_timestamp_seconds" not in gauges_page().families


def test_the_size_of_the_database_includes_its_write_ahead_log(tmp_path: Path) -> None:
    (tmp_path / "referee.db").write_bytes(b"x" * 1000)
    (tmp_path / "referee.db-wal").write_bytes(b"x" * 100)
    (tmp_path / "referee-key.pem").write_bytes(b"x" * 10)
    disk = gauges_page(data_dir=tmp_path)
    assert disk.value("referee_database_bytes") == 1100
    assert 0 < disk.value("referee_disk_free_bytes") <= disk.value("referee_disk_size_bytes")


def test_an_ephemeral_server_exports_no_disk_metrics() -> None:
    assert not [name for name in gauges_page().families if "disk" in name or "database" in name]


def test_the_duration_of_the_recovery_is_exported() -> None:
    metrics = Metrics("1.2.3")
    metrics.recovered(7, 2_500_000)
    assert Page(metrics).value("referee_recovered_matches") == 7
    assert Page(metrics).value("referee_recovery_seconds") == 2.5
