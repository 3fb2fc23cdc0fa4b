"""A ladder whose process is killed after any of its durable writes, and continued by another process.

The pairings are the same, every match is rated once, and ratings and standings are those of a ladder that was never
killed. One match is played at a time, or the pairings would depend on which bot is free first.
"""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest
from referee_values import DuplicatePlay

from engines.game_errors import DetailedError
from referee.contests.ladder.events import MatchRated, PairingPlanned
from referee.contests.pairing import ContestMatchScored, ContestMatchStarted, ContestMatchVoided
from referee.hosting.contest_terms import HostedLadderTerms
from referee.hosting.ladder_host import LadderRequest
from referee.live.sessions import Hello
from tests.hosting.harness import HostingHarness, Store, run_with_crashes
from tests.hosting.ladder_harness import close_and_check, events, ladder_entrant, ladder_terms, rated, until

BOTS = ("ada", "bob", "cyd", "dan")
ONE = Hello(max_matches=1)
COMPARED_EVENTS = (PairingPlanned, ContestMatchStarted, ContestMatchScored, ContestMatchVoided, MatchRated)


@dataclass(frozen=True)
class Scenario:
    """Terms of a ladder, and the events of the scenario."""

    terms: HostedLadderTerms
    matches: int = 5
    """Number of rated matches after which the scenario ends."""
    voided: frozenset[str] = frozenset()
    with_challenge: bool = False


ONE_AT_A_TIME = {"max_concurrent_matches": 1, "provisional_matches": 2}
SCENARIOS = {
    "single matches": Scenario(ladder_terms(**ONE_AT_A_TIME)),
    "with voids": Scenario(ladder_terms(**ONE_AT_A_TIME), voided=frozenset({"1/1.1", "3/1.1", "3/1.2"})),
    "in sets": Scenario(ladder_terms(**ONE_AT_A_TIME, duplicate_play=DuplicatePlay()), voided=frozenset({"2/2.1"})),
    "with a challenge": Scenario(ladder_terms(**ONE_AT_A_TIME), with_challenge=True),
}


async def run_contest(harness: HostingHarness, scenario: Scenario, hello: Hello) -> None:
    """Send the requests of all clients to each process, because a client without an answer repeats its request."""
    harness.voided = scenario.voided
    await harness.open()
    await harness.ladders.create(LadderRequest("main", "org", "r1", scenario.terms))
    for bot in BOTS:
        with suppress(DetailedError):  # It has joined already.
            await harness.ladders.join("main", ladder_entrant(bot))
    if scenario.with_challenge:
        await harness.ladders.challenge("main", "org/c", ("cyd", "dan"))
    harness.connect(*BOTS, hello=hello)
    await until(harness, rated(scenario.matches))


async def run_killed(scenario: Scenario, *writes: int, hello: Hello = ONE) -> HostingHarness:
    """Run the scenario in processes that are killed after so many durable writes, and check its logs."""
    store = Store()
    await store.register(*BOTS)
    harness, _ = await run_with_crashes(store, lambda process: run_contest(process, scenario, hello), writes)
    await close_and_check(harness)
    return harness


async def comparable_part(harness: HostingHarness, scenario: Scenario) -> Any:
    """Return all events that must be the same, with ratings before and after, up to the last match that counts here."""
    compared = [event for event in await events(harness.store) if isinstance(event, COMPARED_EVENTS)]
    ends = [at for at, event in enumerate(compared) if isinstance(event, MatchRated)]
    return compared[: ends[scenario.matches - 1] + 1]


@pytest.mark.parametrize(
    "steps", [slice(3, None, 17), pytest.param(slice(None), marks=pytest.mark.soak)], ids=["some", "all"]
)
@pytest.mark.parametrize("scenario", SCENARIOS)
async def test_a_ladder_killed_after_any_of_its_writes_continues_as_without_a_crash(
    scenario: str, steps: slice
) -> None:
    undisturbed = await run_killed(SCENARIOS[scenario])
    expected = await comparable_part(undisturbed, SCENARIOS[scenario])
    assert undisturbed.crash.written > 20
    for writes_until_crash in range(1, undisturbed.crash.written + 1)[steps]:
        harness = await run_killed(SCENARIOS[scenario], writes_until_crash)
        assert await comparable_part(harness, SCENARIOS[scenario]) == expected, (
            f"stopped after write {writes_until_crash}"
        )


@pytest.mark.parametrize("writes", [13, 29])
async def test_concurrent_results_are_rated_once_when_processes_are_killed_early(writes: int) -> None:
    scenario = Scenario(ladder_terms(), matches=25, voided=frozenset({"2/1.1", "5/1.1"}))
    await run_killed(scenario, *[writes] * 200, hello=Hello(max_matches=2))
