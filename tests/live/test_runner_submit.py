"""Submitting to a runner: one decision at a time, and nothing is applied or announced before it is in the log."""

import asyncio
from collections.abc import Sequence
from typing import Any, NoReturn, cast

import pytest

from engines.api import Seat
from engines.game_errors import DetailedError
from referee.live.ports import Conflict, Entry, Lag, SeatDelays
from referee.live.queued_command import MatchMoving
from referee.match.clock import MS, SECOND
from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import Command, DisconnectSeat, FallFlag, Resign, StartPlay, SubmitMove
from referee.match.decision import Decision
from referee.match.events import MovePlayed, PlayEnded
from referee.match.match_errors import NoSuchSeat, NotAllowedNow, StaleTurn
from referee.match.result import EndCause
from referee.match.state import Match, MatchPhase
from tests.live.fake_time import settle
from tests.live.runner_harness import (
    GAMES,
    RecordingObserver,
    RunnerHarness,
    answer,
    is_playing,
    match_setup,
    submit_move,
)
from tests.third_party_games.third_party_games import FINGERS
from tests.third_party_games.third_party_games.nim import Nim, NimPosition


async def test_the_first_of_several_answers_to_one_turn_wins_and_the_others_are_rejected(
    process: RunnerHarness,
) -> None:
    runner = await process.start_match(match_setup())
    moves = ["2", "1", "2", "3"]
    verdicts = await asyncio.gather(*(submit_move(runner, 0, move) for move in moves), return_exceptions=True)
    first, other, same, third = verdicts
    assert isinstance(first, Decision)
    assert isinstance(same, Decision)
    assert isinstance(other, StaleTurn)
    assert isinstance(third, StaleTurn)
    assert [type(event) for event in first.events] == [MovePlayed]
    assert same.events == ()
    assert same.match.verdicts[0] == first.events[0]
    assert (await process.event_kinds()).count("MovePlayed") == 1


async def test_waiting_in_the_queue_is_not_charged(process: RunnerHarness) -> None:
    runner = await process.start_match(match_setup(FINGERS))
    await process.time.advance(SECOND)
    process.log.before.clear()
    answers = [runner.submit(answer(runner, seat, "1")) for seat in range(3)]
    await process.time.advance(4 * SECOND)
    process.log.before.set()
    await asyncio.gather(*answers)
    rows = await process.move_rows()
    assert [row.charged_us for row in rows] == [SECOND] * 3


@pytest.mark.parametrize("command", [StartPlay(), Resign(7), SubmitMove(0, "0.5.1", "1", TurnMeasurement(0))], ids=str)
async def test_an_error_reaches_its_caller_and_changes_nothing(process: RunnerHarness, command: Command) -> None:
    runner = await process.start_match(match_setup())
    before, attempts = runner.match, len(process.log.attempt_times_us)
    with pytest.raises(DetailedError) as error:
        await runner.submit(command)
    assert type(error.value) in (NotAllowedNow, NoSuchSeat, StaleTurn)
    assert runner.match is before
    assert len(process.log.attempt_times_us) == attempts


async def test_a_command_without_effect_is_not_written(process: RunnerHarness) -> None:
    runner = await process.start_match(match_setup())
    await runner.submit(DisconnectSeat(0))
    attempts = len(process.log.attempt_times_us)
    assert (await runner.submit(DisconnectSeat(0))).events == ()
    assert (await runner.submit(FallFlag(0, TurnMeasurement(5)))).events == ()
    assert len(process.log.attempt_times_us) == attempts


async def test_a_programming_error_of_a_caller_does_not_stop_the_match(process: RunnerHarness) -> None:
    runner = await process.start_match(match_setup())
    with pytest.raises(TypeError):
        await runner.submit(Resign(cast("Any", "first")))
    await submit_move(runner, 0, "1")
    assert await process.log_agrees_with(runner)


class BrokenPosition(NimPosition):
    def play(self, seat: int, move: str) -> NimPosition:
        raise ZeroDivisionError("three into none")


class BrokenNim(Nim):
    name = "broken"

    def start(self, settings: Any, seed: bytes) -> NimPosition:
        return BrokenPosition(settings, 21, 0)


async def test_an_engine_fault_makes_the_match_void_and_is_reported_with_its_cause(process: RunnerHarness) -> None:
    GAMES["broken"] = BrokenNim()
    runner = await process.start_match(match_setup(GAMES["broken"]))
    decided = await submit_move(runner, 0, "1")
    assert runner.match.result
    assert runner.match.result.cause is EndCause.ENGINE_FAULT
    assert [type(event) for event in decided.events] == [PlayEnded]
    assert [type(fault) for fault in process.observer.faults] == [ZeroDivisionError]
    assert await process.log_agrees_with(runner)


async def test_closing_decides_queued_commands_and_accepts_no_more(process: RunnerHarness) -> None:
    runner = await process.start_match(match_setup(FINGERS))
    process.log.before.clear()
    answers = [runner.submit(answer(runner, seat, "1")) for seat in range(3)]
    closing = asyncio.create_task(runner.close())
    await settle()
    with pytest.raises(MatchMoving, match="m1"):
        runner.submit(Resign(0))
    assert not closing.done()
    process.log.before.set()
    await closing
    assert all(answer.done() for answer in answers)
    assert (await process.event_kinds()).count("MovePlayed") == 3
    assert process.time.alarms_us == []


