"""Timers of a live match: flags fall at the exact microsecond, and no seat pays for another one."""

import pytest
from referee_values import NetworkCredit, Policies

from referee.live.ports import Lag, SeatDelays
from referee.match.clock import MS, SECOND, Clock, PerMove, SuddenDeath, Untimed
from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import DisconnectSeat, FallFlag, ReconnectSeat
from referee.match.events import FlagFell, MovePlayed, SeatForfeited
from referee.match.match_errors import ClockExpired
from tests.live.runner_harness import RunnerHarness, answer, in_loop, is_playing, match_setup, submit_move
from tests.match.setups import forfeits_after
from tests.third_party_games.third_party_games import FINGERS


async def flag_fall(harness: RunnerHarness) -> FlagFell:
    return next(event for event in await harness.events() if isinstance(event, FlagFell))


@in_loop
async def test_a_flag_falls_one_microsecond_after_the_time_is_used_up() -> None:
    harness = RunnerHarness()
    runner = await harness.start_match(match_setup())
    await harness.time.advance(10 * SECOND)
    assert is_playing(runner)
    await harness.time.advance(1)
    assert not is_playing(runner)
    row = (await flag_fall(harness)).row
    assert (row.arrived_us, row.charged_us) == (10 * SECOND + 1, 10 * SECOND + 1)
    assert await harness.log_agrees_with(runner)
    assert harness.time.alarms_us == []
    await runner.close()


@in_loop
async def test_an_answer_in_the_last_microsecond_is_in_time() -> None:
    harness = RunnerHarness()
    runner = await harness.start_match(match_setup())
    await harness.time.advance(10 * SECOND)
    await submit_move(runner, 0, "1")
    assert runner.match.clocks[0].left_us == 0
    assert is_playing(runner)
    await runner.close()


@in_loop
async def test_only_the_clock_of_the_seat_to_move_runs() -> None:
    harness = RunnerHarness()
    runner = await harness.start_match(match_setup())
    await harness.time.advance(9 * SECOND)
    await submit_move(runner, 0, "1")
    await harness.time.advance(10 * SECOND)
    assert is_playing(runner)
    await harness.time.advance(1)
    assert runner.match.forfeits[0].seat == 1
    await runner.close()


@in_loop
async def test_each_of_several_seats_to_move_has_its_own_deadline() -> None:
    harness = RunnerHarness()
    controls = tuple(SuddenDeath(seconds * SECOND) for seconds in (5, 3, 9))
    runner = await harness.start_match(match_setup(FINGERS, controls=controls))
    await harness.time.advance(2 * SECOND)
    await submit_move(runner, 1, "1")
    await harness.time.advance(3 * SECOND)
    assert is_playing(runner)
    await harness.time.advance(1)
    assert runner.match.forfeits[0].seat == 0
    await runner.close()


@in_loop
async def test_a_late_move_loses_even_before_the_timer_fires() -> None:
    harness = RunnerHarness()
    runner = await harness.start_match(match_setup())
    await harness.time.advance(10 * SECOND)
    late = answer(runner, 0, "1", measured=TurnMeasurement(10 * SECOND + 1))
    await runner.submit(late)
    with pytest.raises(ClockExpired):
        await runner.submit(late)
    assert (await flag_fall(harness)).move == "1"
    await harness.time.advance(SECOND)
    assert (await harness.event_kinds()).count("FlagFell") == 1
    await runner.close()


@in_loop
async def test_network_credit_delays_the_flag_fall() -> None:
    harness = RunnerHarness()
    runner = await harness.start_match(match_setup(credit=NetworkCredit(per_move_ms=50, per_match_ms=120)))
    harness.observer.delays_of[0] = SeatDelays(network_us=20 * MS)
    await harness.time.advance(10 * SECOND + 50 * MS)
    assert is_playing(runner)
    await harness.time.advance(1)
    row = (await flag_fall(harness)).row
    assert (row.network_us, row.network_credit_us) == (20 * MS, 20 * MS)
    await runner.close()


@in_loop
async def test_an_answer_within_its_credit_is_in_time() -> None:
    harness = RunnerHarness()
    runner = await harness.start_match(match_setup(credit=NetworkCredit(per_move_ms=50, per_match_ms=120)))
    harness.observer.delays_of[0] = SeatDelays(network_us=20 * MS)
    await harness.time.advance(10 * SECOND + 20 * MS)
    await submit_move(runner, 0, "1")
    assert runner.match.clocks[0].left_us == 0
    assert runner.match.credit_us[0] == 100 * MS
    await runner.close()


