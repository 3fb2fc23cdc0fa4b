"""A ladder whose bots join and leave, with challenges and a new season, in processes that are killed early."""

from pathlib import Path

import pytest

from referee.contests.contest_entrant import EntrantJoined, EntrantLeft
from referee.contests.ladder.events import LadderClosureFinished, MatchRated, PairingPlanned, SeasonStarted
from referee.hosting.ladder_host import LadderRequest
from referee.hosting.ladder_state import LadderState
from referee.live.sessions import Hello
from referee.match.result import EndCause
from tests.hosting.harness import (
    MANY_MATCHES,
    HostingHarness,
    Store,
    kill_process,
    open_process,
    run_until_first,
    run_with_crashes,
)
from tests.hosting.ladder_harness import (
    close_and_check,
    events,
    ladder_entrant,
    ladder_terms,
    open_with_ladder,
    rated,
    until,
)

BOTS = ("ada", "bob", "cyd", "dan")
LATE_BOT = "eve"
TWO = Hello(max_matches=2)
TERMS = ladder_terms(provisional_matches=2)


async def run_ladder(harness: HostingHarness) -> LadderState:
    """Send the requests of all clients that the ladder does not show as done, and wait for the end of the ladder."""
    await harness.open()
    ladders = harness.ladders
    state = await ladders.create(LadderRequest("main", "org", "r1", TERMS))
    for bot in BOTS:
        if bot not in state.ladder.all_entrants:
            await ladders.join("main", ladder_entrant(bot))
    harness.connect(*BOTS, LATE_BOT, hello=TWO)
    if state.ladder.season == 1:
        state = await until(harness, rated(3))
        await ladders.challenge("main", "org/c", ("cyd", "dan"))
        if "ada" in state.ladder.entrants:
            await ladders.leave("main", "ada", "enough")
        if LATE_BOT not in state.ladder.all_entrants:
            await ladders.join("main", ladder_entrant(LATE_BOT))
        await ladders.start_season("main", "s2")
    if not state.closed:
        await until(harness, lambda state: rated(4)(state) and challenge_is_played(state))
        await ladders.close("main", "good night")
    return await until(harness, lambda state: state.over)


def challenge_is_played(state: LadderState) -> bool:
    """Return whether the challenge has been played."""
    return state.ladder.pairings[state.ladder.challenges["org/c"]].is_done


async def check(store: Store) -> None:
    recorded = await events(store)
    joined = [event.entrant.name for event in recorded if isinstance(event, EntrantJoined)]
    assert joined == [*BOTS, LATE_BOT]
    assert [event.name for event in recorded if isinstance(event, EntrantLeft)] == ["ada"]
    assert [event.season for event in recorded if isinstance(event, SeasonStarted)] == [2]
    paired = [event for event in recorded if isinstance(event, PairingPlanned)]
    assert [event.pairing.id for event in paired] == [str(number) for number in range(1, len(paired) + 1)]
    assert [event.pairing.entrants for event in paired if event.challenge] in ([("cyd", "dan")], [("dan", "cyd")])
    assert recorded[-1] == LadderClosureFinished()
    assert await store.matches.unfinished() == []
    leave_index = next(at for at, event in enumerate(recorded) if isinstance(event, EntrantLeft))
    assert all(
        "ada" not in event.pairing.entrants for event in recorded[leave_index:] if isinstance(event, PairingPlanned)
    )
    assert sum(isinstance(event, MatchRated) for event in recorded) == len(await store.match_ids())


@pytest.mark.parametrize(
    ("writes", "in_a_database"),
    [
        *((writes, False) for writes in (11, 23)),
        *(pytest.param(writes, True, marks=pytest.mark.slow) for writes in (13, 29)),
        *(pytest.param(writes, True, marks=pytest.mark.soak) for writes in (10, 17)),
    ],
)
async def test_joins_leaves_challenges_and_seasons_happen_once_despite_crashes(
    writes: int, in_a_database: bool, tmp_path: Path
) -> None:
    store = Store(tmp_path / "log.db" if in_a_database else None)
    await store.register(*BOTS, LATE_BOT)
    harness, processes = await run_with_crashes(store, run_ladder, [writes] * 100)
    assert 2 < processes <= 100
    await close_and_check(harness)
    await check(store)
    if in_a_database:
        await store.matches.close()


async def test_a_match_that_became_void_during_a_crash_is_played_again() -> None:
    harness = await open_with_ladder(ladder_terms(), "ada", "bob", silent=True, online=MANY_MATCHES)
    state = await until(harness, lambda state: bool(state.ladder.matches_in_play))
    match_id = state.match_id(state.ladder.matches_in_play[0]) or ""
    harness.crash.trigger_after(1)
    await run_until_first(
        harness.referee.void(match_id, EndCause.DECLARED, "power failure"), harness.crash.happened.wait()
    )
    await kill_process()
    after = await open_process(store=harness.store)
    after.connect("ada", "bob", hello=Hello(max_matches=1))
    state = await until(after, rated(1))
    first = state.ladder.pairings["1"]
    assert (first.void_counts, [*first.match_ids]) == ({1: 1}, [(1, 1), (1, 2)])
    await close_and_check(after)
