"""The real server is stopped by SIGSTOP during a turn: no bot loses time.

The length of the freeze is the fault under test. The result is read from the clock charge of the move, which must not
exceed what the bot's own watch measured outside of the freeze.
"""

import time
from pathlib import Path

import pytest
from referee_api.v1 import clock_pb2, play_pb2, result_pb2

from tests.e2e.club import Club, club_alone
from tests.e2e.stopwatch import GRAIN_US, Stopwatch

pytestmark = pytest.mark.slow

HALF_A_SECOND = 0.5


def per_move(move_ms: int) -> clock_pb2.ClockRule:
    return clock_pb2.ClockRule(per_move=clock_pb2.PerMove(move_ms=move_ms))


def answer(here: Club, turn: play_pb2.Turn) -> None:
    here.connection(turn.seat).send(
        move=play_pb2.Move(match_id=turn.match_id, turn_token=turn.turn_token, move=turn.legal_moves[0])
    )


def accepted_row(here: Club, seat: int = 0) -> clock_pb2.ClockCharge:
    verdict = here.connection(seat).receive("verdict")
    assert verdict.HasField("accepted")
    row: clock_pb2.ClockCharge = verdict.clock_charge
    return row


def test_a_bot_that_thinks_while_the_referee_stands_still_pays_for_the_rest_of_its_time_alone(tmp_path: Path) -> None:
    with club_alone(tmp_path) as here:
        watch = Stopwatch()
        here.playing()
        turn = here.turn()
        with watch.freezing(here.server):
            time.sleep(HALF_A_SECOND)
        answer(here, turn)
        row = accepted_row(here)
        watch.need_no_more_charged(row)
        assert row.stall_us >= watch.held_us - GRAIN_US


def test_an_answer_that_comes_while_the_referee_stands_still_waits_for_free(tmp_path: Path) -> None:
    with club_alone(tmp_path) as here:
        watch = Stopwatch()
        here.playing()
        turn = here.turn()
        with watch.freezing(here.server):
            answer(here, turn)
            time.sleep(HALF_A_SECOND)
        row = accepted_row(here)
        watch.need_no_more_charged(row)
        assert row.stall_us >= watch.held_us - GRAIN_US


def test_who_is_asked_after_the_freeze_does_not_pay_for_it(tmp_path: Path) -> None:
    with club_alone(tmp_path) as here:
        watch = Stopwatch()
        here.playing()
        turn = here.turn()
        with watch.freezing(here.server):
            answer(here, turn)
            time.sleep(HALF_A_SECOND)
        answer(here, here.turn(1))
        watch.need_no_more_charged(accepted_row(here, 1))


def test_a_flag_that_would_have_fallen_while_the_referee_stands_still_does_not_fall(tmp_path: Path) -> None:
    with club_alone(tmp_path) as here:
        watch = Stopwatch()
        here.playing(rule=per_move(6_000))
        turn = here.turn()
        with watch.freezing(here.server):
            time.sleep(7)
        answer(here, turn)
        row = accepted_row(here)
        assert not row.late
        assert row.arrived_us - row.asked_us > 6_000_000


def test_after_a_freeze_a_flag_falls_as_much_later_as_the_freeze_was_long(tmp_path: Path) -> None:
    with club_alone(tmp_path) as here:
        watch = Stopwatch()
        here.playing(rule=per_move(4_000))
        turn = here.turn()
        with watch.freezing(here.server):
            time.sleep(1.5)
        ended = here.connection(0).receive("match_ended")
        assert ended.result.forfeited.forfeits[0].cause == result_pb2.FORFEIT_CAUSE_TIME
        answer(here, turn)
        row = here.connection(0).receive("verdict").clock_charge
        assert row.late
        assert row.stall_us >= watch.held_us - GRAIN_US
        assert row.charged_us > 4_000_000


def test_a_bot_is_not_gone_because_the_referee_did_not_listen(tmp_path: Path) -> None:
    with club_alone(tmp_path, "--ping-every-ms", "100", "--gone-after-ms", "4000") as here:
        here.playing()
        turn = here.turn()
        with Stopwatch().freezing(here.server):
            time.sleep(5)
        answer(here, turn)
        assert set(here.connection(0).receive_until_ping(3)) == {"verdict", "ping"}
