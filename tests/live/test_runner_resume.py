"""Recovery after a crash: same ply, same turns and tokens, and no clock is charged for the downtime."""

import pytest

from referee.match.clock import SECOND
from referee.match.commands import Resign, StartPlay, TakeSeat
from referee.match.events import MatchResumed, MovePlayed
from referee.match.match_errors import MatchOver
from referee.match.setup import Player
from referee.match.state import MatchPhase
from tests.live.runner_harness import Scene, answer, goes_on, in_loop, played, terms
from tests.strangers_games.strangers_games import FINGERS, NIM

HOUR_MS = 3_600_000


async def crashed(scene: Scene, down_ms: int = HOUR_MS) -> Scene:
    """Return another process on the same log, `down_ms` later. The first one no longer does anything."""
    await scene.time.passes(0)
    scene.log.before.clear()
    later = Scene(beside=scene)
    scene.time.wall_offset_ms += down_ms
    return later


@in_loop
async def test_it_goes_on_in_the_same_turn_with_the_same_token_and_without_the_time_it_was_down() -> None:
    old = Scene()
    dead = await old.begun(terms())
    await old.time.passes(2 * SECOND)
    await played(dead, 0, "1")
    turns = dead.match.turns
    await dead.close()
    new = await crashed(old)
    runner = await new.resumed()
    assert runner.match.turns == turns
    assert (await new.events())[-1] == MatchResumed(2 * SECOND, HOUR_MS)
    await new.time.passes(3 * SECOND)
    await played(runner, 1, "1")
    moves = [event for event in await new.events() if isinstance(event, MovePlayed)]
    assert moves[1].token == "1.1.1"
    assert moves[1].row
    assert moves[1].row.charged_us == 3 * SECOND
    assert await new.log_tells_of(runner)
    await runner.close()


@in_loop
async def test_it_is_announced() -> None:
    old = Scene()
    dead = await old.begun(terms())
    await dead.close()
    new = await crashed(old)
    runner = await new.resumed()
    assert new.keeper.announced == [(dead.match, (await new.stored.read("m1"))[2:], runner.match)]
    await runner.close()


@in_loop
async def test_the_flag_falls_by_what_was_left() -> None:
    old = Scene()
    dead = await old.begun(terms())
    await dead.close()
    await old.time.passes(500 * SECOND)
    new = await crashed(old)
    runner = await new.resumed()
    await new.time.passes(10 * SECOND)
    assert goes_on(runner)
    await new.time.passes(1)
    assert not goes_on(runner)
    await runner.close()


@in_loop
async def test_what_was_sealed_stays_chosen() -> None:
    old = Scene()
    dead = await old.begun(terms(FINGERS))
    await played(dead, 1, "2")
    await dead.close()
    runner = await (await crashed(old)).resumed()
    assert [turn.seat for turn in runner.match.owing] == [0, 2]
    again = await runner.submit(answer(runner, 1, "2", token="1.0.1"))
    assert again.events == ()
    await runner.close()


@in_loop
async def test_a_match_can_crash_as_often_as_it_likes() -> None:
    scene, moves = Scene(), 0
    runner = await scene.begun(terms())
    while goes_on(runner):
        await played(runner, moves % 2, "2" if moves < 10 else "1")
        moves += 1
        await runner.close()
        scene = await crashed(scene)
        runner = await scene.resumed()
    assert moves == 11
    assert (await scene.kinds()).count("MatchResumed") == 10
    await runner.close()


@in_loop
async def test_a_match_that_waits_for_its_seats_goes_on_waiting() -> None:
    old = Scene()
    dead = await old.begun(terms(match_id="other"))
    await dead.close()
    open_seats = terms(players=(Player("a"), Player()))
    runner = await type(dead).open(open_seats, NIM, old.desk)
    await runner.close()
    new = await crashed(old)
    runner = await new.resumed()
    assert runner.match.phase is MatchPhase.WAITING
    await runner.submit(TakeSeat(1, Player("b")))
    await runner.submit(StartPlay())
    assert await new.kinds() == ["MatchCreated", "MatchResumed", "SeatTaken", "PlayStarted"]
    await runner.close()


@in_loop
async def test_a_match_that_is_over_is_not_written_to_and_still_has_its_verdicts() -> None:
    old = Scene()
    dead = await old.begun(terms(settings=NIM.settings({"heap": 1})))
    await played(dead, 0, "1")
    await dead.close()
    new = await crashed(old)
    runner = await new.resumed()
    assert new.log.tried_us == []
    assert new.keeper.announced == []
    again = await runner.submit(answer(runner, 0, "1", token="0.0.1"))
    assert again.events == ()
    assert again.match.verdicts[0]
    with pytest.raises(MatchOver):
        await runner.submit(Resign(0))
    await runner.close()


@in_loop
async def test_a_wall_clock_that_was_set_back_makes_no_negative_time() -> None:
    old = Scene()
    dead = await old.begun(terms())
    await dead.close()
    new = await crashed(old, down_ms=-HOUR_MS)
    runner = await new.resumed()
    assert (await new.events())[-1] == MatchResumed(0, 0)
    await runner.close()
