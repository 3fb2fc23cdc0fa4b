"""A tournament whose process is killed after any of its durable writes, and continued by another process.

The pairings are the same, every result is recorded once, and the standings are those of a tournament that was never
killed.
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from referee_values import Elimination, RoundRobin, Swiss

from referee.contests.contest_entrant import ContestEntrant
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
    Store,
    cup_terms,
    entrant,
    run_with_crashes,
    tournament_request,
)

BOTS = ("ada", "bob", "cyd", "dan")


@dataclass(frozen=True)
class Scenario:
    """Terms of a tournament, and the events of the scenario."""

    terms: HostedTournamentTerms
    bots: tuple[str, ...] = BOTS
    voided: frozenset[str] = frozenset()
    teams: tuple[ContestEntrant, ...] = ()
    """The entrants, if these are not the bots."""


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
    "a swiss of teams": Scenario(
        cup_terms(Swiss(rounds=2), boards=2),
        tuple("abcdefgh"),
        teams=tuple(entrant(*pair, name=f"team-{pair}") for pair in ("ab", "cd", "ef", "gh")),
    ),
}


async def run_contest(harness: HostingHarness, scenario: Scenario) -> None:
    """Send the organiser's requests to each process, because an organiser without an answer repeats its request."""
    harness.voided = scenario.voided
    await harness.open()
    harness.connect(*scenario.bots)
    await harness.tournaments.create(tournament_request(scenario.terms, *(scenario.teams or scenario.bots)))
    if not (await harness.tournaments.get("cup")).over:
        await harness.tournaments.start("cup")
    await harness.until_over("cup")


async def run_killed(scenario: Scenario, *writes: int, on_disk: Path | None = None) -> tuple[TournamentState, int]:
    """Run the scenario in processes that are killed after so many durable writes, and check its logs.

    Return the tournament, and the number of durable writes of the last process.
    """
    store = Store(on_disk)
    await store.register(*scenario.bots)
    harness, _ = await run_with_crashes(store, lambda process: run_contest(process, scenario), writes)
    state = await harness.tournaments.get("cup")
    await harness.close()
    await check_the_logs(store, state)
    if on_disk:
        await store.matches.close()
    return state, harness.crash.written


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
    expected, writes = await run_killed(SCENARIOS[scenario])
    assert writes > 20
    for writes_until_crash in range(1, writes + 1)[steps]:
        state, _ = await run_killed(SCENARIOS[scenario], writes_until_crash)
        assert comparable_part(state) == comparable_part(expected), f"stopped after write {writes_until_crash}"


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize(
    ("writes", "in_a_database"), [(11, False), (19, False), pytest.param(13, True, marks=pytest.mark.slow)]
)
async def test_a_tournament_ends_as_without_a_crash_when_processes_are_killed_early(
    scenario: str, writes: int, in_a_database: bool, tmp_path: Path
) -> None:
    expected, _ = await run_killed(SCENARIOS[scenario])
    file = tmp_path / "log.db" if in_a_database else None
    state, _ = await run_killed(SCENARIOS[scenario], *[writes] * 100, on_disk=file)
    assert comparable_part(state) == comparable_part(expected)
