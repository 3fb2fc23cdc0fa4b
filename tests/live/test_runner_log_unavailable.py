"""While the log cannot be written, commands are rejected, nothing changes, and no clock runs."""

import asyncio
from itertools import pairwise

import pytest

from referee.live.ports import LogUnavailable
from referee.live.runner import FIRST_RETRY_US, LAST_RETRY_US, MatchRunner
from referee.match.clock import MS, SECOND, Bronstein
from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import Resign, StartPlay, SubmitMove
from referee.match.events import FlagFell, MatchResumed, MovePlayed
from referee.match.state import MatchPhase
from tests.live.fake_time import settled
from tests.live.runner_harness import Scene, answer, goes_on, in_loop, played, terms
from tests.strangers_games.strangers_games import FINGERS, NIM


async def refused(runner: MatchRunner, seat: int, move: str) -> None:
    with pytest.raises(LogUnavailable, match="disk is full"):
        await played(runner, seat, move)


@in_loop
async def test_a_command_is_refused_and_changes_nothing_and_the_match_goes_on_when_it_can() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    before = runner.match
    scene.log.goes_away()
    await refused(runner, 0, "1")
    await refused(runner, 0, "1")
    assert runner.match is before
    scene.log.comes_back()
    await played(runner, 0, "1")
    assert await scene.kinds() == ["MatchCreated", "PlayStarted", "MatchResumed", "MovePlayed"]
    assert await scene.log_tells_of(runner)
    await runner.close()


@in_loop
async def test_time_stands_still_until_the_log_is_back_and_the_log_says_for_how_long() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    await scene.time.passes(3 * SECOND)
    scene.log.goes_away()
    down_from_us = scene.time.us
    await refused(runner, 0, "1")
    await scene.time.passes(60 * SECOND)
    assert goes_on(runner)
    scene.log.comes_back()
    await scene.time.comes_to_the_next_alarm()
    back = (await scene.events())[-1]
    assert isinstance(back, MatchResumed)
    assert back.at_us == 3 * SECOND
    assert back.down_ms == (scene.time.us - down_from_us) // MS >= 60_000
    await scene.time.passes(7 * SECOND)
    assert goes_on(runner)
    await scene.time.passes(1)
    assert isinstance((await scene.events())[3], FlagFell)
    await runner.close()


@in_loop
async def test_it_is_tried_again_after_pauses_that_grow_to_a_most() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    scene.log.goes_away()
    await refused(runner, 0, "1")
    scene.log.tried_us = [scene.time.us]
    await scene.time.passes(60 * SECOND)
    tried = scene.log.tried_us
    pauses = [later - earlier for earlier, later in pairwise(tried)]
    assert pauses[:4] == [FIRST_RETRY_US, 2 * FIRST_RETRY_US, 4 * FIRST_RETRY_US, 8 * FIRST_RETRY_US]
    assert pauses[-1] == max(pauses) == LAST_RETRY_US
    scene.log.comes_back()
    await scene.time.passes(LAST_RETRY_US)
    scene.log.goes_away()
    await refused(runner, 0, "1")
    scene.log.tried_us = [scene.time.us]
    await scene.time.passes(FIRST_RETRY_US)
    assert scene.log.tried_us[1:] == [scene.time.us], "it begins with the first pause again"
    await runner.close()


@in_loop
async def test_a_flag_that_could_not_be_written_falls_when_it_can() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    scene.log.goes_away()
    await scene.time.passes(30 * SECOND)
    assert goes_on(runner)
    scene.log.comes_back()
    await scene.time.passes(LAST_RETRY_US)
    assert await scene.kinds() == [
        "MatchCreated",
        "PlayStarted",
        "MatchResumed",
        "FlagFell",
        "SeatForfeited",
        "PlayEnded",
    ]
    assert runner.match.forfeits[0].seat == 0
    assert await scene.log_tells_of(runner)
    await runner.close()


