"""Two runners on one log: exactly one continues, and the other one notices."""

import asyncio

import pytest

from referee.live.ports import Conflict
from referee.live.runner import NotRunHere
from referee.match.clock import SECOND
from referee.match.commands import OfferDraw
from referee.match.decision import Decision
from tests.live.fake_time import settled
from tests.live.runner_harness import Scene, answer, in_loop, played, terms
from tests.strangers_games.strangers_games import FINGERS


@in_loop
async def test_who_finds_the_log_written_by_somebody_else_stops_for_good() -> None:
    old, new = (scene := Scene()), Scene(beside=scene)
    deposed = await old.begun(terms())
    owner = await new.resumed()
    tried = len(old.log.tried_us)
    with pytest.raises(NotRunHere, match="m1 is not run here"):
        await played(deposed, 0, "1")
    assert old.keeper.was_left == ["m1"]
    assert old.keeper.faults == []
    with pytest.raises(NotRunHere):
        deposed.submit(answer(deposed, 0, "1"))
    await scene.time.passes(9 * SECOND)
    assert len(old.log.tried_us) == tried + 1, "it never tries to write again"
    await played(owner, 0, "1")
    assert await new.log_tells_of(owner)
    await owner.close()
    await deposed.close()
    assert scene.time.alarms_us == []


@in_loop
async def test_those_who_wait_behind_a_conflict_are_sent_away() -> None:
    old, new = (scene := Scene()), Scene(beside=scene)
    deposed = await old.begun(terms(FINGERS))
    owner = await new.resumed()
    verdicts = await asyncio.gather(*(played(deposed, seat, "1") for seat in range(3)), return_exceptions=True)
    assert [type(verdict) for verdict in verdicts] == [NotRunHere] * 3
    assert len(old.keeper.heard) == 2
    await owner.close()


@in_loop
async def test_an_alarm_that_rang_before_a_conflict_is_forgotten() -> None:
    old, new = (scene := Scene()), Scene(beside=scene)
    deposed = await old.begun(terms())
    owner = await new.resumed()
    old.log.before.clear()
    move = deposed.submit(answer(deposed, 0, "1"))
    await scene.time.passes(9 * SECOND)
    await played(owner, 0, "1")
    await scene.time.passes(2 * SECOND)
    old.log.before.set()
    with pytest.raises(NotRunHere):
        await move
    assert old.keeper.was_left == ["m1"]
    assert old.keeper.faults == []
    await owner.close()


@in_loop
async def test_a_timer_that_meets_a_conflict_ends_its_runner() -> None:
    old, new = (scene := Scene()), Scene(beside=scene)
    deposed = await old.begun(terms())
    owner = await new.resumed()
    await played(owner, 0, "1")
    await scene.time.passes(11 * SECOND)
    assert old.keeper.was_left == ["m1"]
    assert (await new.kinds()).count("PlayEnded") == 1
    assert owner.match.forfeits[0].seat == 1
    await deposed.close()
    await owner.close()


@in_loop
async def test_of_two_who_write_at_the_same_moment_exactly_one_goes_on() -> None:
    one, two = (scene := Scene()), Scene(beside=scene)
    runners = [await one.begun(terms())]
    two.log.before.clear()
    resuming = asyncio.create_task(two.resumed())
    await scene.time.passes(0)
    await played(runners[0], 0, "1")
    two.log.before.set()
    with pytest.raises(Conflict):
        await resuming
    assert two.keeper.was_left == []
    await played(runners[0], 1, "1")
    assert await one.log_tells_of(runners[0])
    await runners[0].close()


@pytest.mark.parametrize("first", [0, 1])
@in_loop
async def test_of_two_runners_that_believe_the_same_the_first_to_write_wins(first: int) -> None:
    scenes = [(scene := Scene()), Scene(beside=scene)]
    begun = await scenes[0].begun(terms())
    twin = type(begun)(begun.match, scenes[1].desk)  # Like two runners of one match after a network partition.
    await settled()
    runners = [begun, twin]
    winner, loser = runners[first], runners[1 - first]
    verdicts = await asyncio.gather(
        winner.submit(OfferDraw(0)), loser.submit(answer(loser, 0, "3")), return_exceptions=True
    )
    assert isinstance(verdicts[0], Decision)
    assert isinstance(verdicts[1], NotRunHere)
    assert scenes[1 - first].keeper.was_left == ["m1"]
    assert (await scene.kinds())[-1] == "DrawOffered"
    assert await scenes[first].log_tells_of(winner)
    await winner.close()
    await loser.close()


@in_loop
async def test_a_log_that_gives_up_its_writers_sends_their_callers_away() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    scene.log.trouble = asyncio.CancelledError()
    with pytest.raises(NotRunHere):
        await played(runner, 0, "1")
    assert scene.time.alarms_us == []
    await runner.close()
