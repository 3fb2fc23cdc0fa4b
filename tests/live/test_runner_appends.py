"""Append, apply, notify: at no moment is anything announced or applied that the log does not hold."""

import asyncio
from collections.abc import Sequence
from typing import NoReturn

import pytest

from engines.api import Seat
from referee.live.create import open_match
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
from tests.third_party_games.third_party_games import NIM


@in_loop
async def test_a_move_is_neither_applied_nor_announced_until_it_is_written() -> None:
    harness = RunnerHarness()
    runner = await harness.start_match(match_setup())
    harness.log.before.clear()
    announced = list(harness.observer.received)
    move = runner.submit(answer(runner, 0, "1"))
    await settle()
    assert runner.match.ply == 0
    assert harness.observer.received == announced
    assert not move.done()
    harness.log.before.set()
    assert (await move).match is runner.match
    assert runner.match.ply == 1
    assert await harness.log_agrees_with(runner)
    await runner.close()


@in_loop
async def test_an_announcement_contains_the_match_before_and_after() -> None:
    harness = RunnerHarness()
    runner = await open_match(match_setup(), NIM, harness.dependencies)
    opened = runner.match
    assert harness.observer.announced == [(None, await harness.log.read("m1"), opened)]
    await runner.close()


@pytest.mark.parametrize("moment", ["in line", "before it is written", "after it is written"])
@in_loop
async def test_a_caller_that_disconnects_never_leaves_a_match_behind_its_log(moment: str) -> None:
    harness = RunnerHarness()
    runner = await harness.start_match(match_setup())
    gate = harness.log.after if moment == "after it is written" else harness.log.before
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
    assert await harness.log_agrees_with(runner)
    await runner.close()


@in_loop
async def test_a_cancelled_command_that_would_be_rejected_does_no_harm() -> None:
    harness = RunnerHarness()
    runner = await harness.start_match(match_setup())
    runner.submit(answer(runner, 0, "1", token="old")).cancel()
    await submit_move(runner, 0, "1")
    assert await harness.log_agrees_with(runner)
    await runner.close()


@in_loop
async def test_a_crash_between_append_and_apply_loses_nothing() -> None:
    crashed_process = RunnerHarness()
    crashed_runner = await crashed_process.start_match(match_setup())
    crashed_process.log.after.clear()
    move = crashed_runner.submit(answer(crashed_runner, 0, "2"))
    await settle()
    assert not move.done()
    assert crashed_runner.match.ply == 0
    harness = RunnerHarness(shared_with=crashed_process)
    runner = await harness.resume_match()
    assert str(runner.match.require_position()) == "19 1"
    assert await harness.log_agrees_with(runner)
    again = await runner.submit(answer(runner, 0, "2", token="0.0.1"))
    assert again.events == (), "the answer has its verdict"
    await runner.close()
    crashed_process.log.after.set()
    await crashed_runner.close()


@in_loop
async def test_opening_a_match_with_a_used_id_is_a_conflict() -> None:
    harness = RunnerHarness()
    runner = await harness.start_match(match_setup())
    with pytest.raises(Conflict):
        await open_match(match_setup(), NIM, harness.dependencies)
    await runner.close()


@in_loop
async def test_a_match_whose_creator_disconnected_can_be_resumed() -> None:
    harness = RunnerHarness()
    harness.log.after.clear()
    opening = asyncio.create_task(open_match(match_setup(), NIM, harness.dependencies))
    await settle()
    opening.cancel()
    await settle()
    harness.log.after.set()
    runner = await harness.resume_match()
    assert runner.match.phase is MatchPhase.WAITING
    await runner.close()


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
async def test_a_failing_observer_stops_no_match_and_is_reported() -> None:
    harness = RunnerHarness()
    harness.observer = FailingObserver()
    runner = await harness.start_match(match_setup())
    await submit_move(runner, 0, "1")
    assert await harness.log_agrees_with(runner)
    assert {str(fault) for fault in harness.observer.faults} == {"announce", "delays"}
    await harness.time.advance(11 * SECOND)
    assert not is_playing(runner)
    await runner.close()