@in_loop
async def test_used_up_credit_does_not_delay_the_flag_fall() -> None:
    harness = RunnerHarness()
    runner = await harness.start_match(
        match_setup(control=PerMove(SECOND), credit=NetworkCredit(per_move_ms=50, per_match_ms=60))
    )
    harness.observer.delays_of[0] = SeatDelays(network_us=80 * MS)
    await harness.time.advance(SECOND + 50 * MS)
    await submit_move(runner, 0, "1")
    await submit_move(runner, 1, "1")
    await harness.time.advance(SECOND + 10 * MS)
    assert is_playing(runner)
    await harness.time.advance(1)
    assert (await flag_fall(harness)).row.network_credit_us == 10 * MS
    await runner.close()


@in_loop
async def test_referee_delay_that_is_measured_later_delays_the_flag_fall() -> None:
    harness = RunnerHarness()
    runner = await harness.start_match(match_setup())
    await harness.time.advance(SECOND)
    harness.observer.delays_of[0] = SeatDelays(lag=Lag(2 * SECOND))
    await harness.time.advance(11 * SECOND)
    assert is_playing(runner)
    await harness.time.advance(1)
    row = (await flag_fall(harness)).row
    assert (row.stall_us, row.charged_us) == (2 * SECOND, 10 * SECOND + 1)
    await runner.close()


@in_loop
async def test_a_turn_that_is_withheld_costs_no_time_and_no_flag() -> None:
    harness = RunnerHarness()
    runner = await harness.start_match(match_setup())
    await harness.time.advance(SECOND)
    runner.withhold(0, "0.0.1")
    await harness.time.advance(60 * SECOND)
    assert is_playing(runner)
    await submit_move(runner, 0, "1")
    (row,) = [event.row for event in await harness.events() if isinstance(event, MovePlayed) and event.row]
    assert (row.stall_us, row.charged_us) == (60 * SECOND, SECOND)
    await harness.time.advance(10 * SECOND + 1)
    assert runner.match.forfeits[0].seat == 1
    await runner.close()


@pytest.mark.parametrize(("seat", "token"), [(0, "0.0.2"), (1, "0.0.1"), (5, "0.0.1")])
@in_loop
async def test_withholding_a_turn_that_does_not_exist_credits_nothing(seat: int, token: str) -> None:
    harness = RunnerHarness()
    runner = await harness.start_match(match_setup())
    runner.withhold(seat, token)
    await harness.time.advance(300 * MS)
    assert runner.measure(0).stall_us == 0
    await runner.close()


@in_loop
async def test_the_wait_of_a_rejected_attempt_is_credited() -> None:
    harness = RunnerHarness()
    runner = await harness.start_match(match_setup())
    await harness.time.advance(SECOND)
    harness.log.before.clear()
    attempt = runner.submit(answer(runner, 0, "9"))
    await harness.time.advance(4 * SECOND)
    harness.log.before.set()
    await attempt
    await harness.time.advance(SECOND)
    await submit_move(runner, 0, "1")
    rows = [event.row for event in await harness.events() if isinstance(event, MovePlayed)]
    assert [(row.stall_us, row.charged_us) for row in rows if row] == [(4 * SECOND, 2 * SECOND)]
    await submit_move(runner, 1, "1")
    assert runner.measure(0).stall_us == 0, "each turn has its own"
    await runner.close()


@in_loop
async def test_a_slow_append_of_the_previous_turn_delays_the_flag_fall() -> None:
    harness = RunnerHarness()
    runner = await harness.start_match(match_setup())
    harness.log.before.clear()
    move = runner.submit(answer(runner, 0, "1"))
    await harness.time.advance(30 * SECOND)
    harness.log.before.set()
    await move
    await harness.time.advance(10 * SECOND)
    assert is_playing(runner)
    await harness.time.advance(1)
    assert (await flag_fall(harness)).row.stall_us == 30 * SECOND
    await runner.close()


@in_loop
async def test_timers_that_fire_too_early_or_too_often_have_no_effect() -> None:
    harness = RunnerHarness()
    runner = await harness.start_match(match_setup())
    before = runner.match
    for _ in range(3):
        await runner.submit(FallFlag(0, runner.measure(0)))
    assert runner.match is before
    await harness.time.advance(11 * SECOND)
    await runner.submit(FallFlag(0, runner.measure(0)))
    assert (await harness.event_kinds()).count("FlagFell") == 1
    await runner.close()


