"""What a runner keeps: while the log cannot be written nothing changes, and after a crash the match continues."""

import asyncio
from itertools import pairwise

import pytest

from referee.live.ports import StoreUnavailable
from referee.live.runner import FIRST_RETRY_US, LAST_RETRY_US, MatchRunner
from referee.match.clock import MS, SECOND
from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import Resign, StartPlay, SubmitMove, TakeSeat
from referee.match.events import FlagFell, RefereeRecovered
from referee.match.match_errors import MatchOver
from referee.match.setup import Player
from referee.match.state import MatchPhase
from tests.live.fake_time import settle
from tests.live.runner_harness import RunnerHarness, answer, is_playing, match_setup, submit_move
from tests.third_party_games.third_party_games import FINGERS, NIM


async def check_rejected(runner: MatchRunner, seat: int, move: str) -> None:
    with pytest.raises(StoreUnavailable, match="disk is full"):
        await submit_move(runner, seat, move)


async def test_a_command_is_rejected_without_effect_and_the_match_continues_later(process: RunnerHarness) -> None:
    runner = await process.start_match(match_setup())
    before = runner.match
    process.log.make_unavailable()
    await check_rejected(runner, 0, "1")
    await check_rejected(runner, 0, "1")
    assert runner.match is before
    process.log.make_available()
    await submit_move(runner, 0, "1")
    assert await process.event_kinds() == ["MatchCreated", "PlayStarted", "RefereeRecovered", "MovePlayed"]
    assert await process.log_agrees_with(runner)


async def test_match_time_stops_until_the_log_is_available_and_the_log_records_for_how_long(
    process: RunnerHarness,
) -> None:
    runner = await process.start_match(match_setup())
    await process.time.advance(3 * SECOND)
    process.log.make_unavailable()
    down_from_us = process.time.us
    await check_rejected(runner, 0, "1")
    await process.time.advance(60 * SECOND)
    assert is_playing(runner)
    process.log.make_available()
    await process.time.advance_to_next_alarm()
    resumed = (await process.events())[-1]
    assert isinstance(resumed, RefereeRecovered)
    assert resumed.at_us == 3 * SECOND
    assert resumed.downtime_ms == (process.time.us - down_from_us) // MS >= 60_000
    await process.check_end(runner, after_us=7 * SECOND)
    assert isinstance((await process.events())[3], FlagFell)


async def test_writing_is_retried_with_an_exponential_backoff_up_to_a_limit(process: RunnerHarness) -> None:
    runner = await process.start_match(match_setup())
    process.log.make_unavailable()
    await check_rejected(runner, 0, "1")
    process.log.attempt_times_us = [process.time.us]
    await process.time.advance(60 * SECOND)
    attempt_times = process.log.attempt_times_us
    pauses = [later - earlier for earlier, later in pairwise(attempt_times)]
    assert pauses[:4] == [FIRST_RETRY_US, 2 * FIRST_RETRY_US, 4 * FIRST_RETRY_US, 8 * FIRST_RETRY_US]
    assert pauses[-1] == max(pauses) == LAST_RETRY_US
    process.log.make_available()
    await process.time.advance(LAST_RETRY_US)
    process.log.make_unavailable()
    await check_rejected(runner, 0, "1")
    process.log.attempt_times_us = [process.time.us]
    await process.time.advance(FIRST_RETRY_US)
    assert process.log.attempt_times_us[1:] == [process.time.us], "it begins with the first pause again"


async def test_a_flag_fall_that_could_not_be_written_is_written_later(process: RunnerHarness) -> None:
    runner = await process.start_match(match_setup())
    process.log.make_unavailable()
    await process.time.advance(30 * SECOND)
    assert is_playing(runner)
    process.log.make_available()
    await process.time.advance(LAST_RETRY_US)
    assert await process.event_kinds() == [
        "MatchCreated",
        "PlayStarted",
        "RefereeRecovered",
        "FlagFell",
        "SeatForfeited",
        "PlayEnded",
    ]
    assert runner.match.forfeits[0].seat == 0
    assert await process.log_agrees_with(runner)