async def test_cancelling_the_close_does_not_cancel_pending_commands(process: RunnerHarness) -> None:
    runner = await process.start_match(match_setup())
    process.log.after.clear()
    move = runner.submit(answer(runner, 0, "1"))
    closing = asyncio.create_task(runner.close())
    await settle()
    closing.cancel()
    await settle()
    assert closing.cancelled()
    process.log.after.set()
    assert (await move).match.ply == 1
    assert await process.log_agrees_with(runner)


async def test_the_measurement_of_an_answer_combines_delays_of_observer_and_runner(process: RunnerHarness) -> None:
    runner = await process.start_match(match_setup())
    process.observer.delays_of[0] = SeatDelays(network_us=30 * MS, lag=Lag(5 * MS))
    await process.time.advance(SECOND)
    assert runner.measure(0) == TurnMeasurement(runner.match_now(), 30 * MS, 5 * MS)
    assert runner.measure(1) == TurnMeasurement(runner.match_now())


async def test_a_callback_that_fails_is_reported_and_does_not_affect_the_match(process: RunnerHarness) -> None:
    runner = await process.start_match(match_setup())

    def fail(_: object) -> None:
        raise ZeroDivisionError

    runner.execute(answer(runner, 0, "1"), fail)
    runner.execute(answer(runner, 0, "2", token="unknown"), fail)
    await settle()
    assert [type(fault) for fault in process.observer.faults] == [ZeroDivisionError] * 2
    await submit_move(runner, 1, "1")
    assert await process.log_agrees_with(runner)


async def test_a_move_is_neither_applied_nor_announced_until_it_is_written(process: RunnerHarness) -> None:
    runner = await process.start_match(match_setup())
    process.log.before.clear()
    announced = list(process.observer.received)
    move = runner.submit(answer(runner, 0, "1"))
    await settle()
    assert runner.match.ply == 0
    assert process.observer.received == announced
    assert not move.done()
    process.log.before.set()
    assert (await move).match is runner.match
    assert runner.match.ply == 1
    assert await process.log_agrees_with(runner)


async def test_an_announcement_contains_the_match_before_and_after(process: RunnerHarness) -> None:
    runner = await process.open_match(match_setup())
    opened = runner.match
    assert process.observer.announced == [(None, await process.log.read("m1"), opened)]


@pytest.mark.parametrize("moment", ["in line", "before it is written", "after it is written"])
async def test_a_caller_that_disconnects_never_leaves_a_match_behind_its_log(
    process: RunnerHarness, moment: str
) -> None:
    runner = await process.start_match(match_setup())
    gate = process.log.after if moment == "after it is written" else process.log.before
    gate.clear()
    caller = asyncio.create_task(submit_move(runner, 0, "1"))
    if moment != "in line":
        await settle()
    else:
        await asyncio.sleep(0)
    caller.cancel()
    next_move = runner.submit(answer(runner, 1, "3", token="1.1.1"))
    await settle()
    assert caller.cancelled()
    gate.set()
    assert (await next_move).match.ply == 2
    assert runner.match.ply == 2
    assert await process.log_agrees_with(runner)


async def test_a_cancelled_command_that_would_be_rejected_does_no_harm(process: RunnerHarness) -> None:
    runner = await process.start_match(match_setup())
    runner.submit(answer(runner, 0, "1", token="old")).cancel()
    await submit_move(runner, 0, "1")
    assert await process.log_agrees_with(runner)


async def test_a_crash_between_append_and_apply_loses_nothing(process: RunnerHarness) -> None:
    crashed_runner = await process.start_match(match_setup())
    process.log.after.clear()
    move = crashed_runner.submit(answer(crashed_runner, 0, "2"))
    await settle()
    assert not move.done()
    assert crashed_runner.match.ply == 0
    later = RunnerHarness(shared_with=process)
    runner = await later.resume_match()
    assert str(runner.match.require_position()) == "19 1"
    assert await later.log_agrees_with(runner)
    again = await runner.submit(answer(runner, 0, "2", token="0.0.1"))
    assert again.events == (), "the answer has its verdict"


async def test_opening_a_match_with_a_used_id_is_a_conflict(process: RunnerHarness) -> None:
    await process.start_match(match_setup())
    with pytest.raises(Conflict):
        await process.open_match(match_setup())


async def test_a_match_whose_creator_disconnected_can_be_resumed(process: RunnerHarness) -> None:
    process.log.after.clear()
    opening = asyncio.create_task(process.open_match(match_setup()))
    await settle()
    opening.cancel()
    await settle()
    process.log.after.set()
    runner = await process.resume_match()
    assert runner.match.phase is MatchPhase.WAITING


class FailingObserver(RecordingObserver):
    """Observer that raises an error in each method, after recording entries and faults."""

    def on_entries(self, before: Match | None, entries: Sequence[Entry], match: Match) -> NoReturn:
        super().on_entries(before, entries, match)
        raise ValueError("announce")

    def seat_delays(self, match_id: str, seat: Seat) -> SeatDelays:
        raise ValueError("delays")

    def on_fault(self, match_id: str, fault: Exception) -> NoReturn:
        super().on_fault(match_id, fault)
        raise ValueError("broke")


async def test_a_failing_observer_stops_no_match_and_is_reported(process: RunnerHarness) -> None:
    process.observer = FailingObserver()
    runner = await process.start_match(match_setup())
    await submit_move(runner, 0, "1")
    assert await process.log_agrees_with(runner)
    assert {str(fault) for fault in process.observer.faults} == {"announce", "delays"}
    await process.time.advance(11 * SECOND)
    assert not is_playing(runner)
