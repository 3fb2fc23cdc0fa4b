"""Append, apply, notify: at no moment is anything announced or applied that the log does not hold."""

import asyncio
from collections.abc import Sequence
from typing import NoReturn

import pytest

from engines.api import Seat
from referee.live.ports import Conflict, Entry, SeatDelays
from referee.match.clock import SECOND
from referee.match.state import Match, MatchPhase
from tests.live.fake_time import settle
from tests.live.runner_harness import (
    RecordingObserver,
    RunnerHarness,
    answer,
    in_loop,
    is_playing,
    match_setup,
    submit_move,
)


@in_loop
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


@in_loop
async def test_an_announcement_contains_the_match_before_and_after(process: RunnerHarness) -> None:
    runner = await process.open_match(match_setup())
    opened = runner.match
    assert process.observer.announced == [(None, await process.log.read("m1"), opened)]


@pytest.mark.parametrize("moment", ["in line", "before it is written", "after it is written"])
@in_loop
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


@in_loop
async def test_a_cancelled_command_that_would_be_rejected_does_no_harm(process: RunnerHarness) -> None:
    runner = await process.start_match(match_setup())
    runner.submit(answer(runner, 0, "1", token="old")).cancel()
    await submit_move(runner, 0, "1")
    assert await process.log_agrees_with(runner)


@in_loop
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


@in_loop
async def test_opening_a_match_with_a_used_id_is_a_conflict(process: RunnerHarness) -> None:
    await process.start_match(match_setup())
    with pytest.raises(Conflict):
        await process.open_match(match_setup())


@in_loop
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


@in_loop
async def test_a_failing_observer_stops_no_match_and_is_reported(process: RunnerHarness) -> None:
    process.observer = FailingObserver()
    runner = await process.start_match(match_setup())
    await submit_move(runner, 0, "1")
    assert await process.log_agrees_with(runner)
    assert {str(fault) for fault in process.observer.faults} == {"announce", "delays"}
    await process.time.advance(11 * SECOND)
    assert not is_playing(runner)