@in_loop
async def test_after_a_move_of_a_policy_the_next_flag_falls_in_time() -> None:
    harness = RunnerHarness()
    runner = await harness.start_match(match_setup(control=PerMove(SECOND), policies=Policies(timeout="default_move")))
    await harness.time.advance(3 * (SECOND + 1))
    assert str(runner.match.require_position()) == "18 1"
    await harness.time.advance(18 * (SECOND + 1))
    assert not is_playing(runner)
    assert (await harness.event_kinds()).count("FlagFell") == 21
    assert await harness.log_agrees_with(runner)
    await runner.close()


@in_loop
async def test_an_untimed_match_has_no_alarm() -> None:
    harness = RunnerHarness()
    runner = await harness.start_match(match_setup(control=Untimed()))
    assert harness.time.alarms_us == []
    await harness.time.advance(1000 * SECOND)
    assert is_playing(runner)
    await runner.close()


GRACE_POLICIES = Policies(disconnect=forfeits_after(2_000))


@in_loop
async def test_a_bot_forfeits_at_the_end_of_its_grace_period() -> None:
    harness = RunnerHarness()
    runner = await harness.start_match(match_setup(policies=GRACE_POLICIES))
    await harness.time.advance(SECOND)
    await runner.submit(DisconnectSeat(0))
    await harness.time.advance(2 * SECOND - 1)
    assert is_playing(runner)
    await harness.time.advance(1)
    assert SeatForfeited(3 * SECOND, 0, "disconnected") in await harness.events()
    assert harness.time.alarms_us == []
    await runner.close()


@in_loop
async def test_a_bot_that_returns_within_its_grace_period_does_not_forfeit() -> None:
    harness = RunnerHarness()
    runner = await harness.start_match(match_setup(policies=GRACE_POLICIES))
    await runner.submit(DisconnectSeat(0))
    await harness.time.advance(2 * SECOND - 1)
    await runner.submit(ReconnectSeat(0))
    await harness.time.advance(5 * SECOND)
    assert is_playing(runner)
    await runner.close()


@in_loop
async def test_the_grace_period_starts_when_the_seat_is_to_move() -> None:
    harness = RunnerHarness()
    runner = await harness.start_match(match_setup(policies=GRACE_POLICIES))
    await runner.submit(DisconnectSeat(1))
    await harness.time.advance(5 * SECOND)
    await submit_move(runner, 0, "1")
    await harness.time.advance(2 * SECOND - 1)
    assert is_playing(runner)
    await harness.time.advance(1)
    assert runner.match.forfeits[0].seat == 1
    await runner.close()


@in_loop
async def test_without_a_grace_policy_an_absent_bot_loses_only_on_time() -> None:
    harness = RunnerHarness()
    runner = await harness.start_match(match_setup())
    await runner.submit(DisconnectSeat(0))
    await harness.time.advance(10 * SECOND)
    assert is_playing(runner)
    await harness.time.advance(1)
    assert runner.match.forfeits[0].cause == "time"
    await runner.close()


@in_loop
async def test_a_flag_fall_and_a_grace_period_at_the_same_time_end_the_match_once() -> None:
    harness = RunnerHarness()
    policies = Policies(disconnect=forfeits_after(10_001))
    runner = await harness.start_match(match_setup(policies=policies))
    await runner.submit(DisconnectSeat(0))
    await harness.time.advance(11 * SECOND)
    assert [forfeit.cause for forfeit in runner.match.forfeits] == ["time"]
    assert await harness.log_agrees_with(runner)
    await runner.close()


@in_loop
async def test_a_runner_that_fails_reports_a_fault_and_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken_limit_us(control: SuddenDeath, clock: Clock) -> int:
        return clock.left_us if clock.left_us == control.main_us else 1 // 0

    monkeypatch.setattr(SuddenDeath, "limit_us", broken_limit_us)
    harness = RunnerHarness()
    runner = await harness.start_match(match_setup())
    await harness.time.advance(SECOND)
    await submit_move(runner, 0, "1")
    await submit_move(runner, 1, "1")
    await harness.time.advance(0)
    assert [type(fault) for fault in harness.observer.faults] == [ZeroDivisionError]
    assert harness.observer.stopped_matches == ["m1"]
    await runner.close()