@in_loop
async def test_an_answer_that_waited_for_a_write_that_failed_is_not_charged_for_it() -> None:
    scene = Scene()
    runner = await scene.begun(terms(FINGERS))
    await scene.time.passes(SECOND)
    scene.log.before.clear()
    answers = [runner.submit(answer(runner, seat, "1")) for seat in (0, 1, 1)]
    await scene.time.passes(4 * SECOND)
    scene.log.goes_away()
    scene.log.before.set()
    verdicts = await asyncio.gather(*answers, return_exceptions=True)
    assert [type(verdict) for verdict in verdicts] == [LogUnavailable] * 3
    scene.log.comes_back()
    await scene.time.passes(FIRST_RETRY_US)
    await asyncio.gather(*(played(runner, seat, "1") for seat in range(3)))
    rows = [event.row for event in await scene.events() if isinstance(event, MovePlayed)]
    assert [row.charged_us for row in rows if row] == [SECOND, SECOND, 5 * SECOND]
    await runner.close()


@pytest.mark.parametrize(("seat", "token"), [(1, "1.0.2"), (7, "7.0.1"), (-1, "-1.0.1")])
@in_loop
async def test_an_answer_to_no_turn_of_its_seat_gains_nothing_from_it(seat: int, token: str) -> None:
    scene = Scene()
    runner = await scene.begun(terms(FINGERS))
    scene.log.before.clear()
    first = runner.submit(answer(runner, 0, "1"))
    stale = runner.submit(SubmitMove(seat, token, "1", TurnMeasurement(runner.match_now())))
    await scene.time.passes(4 * SECOND)
    scene.log.goes_away()
    scene.log.before.set()
    assert [type(verdict) for verdict in await asyncio.gather(first, stale, return_exceptions=True)] == [
        LogUnavailable,
        LogUnavailable,
    ]
    assert runner.measure(seat).stall_us == 0
    assert runner.measure(0).stall_us == 4 * SECOND
    await runner.close()


@in_loop
async def test_other_commands_are_refused_too() -> None:
    scene = Scene()
    runner = await MatchRunner.open(terms(control=Bronstein(SECOND)), NIM, scene.desk)
    scene.log.goes_away()
    for command in (StartPlay(), Resign(0)):
        with pytest.raises(LogUnavailable):
            await runner.submit(command)
    assert runner.match.phase is MatchPhase.WAITING
    await runner.close()


@in_loop
async def test_nothing_is_opened_or_resumed_without_a_log() -> None:
    scene = Scene()
    scene.log.goes_away()
    with pytest.raises(LogUnavailable):
        await MatchRunner.open(terms(), NIM, scene.desk)
    with pytest.raises(LogUnavailable):
        await scene.resumed()
    assert scene.keeper.announced == []


@in_loop
async def test_closing_without_a_log_refuses_what_waits() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    scene.log.goes_away()
    move = runner.submit(answer(runner, 0, "1"))
    await runner.close()
    assert isinstance(move.exception(), LogUnavailable)
    assert scene.time.alarms_us == []


@in_loop
async def test_a_log_that_breaks_its_promise_is_the_callers_to_hear_of() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    scene.log.trouble = ZeroDivisionError("not promised")
    with pytest.raises(ZeroDivisionError):
        await played(runner, 0, "1")
    scene.log.comes_back()
    await played(runner, 0, "1")
    assert await scene.log_tells_of(runner)
    await runner.close()


@in_loop
async def test_where_no_caller_hears_of_it_the_runner_gives_up_and_says_so() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    scene.log.trouble = ZeroDivisionError("not promised")
    await scene.time.passes(11 * SECOND)
    await settled()
    assert [type(fault) for fault in scene.keeper.faults] == [ZeroDivisionError]
    assert scene.keeper.was_left == ["m1"]
    assert scene.time.alarms_us == []
    await runner.close()


@in_loop
async def test_a_log_that_is_slow_costs_the_seat_that_waits_for_its_turn_nothing() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    scene.log.before.clear()
    move = runner.submit(answer(runner, 0, "1"))
    await scene.time.passes(30 * SECOND)
    scene.log.before.set()
    await move
    await scene.time.passes(10 * SECOND)
    await played(runner, 1, "1")
    assert runner.match.clocks[1].left_us == 0
    assert goes_on(runner)
    await runner.close()
