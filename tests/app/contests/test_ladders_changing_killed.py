"""A ladder on which bots come and go, are challenged, and a season begins, in processes that do not live long."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from referee.app.contests.held_ladder import HeldLadder
from referee.app.contests.ladder_wish import LadderWish
from referee.app.sessions import Hello
from referee.contest.ladder_events import Closed, Joined, Left, Paired, Rated, SeasonBegan
from referee.core.result import Cause
from tests.app.contests.ladder_stage import check_the_logs, climber, events, ladder_terms, opened, rated, until
from tests.app.contests.stage import Fuse, Stage, Store, first_of, killed
from tests.app.scene import in_loop

BOTS = ("ada", "bob", "cyd", "dan")
LATE = "eve"
TWO = Hello(matches_at_most=2)
TERMS = ladder_terms(provisional_matches=2)


async def climbed(stage: Stage) -> HeldLadder:
    """What everybody asks of each process, as far as the ladder does not show it as done, up to its end."""
    await stage.open()
    ladders = stage.ladders
    held = await ladders.create(LadderWish("main", "org", "r1", TERMS))
    for bot in BOTS:
        if bot not in held.ladder.known:
            await ladders.join("main", climber(bot))
    stage.come(*BOTS, LATE, hello=TWO)
    if held.ladder.season == 1:
        held = await until(stage, rated(3))
        await ladders.challenge("main", "org/c", ("cyd", "dan"))
        if "ada" in held.ladder.entrants:
            await ladders.leave("main", "ada", "enough")
        if LATE not in held.ladder.known:
            await ladders.join("main", climber(LATE))
        await ladders.start_season("main", "s2")
    if not held.closed:
        await until(stage, lambda held: rated(4)(held) and challenged(held))
        await ladders.close("main", "good night")
    return await until(stage, lambda held: held.over)


def challenged(held: HeldLadder) -> bool:
    """Has the challenge been played?"""
    return held.ladder.courses[held.ladder.challenges["org/c"]].done


async def climbed_by_mortals(store: Store, lives: Iterator[int]) -> int:
    """By processes each of which dies after so many writes; how many it took."""
    await store.register(*BOTS, LATE)
    for lived, writes in zip(count(1), lives, strict=False):
        stage = Stage(store, Fuse(writes))
        await first_of(climbed(stage), stage.fuse.blown.wait())
        if not stage.fuse.blown.is_set():
            await stage.close()
            return lived
        await killed()
        await store.survives()
    raise AssertionError("it never ends")


async def check(store: Store) -> None:
    await check_the_logs(store)
    happened = await events(store)
    joined = [event.entrant.name for event in happened if isinstance(event, Joined)]
    assert joined == [*BOTS, LATE]
    assert [event.name for event in happened if isinstance(event, Left)] == ["ada"]
    assert [event.season for event in happened if isinstance(event, SeasonBegan)] == [2]
    paired = [event for event in happened if isinstance(event, Paired)]
    assert [event.pairing.id for event in paired] == [str(number) for number in range(1, len(paired) + 1)]
    assert [event.pairing.entrants for event in paired if event.challenge] in ([("cyd", "dan")], [("dan", "cyd")])
    assert happened[-1] == Closed()
    assert await store.matches.unfinished() == []
    left = next(at for at, event in enumerate(happened) if isinstance(event, Left))
    assert all("ada" not in event.pairing.entrants for event in happened[left:] if isinstance(event, Paired))
    assert sum(isinstance(event, Rated) for event in happened) == len(await store.match_ids())


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
    stage = await opened(ladder_terms(), "ada", "bob")
    stage.choose = lambda *_: ""
    stage.come("ada", "bob")
    held = await until(stage, lambda held: bool(held.ladder.playing))
    match_id = held.match_id(held.ladder.playing[0])
    stage.fuse.blows_after(1)
    await first_of(stage.referee.void(match_id, Cause.DECLARED, "the hall is on fire"), stage.fuse.blown.wait())
    await killed()
    after = Stage(stage.store)
    await after.open()
    after.come("ada", "bob", hello=Hello(matches_at_most=1))
    held = await until(after, rated(1))
    first = held.ladder.courses["1"]
    assert (first.voided, [*first.match_ids]) == ({1: 1}, [(1, 1), (1, 2)])
    await after.close()
    await check_the_logs(stage.store)