async def test_an_answer_is_not_charged_for_waiting_for_a_failed_write(process: RunnerHarness) -> None:
    runner = await process.start_match(match_setup(FINGERS))
    await process.time.advance(SECOND)
    process.log.before.clear()
    answers = [runner.submit(answer(runner, seat, "1")) for seat in (0, 1, 1)]
    await process.time.advance(4 * SECOND)
    process.log.make_unavailable()
    process.log.before.set()
    verdicts = await asyncio.gather(*answers, return_exceptions=True)
    assert [type(verdict) for verdict in verdicts] == [StoreUnavailable] * 3
    process.log.make_available()
    await process.time.advance(FIRST_RETRY_US)
    await asyncio.gather(*(submit_move(runner, seat, "1") for seat in range(3)))
    rows = await process.move_rows()
    assert [row.charged_us for row in rows] == [SECOND, SECOND, 5 * SECOND]


@pytest.mark.parametrize(("seat", "token"), [(1, "1.0.2"), (7, "7.0.1"), (-1, "-1.0.1")])
async def test_an_answer_without_a_turn_earns_no_credit_from_an_outage(
    process: RunnerHarness, seat: int, token: str
) -> None:
    runner = await process.start_match(match_setup(FINGERS))
    process.log.before.clear()
    first = runner.submit(answer(runner, 0, "1"))
    stale = runner.submit(SubmitMove(seat, token, "1", TurnMeasurement(runner.match_now())))
    await process.time.advance(4 * SECOND)
    process.log.make_unavailable()
    process.log.before.set()
    assert [type(verdict) for verdict in await asyncio.gather(first, stale, return_exceptions=True)] == [
        StoreUnavailable,
        StoreUnavailable,
    ]
    assert runner.measure(seat).stall_us == 0
    assert runner.measure(0).stall_us == 4 * SECOND


async def test_no_match_is_opened_or_resumed_while_the_log_is_unavailable(process: RunnerHarness) -> None:
    process.log.make_unavailable()
    with pytest.raises(StoreUnavailable):
        await process.open_match(match_setup())
    with pytest.raises(StoreUnavailable):
        await process.resume_match()
    assert process.observer.announced == []


async def test_closing_while_the_log_is_unavailable_rejects_queued_commands(process: RunnerHarness) -> None:
    runner = await process.start_match(match_setup())
    process.log.make_unavailable()
    move = runner.submit(answer(runner, 0, "1"))
    await runner.close()
    assert isinstance(move.exception(), StoreUnavailable)
    assert process.time.alarms_us == []


async def test_an_unexpected_exception_of_the_log_is_raised_to_the_caller(process: RunnerHarness) -> None:
    runner = await process.start_match(match_setup())
    process.log.error = ZeroDivisionError("not promised")
    with pytest.raises(ZeroDivisionError):
        await submit_move(runner, 0, "1")
    process.log.make_available()
    await submit_move(runner, 0, "1")
    assert await process.log_agrees_with(runner)


async def test_an_unexpected_exception_without_a_caller_stops_the_runner_and_is_reported(
    process: RunnerHarness,
) -> None:
    await process.start_match(match_setup())
    process.log.error = ZeroDivisionError("not promised")
    await process.time.advance(11 * SECOND)
    await settle()
    assert [type(fault) for fault in process.observer.faults] == [ZeroDivisionError]
    assert process.observer.stopped_matches == ["m1"]
    assert process.time.alarms_us == []


HOUR_MS = 3_600_000


async def restart(harness: RunnerHarness, down_ms: int = HOUR_MS) -> RunnerHarness:
    """Return another process on the same log, `down_ms` later. The first one no longer does anything."""
    await harness.close()
    later = RunnerHarness(shared_with=harness)
    harness.time.wall_offset_ms += down_ms
    return later


