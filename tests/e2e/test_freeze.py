"""The real server is stopped by SIGSTOP during a turn: no bot loses time.

The length of the freeze is the fault under test. The result is read from the clock charge of the move, which must not
exceed what the bot's own watch measured outside of the freeze.
"""

import time
from pathlib import Path

import pytest
from referee_api.v1 import clock_pb2, play_pb2, result_pb2

from tests.e2e.organiser import Organiser, server_with_organiser
from tests.e2e.stopwatch import RESOLUTION_US, Stopwatch

pytestmark = pytest.mark.slow

HALF_A_SECOND = 0.5


def per_move(move_ms: int) -> clock_pb2.ClockRule:
    return clock_pb2.ClockRule(per_move=clock_pb2.PerMove(move_ms=move_ms))


def send_answer(organiser: Organiser, turn: play_pb2.Turn) -> None:
    organiser.connection(turn.seat).send(
        move=play_pb2.Move(match_id=turn.match_id, turn_token=turn.turn_token, move=turn.legal_moves[0])
    )


def receive_charge(organiser: Organiser, seat: int = 0) -> clock_pb2.ClockCharge:
    verdict = organiser.connection(seat).receive("verdict")
    assert verdict.HasField("accepted")
    charge: clock_pb2.ClockCharge = verdict.clock_charge
    return charge


def test_a_freeze_while_a_bot_thinks_is_not_charged(tmp_path: Path) -> None:
    with server_with_organiser(tmp_path) as organiser:
        watch = Stopwatch()
        organiser.start_match()
        turn = organiser.next_turn()
        with watch.freeze(organiser.server):
            time.sleep(HALF_A_SECOND)
        send_answer(organiser, turn)
        charge = receive_charge(organiser)
        watch.assert_no_overcharge(charge)
        assert charge.stall_us >= watch.paused_us - RESOLUTION_US


def test_a_flag_falls_later_by_the_length_of_a_freeze(tmp_path: Path) -> None:
    with server_with_organiser(tmp_path) as organiser:
        watch = Stopwatch()
        organiser.start_match(rule=per_move(4_000))
        turn = organiser.next_turn()
        with watch.freeze(organiser.server):
            time.sleep(1.5)
        ended = organiser.connection(0).receive("match_ended")
        assert ended.result.forfeited.forfeits[0].cause == result_pb2.FORFEIT_CAUSE_TIME
        send_answer(organiser, turn)
        charge = organiser.connection(0).receive("verdict").clock_charge
        assert charge.late
        assert charge.stall_us >= watch.paused_us - RESOLUTION_US
        assert charge.charged_us > 4_000_000


def test_a_freeze_does_not_end_the_session_of_a_bot(tmp_path: Path) -> None:
    with server_with_organiser(tmp_path, "--ping-interval-ms", "100", "--heartbeat-timeout-ms", "4000") as organiser:
        organiser.start_match()
        turn = organiser.next_turn()
        with Stopwatch().freeze(organiser.server):
            time.sleep(5)
        send_answer(organiser, turn)
        assert set(organiser.connection(0).receive_until_ping(3)) == {"verdict", "ping"}
