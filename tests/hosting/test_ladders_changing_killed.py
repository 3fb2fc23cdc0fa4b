"""A ladder whose bots join and leave, with challenges and a new season, in processes that are killed early."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from referee.contests.ladder.events import (
    LadderClosureFinished,
    LadderJoined,
    LadderLeft,
    LadderPaired,
    MatchRated,
    SeasonStarted,
)
from referee.hosting.ladder_host import LadderRequest
from referee.hosting.ladder_state import LadderState
from referee.live.sessions import Hello
from referee.match.result import EndCause
from tests.hosting.harness import Fuse, HostingHarness, Store, first_of, killed
from tests.hosting.ladder_harness import check_the_logs, climber, events, ladder_terms, opened, rated, until
from tests.live.runner_harness import in_loop

BOTS = ("ada", "bob", "cyd", "dan")
LATE = "eve"
TWO = Hello(max_matches=2)
TERMS = ladder_terms(provisional_matches=2)


async def climbed(harness: HostingHarness) -> LadderState:
    """Send the requests of all clients that the ladder does not show as done, and wait for the end of the ladder."""
    await harness.open()
    ladders = harness.ladders
    state = await ladders.create(LadderRequest("main", "org", "r1", TERMS))
    for bot in BOTS:
        if bot not in state.ladder.all_entrants:
            await ladders.join("main", climber(bot))
    harness.come(*BOTS, LATE, hello=TWO)
    if state.ladder.season == 1:
        state = await until(harness, rated(3))
        await ladders.challenge("main", "org/c", ("cyd", "dan"))
        if "ada" in state.ladder.entrants:
            await ladders.leave("main", "ada", "enough")
        if LATE not in state.ladder.all_entrants:
            await ladders.join("main", climber(LATE))
        await ladders.start_season("main", "s2")
    if not state.closed:
        await until(harness, lambda state: rated(4)(state) and challenged(state))
        await ladders.close("main", "good night")
    return await until(harness, lambda state: state.over)


def challenged(state: LadderState) -> bool:
    """Return whether the challenge has been played."""
    return state.ladder.pairings[state.ladder.challenges["org/c"]].is_done


async def climbed_by_mortals(store: Store, lives: Iterator[int]) -> int:
    """Run processes that each crash after a number of durable writes. Return how many it took."""
    await store.register(*BOTS, LATE)
    for lived, writes in zip(count(1), lives, strict=False):
        harness = HostingHarness(store, Fuse(writes))
        await first_of(climbed(harness), harness.fuse.blown.wait())
        if not harness.fuse.blown.is_set():
            await harness.close()
            return lived
        await killed()
        await store.survives()
    raise AssertionError("it never ends")


async def check(store: Store) -> None:
    await check_the_logs(store)
    happened = await events(store)
    joined = [event.entrant.name for event in happened if isinstance(event, LadderJoined)]
    assert joined == [*BOTS, LATE]
    assert [event.name for event in happened if isinstance(event, LadderLeft)] == ["ada"]
    assert [event.season for event in happened if isinstance(event, SeasonStarted)] == [2]
    paired = [event for event in happened if isinstance(event, LadderPaired)]
    assert [event.pairing.id for event in paired] == [str(number) for number in range(1, len(paired) + 1)]
    assert [event.pairing.entrants for event in paired if event.challenge] in ([("cyd", "dan")], [("dan", "cyd")])
    assert happened[-1] == LadderClosureFinished()
    assert await store.matches.unfinished() == []
    left = next(at for at, event in enumerate(happened) if isinstance(event, LadderLeft))
    assert all("ada" not in event.pairing.entrants for event in happened[left:] if isinstance(event, LadderPaired))
    assert sum(isinstance(event, MatchRated) for event in happened) == len(await store.match_ids())


@pytest.mark.parametrize("writes", [11, 23])
def test_whoever_comes_goes_challenges_or_begins_a_season_has_done_so_once(writes: int) -> None:
    @in_loop
    async def lived() -> None:
        store = Store()
        assert await climbed_by_mortals(store, iter([writes] * 100)) > 2
        await check(store)

    lived()


@pytest.mark.slow
@pytest.mark.parametrize("writes", [13, 29, *(pytest.param(each, marks=pytest.mark.soak) for each in (10, 17))])
def test_so_it_is_on_disk(writes: int, tmp_path: Path) -> None:
    @in_loop
    async def lived() -> None:
        store = Store(tmp_path / "log.db")
        assert await climbed_by_mortals(store, iter([writes] * 100)) > 2
        await check(store)
        await store.matches.close()

    lived()


@in_loop
async def test_a_match_that_became_void_as_its_process_died_is_played_again() -> None:
    harness = await opened(ladder_terms(), "ada", "bob")
    harness.choose = lambda *_: ""
    harness.come("ada", "bob")
    state = await until(harness, lambda state: bool(state.ladder.matches_in_play))
    match_id = state.match_id(state.ladder.matches_in_play[0]) or ""
    harness.fuse.blows_after(1)
    await first_of(harness.referee.void(match_id, EndCause.DECLARED, "power failure"), harness.fuse.blown.wait())
    await killed()
    after = HostingHarness(harness.store)
    await after.open()
    after.come("ada", "bob", hello=Hello(max_matches=1))
    state = await until(after, rated(1))
    first = state.ladder.pairings["1"]
    assert (first.void_counts, [*first.match_ids]) == ({1: 1}, [(1, 1), (1, 2)])
    await after.close()
    await check_the_logs(harness.store)
