"""A tournament whose process is killed after any of its durable writes, and continued by another process.

The pairings are the same, every result is recorded once, and the standings are those of a tournament that was never
killed.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from referee_values import Elimination, RoundRobin, Swiss

from referee.contests.pairing import ContestMatchScored, DuplicateSets
from referee.contests.strength.sprt_evaluation import SprtParameters
from referee.contests.tournament.events import PairingsPlanned
from referee.contests.tournament.tournament_terms import SprtTrial
from referee.hosting.contest_terms import HostedTournamentTerms
from referee.hosting.tournament_state import TournamentState, fold_tournament
from referee.live.log_history import replay
from referee.match.events import PlayEnded
from tests.hosting.harness import (
    HostingHarness,
    SimulatedCrash,
    Store,
    cup_terms,
    kill_process,
    run_until_first,
    tournament_request,
)

BOTS = ("ada", "bob", "cyd", "dan")


@dataclass(frozen=True)
class Scenario:
    """Terms of a tournament, and the events of the scenario."""

    terms: HostedTournamentTerms
    bots: tuple[str, ...] = BOTS
    voided: frozenset[str] = frozenset()


SCENARIOS = {
    "round robin": Scenario(cup_terms(RoundRobin(), max_concurrent_matches=3)),
    "swiss": Scenario(cup_terms(Swiss(rounds=2))),
    "swiss with a play-off": Scenario(cup_terms(Swiss(rounds=1), play_off_entrants=2)),
    "knock-out with voids": Scenario(
        cup_terms(Elimination(third_place_match=True)), voided=frozenset({"w1.1/1.1", "w2.1/1.1", "w2.1/1.2"})
    ),
    "in sets with a void": Scenario(
        cup_terms(RoundRobin(), duplicate=DuplicateSets(2)), BOTS[:3], frozenset({"1.1/2.1"})
    ),
    "a test of two": Scenario(
        cup_terms(SprtTrial(SprtParameters(400, max_matches=6)), max_concurrent_matches=4), BOTS[:2]
    ),
}


async def run_contest(harness: HostingHarness, scenario: Scenario) -> None:
    """Send the organiser's requests to each process, because an organiser without an answer repeats its request."""
    harness.voided = scenario.voided
    await harness.open()
    harness.connect(*scenario.bots)
    await harness.tournaments.create(tournament_request(scenario.terms, *scenario.bots))
    if not (await harness.tournaments.get("cup")).over:
        await harness.tournaments.start("cup")
    await harness.until_over("cup")


async def run_with_crashes(store: Store, scenario: Scenario, writes_per_process: Iterator[int]) -> TournamentState:
    """Run processes that each crash after a number of durable writes; the last one does not."""
    for writes in writes_per_process:
        harness = HostingHarness(store, SimulatedCrash(writes))
        await run_until_first(run_contest(harness, scenario), harness.crash.happened.wait())
        if not harness.crash.happened.is_set():
            break
        await kill_process()
        await store.reopen()
    else:
        harness = HostingHarness(store)
        await run_contest(harness, scenario)
    state = await harness.tournaments.get("cup")
    await harness.close()
    return state


async def run_without_crash(scenario: Scenario) -> tuple[TournamentState, int]:
    """Return the tournament without a crash, and its number of durable writes."""
    store = await new_store(scenario)
    harness = HostingHarness(store)
    await run_contest(harness, scenario)
    state = await harness.tournaments.get("cup")
    await harness.close()
    return state, harness.crash.written


async def new_store(scenario: Scenario, on_disk: Path | None = None) -> Store:
    store = Store(on_disk)
    await store.register(*scenario.bots)
    return store


def comparable_part(state: TournamentState) -> Any:
    """Return everything that must be the same. In an SPRT trial, only pairings that counted."""
    tournament = state.tournament
    counted = tournament.trial_progress.sets or None
    all_progress = [*tournament.pairings.values()][:counted]
    return (
        tournament.phase,
        [
            (progress.pairing, progress.scores, progress.void_counts, sorted(progress.match_ids.items()))
            for progress in all_progress
        ],
        tournament.standings(),
        tournament.trial_progress,
    )


async def check_the_logs(store: Store, state: TournamentState) -> None:
    """Check that the tournament's log holds each result once, as its match does, and that no match remains."""
    entries = await store.matches.contests.read("tournament/cup")
    assert [entry.number for entry in entries] == [*range(1, len(entries) + 1)]
    assert list(replay(fold_tournament, entries))[-1].state == state
    scored = Counter(
        (entry.event.pairing, entry.event.number) for entry in entries if isinstance(entry.event, ContestMatchScored)
    )
    assert set(scored.values()) == {1}
    paired = [pair.id for entry in entries if isinstance(entry.event, PairingsPlanned) for pair in entry.event.pairings]
    assert len(paired) == len(set(paired))
    assert await store.matches.unfinished() == []
    ids = {match_id for progress in state.tournament.pairings.values() for match_id in progress.match_ids.values()}
    assert set(await store.match_ids()) == ids
    for progress in state.tournament.pairings.values():
        for number, score in progress.scores.items():
            end = (await store.matches.read(progress.match_ids[number, progress.current_attempt(number)]))[-1].event
            assert isinstance(end, PlayEnded)
            ranks = dict(zip(progress.pairing.seats_of_match(number), end.result.ranks, strict=True))
            assert score.ranks == tuple(ranks[name] for name in progress.pairing.entrants)


@pytest.mark.parametrize(
    "steps", [slice(3, None, 17), pytest.param(slice(None), marks=pytest.mark.soak)], ids=["some", "all"]
)
@pytest.mark.parametrize("scenario", SCENARIOS)
async def test_a_tournament_killed_after_any_of_its_writes_ends_as_without_a_crash(scenario: str, steps: slice) -> None:
    expected, writes = await run_without_crash(SCENARIOS[scenario])
    assert writes > 20
    for writes_until_crash in range(1, writes + 1)[steps]:
        store = await new_store(SCENARIOS[scenario])
        state = await run_with_crashes(store, SCENARIOS[scenario], iter([writes_until_crash]))
        assert comparable_part(state) == comparable_part(expected), f"stopped after write {writes_until_crash}"
        await check_the_logs(store, state)


@pytest.mark.slow
@pytest.mark.parametrize("scenario", SCENARIOS)
async def test_a_tournament_in_a_database_ends_as_without_a_crash(scenario: str, tmp_path: Path) -> None:
    expected, _ = await run_without_crash(SCENARIOS[scenario])
    store = await new_store(SCENARIOS[scenario], tmp_path / "log.db")
    state = await run_with_crashes(store, SCENARIOS[scenario], iter([13] * 100))
    assert comparable_part(state) == comparable_part(expected)
    await check_the_logs(store, state)
    await store.matches.close()


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("writes", [11, 19])
async def test_a_tournament_ends_as_without_a_crash_when_processes_are_killed_early(scenario: str, writes: int) -> None:
    expected, _ = await run_without_crash(SCENARIOS[scenario])
    store = await new_store(SCENARIOS[scenario])
    state = await run_with_crashes(store, SCENARIOS[scenario], iter([writes] * 100))
    assert comparable_part(state) == comparable_part(expected)
    await check_the_logs(store, state)
