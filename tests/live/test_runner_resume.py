"""Recovery after a crash: same ply, same turns and tokens, and no clock is charged for the downtime."""

import pytest

from referee.live.create import open_match
from referee.live.ports import LogUnavailable
from referee.live.runner import FIRST_RETRY_US
from referee.match.clock import MS, SECOND
from referee.match.commands import Resign, StartPlay, TakeSeat
from referee.match.events import MovePlayed, RefereeRecovered
from referee.match.match_errors import MatchOver
from referee.match.setup import Player
from referee.match.state import MatchPhase
from tests.live.runner_harness import RunnerHarness, answer, in_loop, is_playing, match_setup, submit_move
from tests.third_party_games.third_party_games import FINGERS, NIM

HOUR_MS = 3_600_000


async def restart(harness: RunnerHarness, down_ms: int = HOUR_MS) -> RunnerHarness:
    """Return another process on the same log, `down_ms` later. The first one no longer does anything."""
    await harness.time.advance(0)
    harness.log.before.clear()
    later = RunnerHarness(shared_with=harness)
    harness.time.wall_offset_ms += down_ms
    return later


@in_loop
async def test_a_resumed_match_has_the_same_turn_and_token_and_is_not_charged_for_the_downtime() -> None:
    old_process = RunnerHarness()
    old_runner = await old_process.start_match(match_setup())
    await old_process.time.advance(2 * SECOND)
    await submit_move(old_runner, 0, "1")
    turns = old_runner.match.turns
    await old_runner.close()
    new_process = await restart(old_process)
    runner = await new_process.resume_match()
    assert runner.match.turns == turns
    assert (await new_process.events())[-1] == RefereeRecovered(2 * SECOND, HOUR_MS)
    await new_process.time.advance(3 * SECOND)
    await submit_move(runner, 1, "1")
    moves = [event for event in await new_process.events() if isinstance(event, MovePlayed)]
    assert moves[1].token == "1.1.1"
    assert moves[1].row
    assert moves[1].row.charged_us == 3 * SECOND
    assert await new_process.log_agrees_with(runner)
    await runner.close()


@in_loop
async def test_no_outage_is_charged_that_the_old_process_recorded_as_match_time() -> None:
    old_process = RunnerHarness()
    old_runner = await old_process.start_match(match_setup())
    old_process.log.before.clear()
    move = old_runner.submit(answer(old_runner, 0, "1"))
    await old_process.time.advance(4 * SECOND)
    old_process.log.make_unavailable()
    old_process.log.before.set()
    with pytest.raises(LogUnavailable):
        await move
    old_process.log.make_available()
    await old_process.time.advance(FIRST_RETRY_US)
    assert (await old_process.events())[-1] == RefereeRecovered(4 * SECOND, FIRST_RETRY_US // MS)
    new_process = await restart(old_process)
    runner = await new_process.resume_match()
    await new_process.time.advance(3 * SECOND)
    await submit_move(runner, 0, "1")
    last = (await new_process.events())[-1]
    assert isinstance(last, MovePlayed)
    assert last.row
    assert (last.row.stall_us, last.row.charged_us) == (4 * SECOND, 3 * SECOND)
    await old_runner.close()
    await runner.close()


@in_loop
async def test_resuming_a_match_is_announced() -> None:
    old_process = RunnerHarness()
    old_runner = await old_process.start_match(match_setup())
    await old_runner.close()
    new_process = await restart(old_process)
    runner = await new_process.resume_match()
    assert new_process.observer.announced == [
        (old_runner.match, (await new_process.stored.read("m1"))[2:], runner.match)
    ]
    await runner.close()


@in_loop
async def test_the_flag_of_a_resumed_match_falls_after_the_time_that_was_left() -> None:
    old_process = RunnerHarness()
    old_runner = await old_process.start_match(match_setup())
    await old_runner.close()
    await old_process.time.advance(500 * SECOND)
    new_process = await restart(old_process)
    runner = await new_process.resume_match()
    await new_process.time.advance(10 * SECOND)
    assert is_playing(runner)
    await new_process.time.advance(1)
    assert not is_playing(runner)
    await runner.close()


@in_loop
async def test_a_sealed_choice_survives_a_restart() -> None:
    old_process = RunnerHarness()
    old_runner = await old_process.start_match(match_setup(FINGERS))
    await submit_move(old_runner, 1, "2")
    await old_runner.close()
    runner = await (await restart(old_process)).resume_match()
    assert [turn.seat for turn in runner.match.owing] == [0, 2]
    again = await runner.submit(answer(runner, 1, "2", token="1.0.1"))
    assert again.events == ()
    await runner.close()


@in_loop
async def test_a_match_survives_a_restart_after_every_move() -> None:
    harness, moves = RunnerHarness(), 0
    runner = await harness.start_match(match_setup())
    while is_playing(runner):
        await submit_move(runner, moves % 2, "2" if moves < 10 else "1")
        moves += 1
        await runner.close()
        harness = await restart(harness)
        runner = await harness.resume_match()
    assert moves == 11
    assert (await harness.event_kinds()).count("RefereeRecovered") == 10
    await runner.close()


@in_loop
async def test_a_match_that_waits_for_bots_still_waits_after_a_restart() -> None:
    old_process = RunnerHarness()
    old_runner = await old_process.start_match(match_setup(match_id="other"))
    await old_runner.close()
    open_seats = match_setup(players=(Player("a"), Player()))
    runner = await open_match(open_seats, NIM, old_process.dependencies)
    await runner.close()
    new_process = await restart(old_process)
    runner = await new_process.resume_match()
    assert runner.match.phase is MatchPhase.WAITING
    await runner.submit(TakeSeat(1, Player("b")))
    await runner.submit(StartPlay())
    assert await new_process.event_kinds() == ["MatchCreated", "RefereeRecovered", "SeatTaken", "PlayStarted"]
    await runner.close()


@in_loop
async def test_a_finished_match_gets_no_entry_and_keeps_its_verdicts() -> None:
    old_process = RunnerHarness()
    old_runner = await old_process.start_match(match_setup(settings=NIM.settings({"heap": 1})))
    await submit_move(old_runner, 0, "1")
    await old_runner.close()
    new_process = await restart(old_process)
    runner = await new_process.resume_match()
    assert new_process.log.attempt_times_us == []
    assert new_process.observer.announced == []
    again = await runner.submit(answer(runner, 0, "1", token="0.0.1"))
    assert again.events == ()
    assert again.match.verdicts[0]
    with pytest.raises(MatchOver):
        await runner.submit(Resign(0))
    await runner.close()


@in_loop
async def test_a_wall_clock_that_was_set_back_gives_no_negative_downtime() -> None:
    old_process = RunnerHarness()
    old_runner = await old_process.start_match(match_setup())
    await old_runner.close()
    new_process = await restart(old_process, down_ms=-HOUR_MS)
    runner = await new_process.resume_match()
    assert (await new_process.events())[-1] == RefereeRecovered(0, 0)
    await runner.close()
