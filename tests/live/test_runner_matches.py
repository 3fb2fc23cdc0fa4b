"""Whole matches through a runner: its state is the fold of the log, and it announced exactly the entries of the log."""

import asyncio
import random
import tracemalloc

import pytest

from engines.alquerque import GAME as ALQUERQUE
from engines.api import Game
from referee.live.runner import MatchRunner
from referee.match.clock import MS, SECOND, Fischer
from referee.match.commands import Resign, StartPlay
from referee.match.events import MatchCreated, MovePlayed, PlayEnded
from referee.match.match_errors import MatchOver
from referee.match.result import EndKind
from tests.live.runner_harness import GAMES, Scene, answer, goes_on, in_loop, played, terms
from tests.strangers_games.strangers_games import FINGERS, NIM

GAMES["alquerque"] = ALQUERQUE


@pytest.mark.parametrize("game", [NIM, FINGERS, ALQUERQUE], ids=lambda game: game.name)
@in_loop
async def test_a_whole_match_is_its_log_and_was_announced(game: Game) -> None:
    scene, chance = Scene(), random.Random(1)
    runner = await scene.begun(terms(game, control=Fischer(60 * SECOND, SECOND)))
    while goes_on(runner):
        turn = chance.choice(runner.match.owing)
        await scene.time.passes(chance.randrange(5 * MS))
        await played(runner, turn.seat, chance.choice(runner.match.require_position().moves(turn.seat)))
    events = await scene.events()
    assert isinstance(events[0], MatchCreated)
    assert isinstance(events[-1], PlayEnded)
    assert runner.match.result
    assert runner.match.result.kind is EndKind.PLAYED
    assert await scene.log_tells_of(runner)
    assert scene.time.alarms_us == []
    assert scene.keeper.faults == []
    await runner.close()


@in_loop
async def test_each_move_is_charged_what_passed_until_it_arrived() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    thoughts = [700 * MS, 1, 0, 2 * SECOND]
    for ply, thought_us in enumerate(thoughts):
        await scene.time.passes(thought_us)
        await played(runner, ply % 2, "1")
    rows = [event.row for event in await scene.events() if isinstance(event, MovePlayed)]
    assert [row.charged_us for row in rows if row] == thoughts
    assert [clock.left_us for clock in runner.match.clocks] == [9_300_000, 7_999_999]
    await runner.close()


@in_loop
async def test_seats_that_choose_at_once_are_heard_one_after_the_other() -> None:
    scene = Scene()
    runner = await scene.begun(terms(FINGERS))
    for _ in range(3):
        await asyncio.gather(*(played(runner, seat, str(seat + 1)) for seat in range(3)))
    assert not goes_on(runner)
    assert [event.seat for event in await scene.events() if isinstance(event, MovePlayed)] == [0, 1, 2] * 3
    assert await scene.log_tells_of(runner)
    await runner.close()


@in_loop
async def test_two_hundred_matches_do_not_hear_of_each_other() -> None:
    scene = Scene()
    runners = [await MatchRunner.open(terms(match_id=f"m{number}"), NIM, scene.desk) for number in range(200)]
    await asyncio.gather(*(runner.submit(StartPlay()) for runner in runners))
    for ply in range(7):
        await asyncio.gather(*(played(runner, ply % 2, "3") for runner in runners))
    assert {str(runner.match.result) for runner in runners} == {"played, rules (last_taken), ranks 1 2"}
    assert {runner.match.number for runner in runners} == {10}
    await asyncio.gather(*(runner.close() for runner in runners))


@in_loop
async def test_a_match_that_is_over_has_its_verdicts_for_who_asks_again() -> None:
    scene = Scene()
    runner = await scene.begun(terms(settings=NIM.settings({"heap": 1})))
    last = answer(runner, 0, "1")
    first = await runner.submit(last)
    again = await runner.submit(last)
    assert again.events == ()
    with pytest.raises(MatchOver):
        await runner.submit(Resign(1))
    assert again.match.verdicts[0] == first.events[0]
    await runner.close()


@pytest.mark.slow
@pytest.mark.parametrize("matches", [1_000, pytest.param(10_000, marks=pytest.mark.soak)])
@in_loop
async def test_many_matches_in_one_process_stay_small(matches: int) -> None:
    scene = Scene()
    tracemalloc.start()
    runners = [await scene.begun(terms(match_id=f"m{number}")) for number in range(matches)]
    bytes_a_match = tracemalloc.get_traced_memory()[0] / len(runners)
    tracemalloc.stop()
    assert bytes_a_match < 16_384, "runner, match, and its entries in the memory log"
    assert len(scene.time.alarms_us) == len(runners), "one alarm a match"
    await asyncio.gather(*(runner.close() for runner in runners))
