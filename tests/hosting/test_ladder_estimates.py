"""Standings of hosted ladders: the estimates from all results, and how they are kept up to date."""

import asyncio
from collections.abc import Callable
from typing import Unpack

import pytest

from referee.contests.ladder.events import MatchRated, SeasonStarted
from referee.contests.ladder.result_counts import estimate_seasons
from referee.contests.strength.rating import SkillRating
from referee.hosting import ladder_estimates
from referee.hosting.ladder_estimates import LadderEstimates
from referee.hosting.ladder_state import LadderState
from referee.live.worker_pool import Args, T, TooExpensive
from tests.contests.correction_examples import correct, strike
from tests.hosting.harness import HostingHarness
from tests.hosting.ladder_harness import events
from tests.hosting.test_ladder_corrections_hosted import A, B, C, add_matches, rated_ladder


class Pool:
    """A worker pool whose calls wait until they may run."""

    def __init__(self) -> None:
        self.calls = 0
        self.may_run = asyncio.Event()
        self.fails = False

    async def run(
        self,
        function: Callable[[Unpack[Args]], T],
        *args: *Args,
        holder: str = "",  # The signature of `RunFunction`.
        max_cpu_s: float | None = None,
    ) -> T:
        self.calls += 1
        await self.may_run.wait()
        if self.fails:
            raise TooExpensive(1)
        return function(*args)


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat all fields as large; two results are enough for a new estimate."""
    monkeypatch.setattr(ladder_estimates, "PLAYERS_HERE", 0)
    monkeypatch.setattr(ladder_estimates, "PLAYERS_AWAITED", 0)
    monkeypatch.setattr(ladder_estimates, "RESULTS_AWAITED", 3)


async def open_estimates() -> tuple[HostingHarness, Pool, LadderEstimates, LadderState]:
    """Return a rated ladder, and its estimates as another server would compute them, in a pool."""
    harness, pool = await rated_ladder(), Pool()
    return harness, pool, LadderEstimates(harness.registry.log, pool.run), await harness.ladders.get("main")


async def shown(harness: HostingHarness, season: int = 0) -> dict[str, SkillRating]:
    rows = await harness.ladders.standings("main", season)
    return {row.entrant.name: row.rating.rating for row in rows}


async def expected(harness: HostingHarness, season: int) -> dict[str, SkillRating]:
    state = await harness.ladders.get("main")
    rated = [event for event in await events(harness.store) if isinstance(event, MatchRated | SeasonStarted)]
    seasons = estimate_seasons(rated, state.ladder.rated_matches.corrections)
    return {player.bot: rating for player, rating in seasons[season - 1].items()}


def values(ratings: dict[str, SkillRating]) -> dict[str, float]:
    return {name: rating.value for name, rating in ratings.items()}


async def test_standings_show_the_estimates_of_each_season() -> None:
    harness = await rated_ladder()
    for season in (1, 2):
        assert values(await shown(harness, season)) == values(await expected(harness, season))
    await add_matches(harness, ("m5", A, B))
    assert values(await shown(harness)) == values(await expected(harness, 2))


async def test_standings_follow_corrections() -> None:
    harness = await rated_ladder()
    before = await shown(harness)
    await harness.ladders.correct("main", strike("m1"))
    await harness.ladders.correct("main", correct("m3", 2, 1))
    after = await shown(harness)
    assert values(after) == values(await expected(harness, 2)) != values(before)
    assert values(await shown(harness, 1)) == {"a": 1500.0, **values(await expected(harness, 1))}


async def test_fields_of_some_players_are_estimated_in_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ladder_estimates, "PLAYERS_HERE", 0)
    harness, pool, estimates, state = await open_estimates()
    pool.may_run.set()
    first, again = await estimates.of(state, 2), await estimates.of(state, 2)
    assert (first, pool.calls) == (again, 1)
    assert {player.bot: rating.value for player, rating in first.items()} == values(await expected(harness, 2))


@pytest.mark.parametrize("season", [1, 2])
async def test_callers_that_do_not_wait_cause_one_computation(season: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ladder_estimates, "PLAYERS_HERE", 0)
    harness, pool, estimates, state = await open_estimates()
    for _ in range(3):
        caller = asyncio.create_task(estimates.of(state, season))
        while not pool.calls:
            await asyncio.sleep(0)
        caller.cancel()
        await asyncio.wait([caller])
    pool.may_run.set()
    found = await estimates.of(state, season)
    assert {player.bot: rating.value for player, rating in found.items()} == values(await expected(harness, season))
    assert pool.calls == 1


@pytest.mark.usefixtures("large")
async def test_a_new_season_of_a_large_field_is_estimated_before_it_has_results() -> None:
    harness, pool, estimates, state = await open_estimates()
    pool.may_run.set()
    while not await estimates.of(state, 2):
        await asyncio.sleep(0)
    state = await harness.ladders.start_season("main", "s3")
    for _ in range(5):
        await estimates.of(state, 3)
        await asyncio.sleep(0)
    found = await estimates.of(state, 3)
    assert {player.bot: rating.value for player, rating in found.items()} == values(await expected(harness, 3))


@pytest.mark.usefixtures("large")
async def test_nobody_waits_for_the_estimates_of_a_large_field() -> None:
    harness, pool, estimates, state = await open_estimates()
    assert (await estimates.of(state, 2), await estimates.of(state, 2)) == ({}, {})
    await asyncio.sleep(0)
    pool.may_run.set()
    while not (found := await estimates.of(state, 2)):
        await asyncio.sleep(0)
    assert pool.calls == 1
    assert found[C].value == (await expected(harness, 2))["c"].value

    await add_matches(harness, ("m5", C, B))
    state = await harness.ladders.get("main")
    changed = await estimates.of(state, 2)
    assert pool.calls == 1
    assert changed[C].value > found[C].value
    assert changed[B].value < found[B].value
    assert changed[A] == found[A]
    await estimates.close()


@pytest.mark.usefixtures("large")
async def test_a_computation_that_fails_or_is_not_needed_any_more_leaves_the_last_estimates() -> None:
    _, pool, estimates, state = await open_estimates()
    pool.fails = True
    pool.may_run.set()
    assert await estimates.of(state, 2) == {}
    for _ in range(5):
        await asyncio.sleep(0)
    pool.may_run.clear()
    assert await estimates.of(state, 2) == {}
    await asyncio.sleep(0)
    assert pool.calls == 2
    await estimates.close()


async def test_only_the_ladders_used_last_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ladder_estimates, "LADDERS_CACHE_SIZE", 0)
    harness = await rated_ladder()
    assert values(await shown(harness)) == values(await expected(harness, 2))
