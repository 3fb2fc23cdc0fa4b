"""Timers of a live match: flags fall at the exact microsecond, and no seat pays for another one."""

import pytest

from referee.live.ports import SeatDelays
from referee.match.clock import MS, SECOND, Clock, PerMove, SuddenDeath, Untimed
from referee.match.clock_charge import NetworkCredit, TurnMeasurement
from referee.match.commands import DisconnectSeat, FallFlag, ReconnectSeat
from referee.match.events import FlagFell, MovePlayed, SeatForfeited
from referee.match.match_errors import ClockExpired
from referee.match.result import Fault
from referee.match.setup import DisconnectPolicy, LatePolicy, Policies
from tests.live.runner_harness import Scene, answer, goes_on, in_loop, played, terms
from tests.strangers_games.strangers_games import FINGERS


async def flag(scene: Scene) -> FlagFell:
    return next(event for event in await scene.events() if isinstance(event, FlagFell))


@in_loop
async def test_a_flag_falls_one_microsecond_after_the_last_in_which_there_was_time() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    await scene.time.passes(10 * SECOND)
    assert goes_on(runner)
    await scene.time.passes(1)
    assert not goes_on(runner)
    row = (await flag(scene)).row
    assert (row.arrived_us, row.charged_us) == (10 * SECOND + 1, 10 * SECOND + 1)
    assert await scene.log_tells_of(runner)
    assert scene.time.alarms_us == []
    await runner.close()


@in_loop
async def test_an_answer_in_the_last_microsecond_is_in_time() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    await scene.time.passes(10 * SECOND)
    await played(runner, 0, "1")
    assert runner.match.clocks[0].left_us == 0
    assert goes_on(runner)
    await runner.close()


@in_loop
async def test_the_clock_that_runs_is_that_of_the_seat_to_move() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    await scene.time.passes(9 * SECOND)
    await played(runner, 0, "1")
    await scene.time.passes(10 * SECOND)
    assert goes_on(runner)
    await scene.time.passes(1)
    assert runner.match.forfeits[0].seat == 1
    await runner.close()


@in_loop
async def test_of_several_seats_that_owe_a_move_each_has_its_own_deadline() -> None:
    scene = Scene()
    controls = tuple(SuddenDeath(seconds * SECOND) for seconds in (5, 3, 9))
    runner = await scene.begun(terms(FINGERS, controls=controls))
    await scene.time.passes(2 * SECOND)
    await played(runner, 1, "1")
    await scene.time.passes(3 * SECOND)
    assert goes_on(runner)
    await scene.time.passes(1)
    assert runner.match.forfeits[0].seat == 0
    await runner.close()


@in_loop
async def test_a_late_answer_before_the_timer_is_told_of_its_row() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    await scene.time.passes(10 * SECOND)
    late = answer(runner, 0, "1", measured=TurnMeasurement(10 * SECOND + 1))
    await runner.submit(late)
    with pytest.raises(ClockExpired):
        await runner.submit(late)
    assert (await flag(scene)).move == "1"
    await scene.time.passes(SECOND)
    assert (await scene.kinds()).count("FlagFell") == 1
    await runner.close()


@in_loop
async def test_network_credit_delays_the_fall() -> None:
    scene = Scene()
    runner = await scene.begun(terms(credit=NetworkCredit(50 * MS, 120 * MS)))
    scene.keeper.delays_of[0] = SeatDelays(network_us=20 * MS)
    await scene.time.passes(10 * SECOND + 50 * MS)
    assert goes_on(runner)
    await scene.time.passes(1)
    row = (await flag(scene)).row
    assert (row.network_us, row.network_credit_us) == (20 * MS, 20 * MS)
    await runner.close()


@in_loop
async def test_an_answer_within_its_credit_is_in_time() -> None:
    scene = Scene()
    runner = await scene.begun(terms(credit=NetworkCredit(50 * MS, 120 * MS)))
    scene.keeper.delays_of[0] = SeatDelays(network_us=20 * MS)
    await scene.time.passes(10 * SECOND + 20 * MS)
    await played(runner, 0, "1")
    assert runner.match.clocks[0].left_us == 0
    assert runner.match.credit_us[0] == 100 * MS
    await runner.close()