async def test_a_resumed_match_has_the_same_turn_and_token_and_is_not_charged_for_the_downtime(
    process: RunnerHarness,
) -> None:
    old_runner = await process.start_match(match_setup())
    await process.time.advance(2 * SECOND)
    await submit_move(old_runner, 0, "1")
    turns = old_runner.match.turns
    new_process = await restart(process)
    runner = await new_process.resume_match()
    assert runner.match.turns == turns
    assert (await new_process.events())[-1] == RefereeRecovered(2 * SECOND, HOUR_MS)
    await new_process.time.advance(3 * SECOND)
    await submit_move(runner, 1, "1")
    assert (await new_process.move_rows())[1].charged_us == 3 * SECOND
    assert await new_process.log_agrees_with(runner)


async def test_no_outage_is_charged_that_the_old_process_recorded_as_match_time(process: RunnerHarness) -> None:
    old_runner = await process.start_match(match_setup())
    process.log.before.clear()
    move = old_runner.submit(answer(old_runner, 0, "1"))
    await process.time.advance(4 * SECOND)
    process.log.make_unavailable()
    process.log.before.set()
    with pytest.raises(StoreUnavailable):
        await move
    process.log.make_available()
    await process.time.advance(FIRST_RETRY_US)
    assert (await process.events())[-1] == RefereeRecovered(4 * SECOND, FIRST_RETRY_US // MS)
    new_process = await restart(process)
    runner = await new_process.resume_match()
    await new_process.time.advance(3 * SECOND)
    await submit_move(runner, 0, "1")
    (row,) = await new_process.move_rows()
    assert (row.stall_us, row.charged_us) == (4 * SECOND, 3 * SECOND)


async def test_resuming_a_match_is_announced(process: RunnerHarness) -> None:
    old_runner = await process.start_match(match_setup())
    new_process = await restart(process)
    runner = await new_process.resume_match()
    assert new_process.observer.announced == [
        (old_runner.match, (await new_process.stored.read("m1"))[2:], runner.match)
    ]


async def test_the_flag_of_a_resumed_match_falls_after_the_time_that_was_left(process: RunnerHarness) -> None:
    await process.start_match(match_setup())
    new_process = await restart(process)
    await new_process.time.advance(500 * SECOND)
    runner = await new_process.resume_match()
    await new_process.check_end(runner, after_us=10 * SECOND)


async def test_a_match_survives_a_restart_after_every_move() -> None:
    harness, moves = RunnerHarness(), 0
    runner = await harness.start_match(match_setup())
    while is_playing(runner):
        await submit_move(runner, moves % 2, "2" if moves < 10 else "1")
        moves += 1
        harness = await restart(harness)
        runner = await harness.resume_match()
    assert moves == 11
    assert (await harness.event_kinds()).count("RefereeRecovered") == 10


async def test_a_match_that_waits_for_bots_still_waits_after_a_restart(process: RunnerHarness) -> None:
    await process.start_match(match_setup(match_id="other"))
    open_seats = match_setup(players=(Player("a"), Player()))
    await process.open_match(open_seats)
    new_process = await restart(process)
    runner = await new_process.resume_match()
    assert runner.match.phase is MatchPhase.WAITING
    await runner.submit(TakeSeat(1, Player("b")))
    await runner.submit(StartPlay())
    assert await new_process.event_kinds() == ["MatchCreated", "RefereeRecovered", "SeatTaken", "PlayStarted"]


async def test_a_finished_match_gets_no_entry_and_keeps_its_verdicts(process: RunnerHarness) -> None:
    old_runner = await process.start_match(match_setup(settings=NIM.settings({"heap": 1})))
    await submit_move(old_runner, 0, "1")
    new_process = await restart(process)
    runner = await new_process.resume_match()
    assert new_process.log.attempt_times_us == []
    assert new_process.observer.announced == []
    again = await runner.submit(answer(runner, 0, "1", token="0.0.1"))
    assert again.events == ()
    assert again.match.verdicts[0]
    with pytest.raises(MatchOver):
        await runner.submit(Resign(0))


async def test_a_wall_clock_that_was_set_back_gives_no_negative_downtime(process: RunnerHarness) -> None:
    await process.start_match(match_setup())
    new_process = await restart(process, down_ms=-HOUR_MS)
    await new_process.resume_match()
    assert (await new_process.events())[-1] == RefereeRecovered(0, 0)
