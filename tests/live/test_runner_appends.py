"""Append, apply, notify: at no moment is anything announced or applied that the log does not hold."""

import asyncio
from collections.abc import Sequence
from typing import NoReturn

import pytest

from engines.api import Seat
from referee.live.ports import Conflict, Entry, SeatDelays
from referee.live.runner import MatchRunner
from referee.match.clock import SECOND
from referee.match.match_errors import BadSetup
from referee.match.state import Match, MatchPhase
from tests.live.fake_time import settled
from tests.live.runner_harness import NotingKeeper, Scene, answer, goes_on, in_loop, played, terms
from tests.strangers_games.strangers_games import NIM


@in_loop
async def test_until_it_is_written_a_move_is_neither_believed_nor_told() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    scene.log.before.clear()
    heard = list(scene.keeper.heard)
    move = runner.submit(answer(runner, 0, "1"))
    await settled()
    assert runner.match.ply == 0
    assert scene.keeper.heard == heard
    assert not move.done()
    scene.log.before.set()
    assert (await move).match is runner.match
    assert runner.match.ply == 1
    assert await scene.log_tells_of(runner)
    await runner.close()


@in_loop
async def test_an_announcement_says_how_the_match_was_and_is() -> None:
    scene = Scene()
    runner = await MatchRunner.open(terms(), NIM, scene.desk)
    opened = runner.match
    assert scene.keeper.announced == [(None, await scene.log.read("m1"), opened)]
    await runner.close()


@pytest.mark.parametrize("where", ["in line", "before it is written", "after it is written"])
@in_loop
async def test_who_hangs_up_never_leaves_a_match_behind_its_log(where: str) -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    gate = scene.log.after if where == "after it is written" else scene.log.before
    gate.clear()
    caller = asyncio.create_task(played(runner, 0, "1"))
    if where != "in line":
        await settled()
    else:
        await asyncio.sleep(0)
    caller.cancel()
    following = runner.submit(answer(runner, 1, "3", token="1.1.1"))
    await settled()
    assert caller.cancelled()
    gate.set()
    assert (await following).match.ply == 2
    assert runner.match.ply == 2
    assert await scene.log_tells_of(runner)
    await runner.close()


@in_loop
async def test_who_hangs_up_on_a_refusal_is_not_missed() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    runner.submit(answer(runner, 0, "1", token="old")).cancel()
    await played(runner, 0, "1")
    assert await scene.log_tells_of(runner)
    await runner.close()


@in_loop
async def test_a_crash_between_writing_and_believing_loses_nothing() -> None:
    crashing = Scene()
    dead = await crashing.begun(terms())
    crashing.log.after.clear()
    move = dead.submit(answer(dead, 0, "2"))
    await settled()
    assert not move.done()
    assert dead.match.ply == 0
    scene = Scene(beside=crashing)
    runner = await scene.resumed()
    assert str(runner.match.require_position()) == "19 1"
    assert await scene.log_tells_of(runner)
    again = await runner.submit(answer(runner, 0, "2", token="0.0.1"))
    assert again.events == (), "the answer has its verdict"
    await runner.close()
    crashing.log.after.set()
    await dead.close()


@in_loop
async def test_terms_that_cannot_be_are_refused_before_anything_is_written() -> None:
    scene = Scene()
    with pytest.raises(BadSetup):
        await MatchRunner.open(terms(seed=b"short"), NIM, scene.desk)
    assert scene.log.tried_us == []


@in_loop
async def test_an_id_that_is_taken_is_a_conflict() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    with pytest.raises(Conflict):
        await MatchRunner.open(terms(), NIM, scene.desk)
    await runner.close()


@in_loop
async def test_a_match_whose_maker_hung_up_can_be_resumed() -> None:
    scene = Scene()
    scene.log.after.clear()
    opening = asyncio.create_task(MatchRunner.open(terms(), NIM, scene.desk))
    await settled()
    opening.cancel()
    await settled()
    scene.log.after.set()
    runner = await scene.resumed()
    assert runner.match.phase is MatchPhase.WAITING
    await runner.close()


class FailingKeeper(NotingKeeper):
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
async def test_observers_that_fail_stop_no_match_and_are_reported() -> None:
    scene = Scene()
    scene.keeper = FailingKeeper()
    runner = await scene.begun(terms())
    await played(runner, 0, "1")
    assert await scene.log_tells_of(runner)
    assert {str(fault) for fault in scene.keeper.faults} == {"announce", "delays"}
    await scene.time.passes(11 * SECOND)
    assert not goes_on(runner)
    await runner.close()
