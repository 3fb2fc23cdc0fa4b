"""Timers of a live match: flags fall at the exact microsecond, and no seat pays for another one."""

import pytest
from referee_values import NetworkCredit, Policies

from referee.live.ports import Lag, SeatDelays
from referee.match.clock import MS, SECOND, Clock, PerMove, SuddenDeath
from referee.match.commands import DisconnectSeat
from referee.match.events import FlagFell, SeatForfeited
from tests.live.runner_harness import RunnerHarness, answer, is_playing, match_setup, submit_move
from tests.match.setups import forfeits_after
from tests.third_party_games.third_party_games import FINGERS


async def flag_fall(harness: RunnerHarness) -> FlagFell:
    return next(event for event in await harness.events() if isinstance(event, FlagFell))


async def test_a_flag_falls_one_microsecond_after_the_time_is_used_up(process: RunnerHarness) -> None:
    runner = await process.start_match(match_setup())
    await process.check_end(runner, after_us=10 * SECOND)
    row = (await flag_fall(process)).row
    assert (row.arrived_us, row.charged_us) == (10 * SECOND + 1, 10 * SECOND + 1)
    assert await process.log_agrees_with(runner)
    assert process.time.alarms_us == []


async def test_each_of_several_seats_to_move_has_its_own_deadline(process: RunnerHarness) -> None:
    controls = tuple(SuddenDeath(seconds * SECOND) for seconds in (5, 3, 9))
    runner = await process.start_match(match_setup(FINGERS, controls=controls))
    await process.time.advance(2 * SECOND)
    await submit_move(runner, 1, "1")
    await process.check_end(runner, after_us=3 * SECOND)
    assert runner.match.forfeits[0].seat == 0


async def test_network_credit_delays_the_flag_fall(process: RunnerHarness) -> None:
    runner = await process.start_match(match_setup(credit=NetworkCredit(per_move_ms=50, per_match_ms=120)))
    process.observer.delays_of[0] = SeatDelays(network_us=20 * MS)
    await process.check_end(runner, after_us=10 * SECOND + 50 * MS)
    row = (await flag_fall(process)).row
    assert (row.network_us, row.network_credit_us) == (20 * MS, 20 * MS)


async def test_referee_delay_that_is_measured_later_delays_the_flag_fall(process: RunnerHarness) -> None:
    runner = await process.start_match(match_setup())
    await process.time.advance(SECOND)
    process.observer.delays_of[0] = SeatDelays(lag=Lag(2 * SECOND))
    await process.check_end(runner, after_us=11 * SECOND)
    row = (await flag_fall(process)).row
    assert (row.stall_us, row.charged_us) == (2 * SECOND, 10 * SECOND + 1)


async def test_a_turn_that_is_withheld_costs_no_time_and_no_flag(process: RunnerHarness) -> None:
    runner = await process.start_match(match_setup())
    await process.time.advance(SECOND)
    runner.withhold(0, "0.0.1")
    await process.time.advance(60 * SECOND)
    assert is_playing(runner)
    await submit_move(runner, 0, "1")
    (row,) = await process.move_rows()
    assert (row.stall_us, row.charged_us) == (60 * SECOND, SECOND)
    await process.time.advance(10 * SECOND + 1)
    assert runner.match.forfeits[0].seat == 1


@pytest.mark.parametrize(("seat", "token"), [(0, "0.0.2"), (1, "0.0.1"), (5, "0.0.1")])
async def test_withholding_a_turn_that_does_not_exist_credits_nothing(
    process: RunnerHarness, seat: int, token: str
) -> None:
    runner = await process.start_match(match_setup())
    runner.withhold(seat, token)
    await process.time.advance(300 * MS)
    assert runner.measure(0).stall_us == 0


async def test_the_wait_of_a_rejected_attempt_is_credited(process: RunnerHarness) -> None:
    runner = await process.start_match(match_setup())
    await process.time.advance(SECOND)
    process.log.before.clear()
    attempt = runner.submit(answer(runner, 0, "9"))
    await process.time.advance(4 * SECOND)
    process.log.before.set()
    await attempt
    await process.time.advance(SECOND)
    await submit_move(runner, 0, "1")
    rows = await process.move_rows()
    assert [(row.stall_us, row.charged_us) for row in rows] == [(4 * SECOND, 2 * SECOND)]
    await submit_move(runner, 1, "1")
    assert runner.measure(0).stall_us == 0, "each turn has its own"


async def test_a_slow_append_of_the_previous_turn_delays_the_flag_fall(process: RunnerHarness) -> None:
    runner = await process.start_match(match_setup())
    process.log.before.clear()
    move = runner.submit(answer(runner, 0, "1"))
    await process.time.advance(30 * SECOND)
    process.log.before.set()
    await move
    await process.check_end(runner, after_us=10 * SECOND)
    assert (await flag_fall(process)).row.stall_us == 30 * SECOND


async def test_after_a_move_of_a_policy_the_next_flag_falls_in_time(process: RunnerHarness) -> None:
    runner = await process.start_match(match_setup(control=PerMove(SECOND), policies=Policies(timeout="default_move")))
    await process.time.advance(3 * (SECOND + 1))
    assert str(runner.match.require_position()) == "18 1"
    await process.time.advance(18 * (SECOND + 1))
    assert not is_playing(runner)
    assert (await process.event_kinds()).count("FlagFell") == 21
    assert await process.log_agrees_with(runner)


GRACE_POLICIES = Policies(disconnect=forfeits_after(2_000))


async def test_a_bot_forfeits_at_the_end_of_its_grace_period(process: RunnerHarness) -> None:
    runner = await process.start_match(match_setup(policies=GRACE_POLICIES))
    await process.time.advance(SECOND)
    await runner.submit(DisconnectSeat(0))
    await process.check_end(runner, after_us=2 * SECOND - 1)
    assert SeatForfeited(3 * SECOND, 0, "disconnected") in await process.events()
    assert process.time.alarms_us == []


async def test_a_grace_period_ends_later_by_the_referee_delay(process: RunnerHarness) -> None:
    """A bot cannot return while the front door is down."""
    runner = await process.start_match(match_setup(policies=GRACE_POLICIES))
    await runner.submit(DisconnectSeat(0))
    await process.time.advance(SECOND)
    process.observer.delays_of[0] = SeatDelays(lag=Lag(SECOND))
    await process.check_end(runner, after_us=2 * SECOND - 1)
    assert SeatForfeited(3 * SECOND, 0, "disconnected") in await process.events()


async def test_a_flag_fall_and_a_grace_period_at_the_same_time_end_the_match_once(process: RunnerHarness) -> None:
    policies = Policies(disconnect=forfeits_after(10_001))
    runner = await process.start_match(match_setup(policies=policies))
    await runner.submit(DisconnectSeat(0))
    await process.time.advance(11 * SECOND)
    assert [forfeit.cause for forfeit in runner.match.forfeits] == ["time"]
    assert await process.log_agrees_with(runner)


async def test_a_runner_that_fails_reports_a_fault_and_stops(
    process: RunnerHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken_limit_us(control: SuddenDeath, clock: Clock) -> int:
        return clock.left_us if clock.left_us == control.main_us else 1 // 0

    monkeypatch.setattr(SuddenDeath, "limit_us", broken_limit_us)
    runner = await process.start_match(match_setup())
    await process.time.advance(SECOND)
    await submit_move(runner, 0, "1")
    await submit_move(runner, 1, "1")
    await process.time.advance(0)
    assert [type(fault) for fault in process.observer.faults] == [ZeroDivisionError]
    assert process.observer.stopped_matches == ["m1"]