@in_loop
async def test_credit_that_is_used_up_delays_nothing() -> None:
    scene = Scene()
    runner = await scene.begun(terms(control=PerMove(SECOND), credit=NetworkCredit(50 * MS, 60 * MS)))
    scene.keeper.delays_of[0] = SeatDelays(network_us=80 * MS)
    await scene.time.passes(SECOND + 50 * MS)
    await played(runner, 0, "1")
    await played(runner, 1, "1")
    await scene.time.passes(SECOND + 10 * MS)
    assert goes_on(runner)
    await scene.time.passes(1)
    assert (await flag(scene)).row.network_credit_us == 10 * MS
    await runner.close()


@in_loop
async def test_a_stall_that_is_measured_later_moves_the_fall_on() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    await scene.time.passes(SECOND)
    scene.keeper.delays_of[0] = SeatDelays(lag_us=2 * SECOND)
    await scene.time.passes(11 * SECOND)
    assert goes_on(runner)
    await scene.time.passes(1)
    row = (await flag(scene)).row
    assert (row.stall_us, row.charged_us) == (2 * SECOND, 10 * SECOND + 1)
    await runner.close()


@in_loop
async def test_a_turn_that_is_withheld_costs_no_time_and_no_flag() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    await scene.time.passes(SECOND)
    runner.withhold(0, "0.0.1")
    await scene.time.passes(60 * SECOND)
    assert goes_on(runner)
    await played(runner, 0, "1")
    (row,) = [event.row for event in await scene.events() if isinstance(event, MovePlayed) and event.row]
    assert (row.stall_us, row.charged_us) == (60 * SECOND, SECOND)
    await scene.time.passes(10 * SECOND + 1)
    assert runner.match.forfeits[0].seat == 1
    await runner.close()


@pytest.mark.parametrize(("seat", "token"), [(0, "0.0.2"), (1, "0.0.1"), (5, "0.0.1")])
@in_loop
async def test_withholding_what_is_no_turn_gives_nothing_back(seat: int, token: str) -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    runner.withhold(seat, token)
    await scene.time.passes(300 * MS)
    assert runner.measure(0).stall_us == 0
    await runner.close()


@in_loop
async def test_what_a_refused_attempt_waited_is_given_back() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    await scene.time.passes(SECOND)
    scene.log.before.clear()
    attempt = runner.submit(answer(runner, 0, "9"))
    await scene.time.passes(4 * SECOND)
    scene.log.before.set()
    await attempt
    await scene.time.passes(SECOND)
    await played(runner, 0, "1")
    rows = [event.row for event in await scene.events() if isinstance(event, MovePlayed)]
    assert [(row.stall_us, row.charged_us) for row in rows if row] == [(4 * SECOND, 2 * SECOND)]
    await played(runner, 1, "1")
    assert runner.measure(0).stall_us == 0, "each turn has its own"
    await runner.close()


@in_loop
async def test_a_slow_write_of_the_turn_before_delays_the_fall() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    scene.log.before.clear()
    move = runner.submit(answer(runner, 0, "1"))
    await scene.time.passes(30 * SECOND)
    scene.log.before.set()
    await move
    await scene.time.passes(10 * SECOND)
    assert goes_on(runner)
    await scene.time.passes(1)
    assert (await flag(scene)).row.stall_us == 30 * SECOND
    await runner.close()


@in_loop
async def test_timers_that_come_too_early_or_too_often_do_no_harm() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    before = runner.match
    for _ in range(3):
        await runner.submit(FallFlag(0, runner.measure(0)))
    assert runner.match is before
    await scene.time.passes(11 * SECOND)
    await runner.submit(FallFlag(0, runner.measure(0)))
    assert (await scene.kinds()).count("FlagFell") == 1
    await runner.close()


