"""Submitting to a runner: many callers, one decision at a time, in the order of arrival."""

import asyncio
from typing import Any, cast

import pytest

from engines.refusals import Refusal
from referee.live.ports import SeatDelays
from referee.live.runner import NotRunHere
from referee.match.clock import MS, SECOND
from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import Command, DisconnectSeat, FallFlag, Resign, StartPlay, SubmitMove
from referee.match.decision import Decision
from referee.match.events import MovePlayed, MoveRefused, PlayEnded
from referee.match.match_errors import NoSuchSeat, NotAllowedNow, StaleTurn
from referee.match.result import EndCause
from tests.live.fake_time import settled
from tests.live.runner_harness import GAMES, Scene, answer, goes_on, in_loop, played, terms
from tests.strangers_games.strangers_games import FINGERS
from tests.strangers_games.strangers_games.nim import Nim, NimPosition


@in_loop
async def test_of_many_answers_to_one_turn_the_first_wins_and_the_others_are_told() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    moves = ["2", "1", "2", "3"]
    verdicts = await asyncio.gather(*(played(runner, 0, move) for move in moves), return_exceptions=True)
    first, other, same, third = verdicts
    assert isinstance(first, Decision)
    assert isinstance(same, Decision)
    assert isinstance(other, StaleTurn)
    assert isinstance(third, StaleTurn)
    assert [type(event) for event in first.events] == [MovePlayed]
    assert same.events == ()
    assert same.match.verdicts[0] == first.events[0]
    assert (await scene.kinds()).count("MovePlayed") == 1
    await runner.close()


@in_loop
async def test_waiting_in_line_costs_nothing() -> None:
    scene = Scene()
    runner = await scene.begun(terms(FINGERS))
    await scene.time.passes(SECOND)
    scene.log.before.clear()
    answers = [runner.submit(answer(runner, seat, "1")) for seat in range(3)]
    await scene.time.passes(4 * SECOND)
    scene.log.before.set()
    await asyncio.gather(*answers)
    rows = [event.row for event in await scene.events() if isinstance(event, MovePlayed)]
    assert [row.charged_us for row in rows if row] == [SECOND] * 3
    await runner.close()


@pytest.mark.parametrize("command", [StartPlay(), Resign(7), SubmitMove(0, "0.5.1", "1", TurnMeasurement(0))], ids=str)
@in_loop
async def test_a_refusal_reaches_its_caller_and_changes_nothing(command: Command) -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    before, tried = runner.match, len(scene.log.tried_us)
    with pytest.raises(Refusal) as caught:
        await runner.submit(command)
    assert type(caught.value) in (NotAllowedNow, NoSuchSeat, StaleTurn)
    assert runner.match is before
    assert len(scene.log.tried_us) == tried
    await runner.close()


@in_loop
async def test_a_move_that_counts_as_an_attempt_is_written() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    decided = await played(runner, 0, "9")
    assert [type(event) for event in decided.events] == [MoveRefused]
    assert await scene.log_tells_of(runner)
    await runner.close()


@in_loop
async def test_what_changes_nothing_is_not_written() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    await runner.submit(DisconnectSeat(0))
    tried = len(scene.log.tried_us)
    assert (await runner.submit(DisconnectSeat(0))).events == ()
    assert (await runner.submit(FallFlag(0, TurnMeasurement(5)))).events == ()
    assert len(scene.log.tried_us) == tried
    await runner.close()


@in_loop
async def test_a_mistake_of_a_caller_is_the_callers_and_the_match_goes_on() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    with pytest.raises(TypeError):
        await runner.submit(Resign(cast("Any", "first")))
    await played(runner, 0, "1")
    assert await scene.log_tells_of(runner)
    await runner.close()


class BrokenPosition(NimPosition):
    def play(self, seat: int, move: str) -> NimPosition:
        raise ZeroDivisionError("three into none")


class BrokenNim(Nim):
    name = "broken"

    def start(self, settings: Any, seed: bytes) -> NimPosition:
        return BrokenPosition(settings, 21, 0)


@in_loop
async def test_an_engine_fault_makes_the_match_void_and_is_told_with_its_cause() -> None:
    GAMES["broken"] = BrokenNim()
    scene = Scene()
    runner = await scene.begun(terms(GAMES["broken"]))
    decided = await played(runner, 0, "1")
    assert runner.match.result
    assert runner.match.result.cause is EndCause.ENGINE_FAULT
    assert [type(event) for event in decided.events] == [PlayEnded]
    assert [type(fault) for fault in scene.keeper.faults] == [ZeroDivisionError]
    assert await scene.log_tells_of(runner)
    await runner.close()


@in_loop
async def test_closing_decides_all_that_was_taken_and_takes_nothing_more() -> None:
    scene = Scene()
    runner = await scene.begun(terms(FINGERS))
    scene.log.before.clear()
    answers = [runner.submit(answer(runner, seat, "1")) for seat in range(3)]
    closing = asyncio.create_task(runner.close())
    await settled()
    with pytest.raises(NotRunHere, match="m1"):
        runner.submit(Resign(0))
    assert not closing.done()
    scene.log.before.set()
    await closing
    assert all(answer.done() for answer in answers)
    assert (await scene.kinds()).count("MovePlayed") == 3
    assert scene.time.alarms_us == []
    await runner.close()


@in_loop
async def test_who_stops_waiting_for_the_close_does_not_hurt_what_is_in_the_air() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    scene.log.after.clear()
    move = runner.submit(answer(runner, 0, "1"))
    closing = asyncio.create_task(runner.close())
    await settled()
    closing.cancel()
    await settled()
    assert closing.cancelled()
    scene.log.after.set()
    assert (await move).match.ply == 1
    assert await scene.log_tells_of(runner)
    await runner.close()


@in_loop
async def test_the_measures_of_an_answer_are_what_the_keeper_and_the_runner_know() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    scene.keeper.delays_of[0] = SeatDelays(network_us=30 * MS, lag_us=5 * MS)
    await scene.time.passes(SECOND)
    assert runner.measure(0) == TurnMeasurement(runner.match_now(), 30 * MS, 5 * MS)
    assert runner.measure(1) == TurnMeasurement(runner.match_now())
    await runner.close()


@in_loop
async def test_a_match_that_is_over_needs_no_alarm() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    assert goes_on(runner)
    await runner.submit(Resign(0))
    assert scene.time.alarms_us == []
    await runner.close()