@in_loop
async def test_after_a_policys_move_the_next_flag_falls_in_its_turn() -> None:
    scene = Scene()
    runner = await scene.begun(terms(control=PerMove(SECOND), policies=Policies(late=LatePolicy.DEFAULT_MOVE)))
    await scene.time.passes(3 * (SECOND + 1))
    assert str(runner.match.require_position()) == "18 1"
    await scene.time.passes(18 * (SECOND + 1))
    assert not goes_on(runner)
    assert (await scene.kinds()).count("FlagFell") == 21
    assert await scene.log_tells_of(runner)
    await runner.close()


@in_loop
async def test_without_a_clock_nothing_rings() -> None:
    scene = Scene()
    runner = await scene.begun(terms(control=Untimed()))
    assert scene.time.alarms_us == []
    await scene.time.passes(1000 * SECOND)
    assert goes_on(runner)
    await runner.close()


GRACE = Policies(gone=DisconnectPolicy.FORFEIT_AFTER_GRACE, grace_us=2 * SECOND)


@in_loop
async def test_a_bot_that_stays_away_for_its_grace_forfeits_at_its_end() -> None:
    scene = Scene()
    runner = await scene.begun(terms(policies=GRACE))
    await scene.time.passes(SECOND)
    await runner.submit(DisconnectSeat(0))
    await scene.time.passes(2 * SECOND - 1)
    assert goes_on(runner)
    await scene.time.passes(1)
    assert SeatForfeited(3 * SECOND, 0, Fault.GONE) in await scene.events()
    assert scene.time.alarms_us == []
    await runner.close()


@in_loop
async def test_a_bot_that_comes_back_within_its_grace_forfeits_nothing() -> None:
    scene = Scene()
    runner = await scene.begun(terms(policies=GRACE))
    await runner.submit(DisconnectSeat(0))
    await scene.time.passes(2 * SECOND - 1)
    await runner.submit(ReconnectSeat(0))
    await scene.time.passes(5 * SECOND)
    assert goes_on(runner)
    await runner.close()


@in_loop
async def test_grace_begins_when_a_move_is_owed() -> None:
    scene = Scene()
    runner = await scene.begun(terms(policies=GRACE))
    await runner.submit(DisconnectSeat(1))
    await scene.time.passes(5 * SECOND)
    await played(runner, 0, "1")
    await scene.time.passes(2 * SECOND - 1)
    assert goes_on(runner)
    await scene.time.passes(1)
    assert runner.match.forfeits[0].seat == 1
    await runner.close()


@in_loop
async def test_where_the_clock_decides_nobody_forfeits_for_being_away() -> None:
    scene = Scene()
    runner = await scene.begun(terms())
    await runner.submit(DisconnectSeat(0))
    await scene.time.passes(10 * SECOND)
    assert goes_on(runner)
    await scene.time.passes(1)
    assert runner.match.forfeits[0].fault is Fault.TIME
    await runner.close()


@in_loop
async def test_a_flag_and_a_grace_that_end_at_one_moment_end_the_match_once() -> None:
    scene = Scene()
    policies = Policies(gone=DisconnectPolicy.FORFEIT_AFTER_GRACE, grace_us=10 * SECOND + 1)
    runner = await scene.begun(terms(policies=policies))
    await runner.submit(DisconnectSeat(0))
    await scene.time.passes(11 * SECOND)
    assert [forfeit.fault for forfeit in runner.match.forfeits] == [Fault.TIME]
    assert await scene.log_tells_of(runner)
    await runner.close()


class BrokenControl(SuddenDeath):
    """Time control that fails for a clock that has run."""

    def limit_us(self, clock: Clock) -> int:
        if clock.left_us < self.main_us:
            raise ZeroDivisionError("no such limit")
        return super().limit_us(clock)


@in_loop
async def test_a_runner_that_breaks_says_so_and_stops() -> None:
    scene = Scene()
    runner = await scene.begun(terms(control=BrokenControl(10 * SECOND)))
    await scene.time.passes(SECOND)
    await played(runner, 0, "1")
    await played(runner, 1, "1")
    await scene.time.passes(0)
    assert [type(fault) for fault in scene.keeper.faults] == [ZeroDivisionError]
    assert scene.keeper.was_left == ["m1"]
    await runner.close()
