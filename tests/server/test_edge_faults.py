"""The front door is suspended and killed while bots play: nobody loses time, a match or an accepted move."""

import os
import random
import signal
import time
from pathlib import Path

import pytest
from referee_api.v1 import play_pb2

from referee.live.door_lag import BEAT_US, MIN_LATE_US
from referee.match.clock import SECOND
from tests.e2e.honest_bots import entries
from tests.e2e.organiser import new_organiser, server_with_organiser
from tests.e2e.reconnecting_bots import BotThreads, Observations, ReconnectingBot
from tests.e2e.server import run_server
from tests.e2e.server_metrics import error_log_lines
from tests.e2e.stopwatch import RESOLUTION_US, Stopwatch
from tests.e2e.test_crash import create_matches, fetch_record, parse_events, played_moves
from tests.e2e.test_freeze import per_move, receive_charge, send_answer
from tests.server.front_door import FLAGS, door_pid

pytestmark = [pytest.mark.slow, pytest.mark.toolchain, pytest.mark.usefixtures("front_door")]

PAUSE_S = 6
UNNOTICED_US = BEAT_US + MIN_LATE_US + RESOLUTION_US
"""The part of a pause that may go unnoticed."""
BOTS = 4
MOVES_BETWEEN_KILLS = (20, 60)


def test_a_door_that_stands_still_costs_nobody_a_second(tmp_path: Path) -> None:
    with server_with_organiser(tmp_path, *FLAGS) as organiser:
        watch = Stopwatch()
        organiser.start_match(rule=per_move(1_000 * (PAUSE_S - 2)))
        turn = organiser.next_turn()
        door = door_pid(organiser.server)
        os.kill(door, signal.SIGSTOP)
        with watch.paused():
            send_answer(organiser, turn)
            time.sleep(PAUSE_S)
        os.kill(door, signal.SIGCONT)
        charge = receive_charge(organiser)
        assert charge.charged_us <= watch.running_us + UNNOTICED_US
        assert charge.stall_us >= watch.paused_us - UNNOTICED_US


def test_a_flag_falls_later_by_the_time_for_which_the_door_stood_still(tmp_path: Path) -> None:
    with server_with_organiser(tmp_path, *FLAGS) as organiser:
        watch = Stopwatch()
        organiser.start_match(rule=per_move(2_000))
        turn = organiser.next_turn()
        door = door_pid(organiser.server)
        os.kill(door, signal.SIGSTOP)
        with watch.paused():
            time.sleep(PAUSE_S)
        os.kill(door, signal.SIGCONT)
        organiser.connection(0).receive("match_ended")
        send_answer(organiser, turn)
        charge = organiser.connection(0).receive("verdict").clock_charge
        assert charge.late
        assert charge.charged_us > 2 * SECOND
        assert charge.stall_us >= watch.paused_us - UNNOTICED_US


@pytest.mark.parametrize("kills", [3, pytest.param(50, marks=pytest.mark.soak)])
def test_a_door_that_is_killed_under_load_loses_nothing(tmp_path: Path, kills: int) -> None:
    observations, rng = Observations(), random.Random(0)
    with (
        run_server(tmp_path, *FLAGS) as server,
        server.channel() as channel,
        new_organiser(server, channel, seats=BOTS) as organiser,
    ):
        matches = create_matches(organiser, rng, 1 + kills // 10)
        bots = [ReconnectingBot(secret, observations) for secret in organiser.secrets]
        for _ in range(kills):
            bot_threads = BotThreads(bots, server.address)
            observations.wait_for_moves(rng.randint(*MOVES_BETWEEN_KILLS))
            os.kill(door_pid(server), signal.SIGKILL)
            bot_threads.stop()
        bot_threads = BotThreads(bots, server.address)
        for match_id in matches:
            entries(channel, organiser.token, match_id)
        bot_threads.stop()
        events = {match_id: parse_events(fetch_record(channel, organiser.token, match_id)) for match_id in matches}
    assert not observations.rejections
    assert observations.accepted
    assert observations.accepted.items() <= played_moves(events).items()
    assert {of_match[-1]["result"]["kind"] for of_match in events.values()} == {"played"}
    assert [line for line in error_log_lines(server) if "front door" not in line] == []


def test_the_arrival_is_that_at_the_door_and_not_when_the_server_finds_time(tmp_path: Path) -> None:
    with server_with_organiser(tmp_path, *FLAGS) as organiser:
        watch = Stopwatch()
        organiser.start_match()
        turn = organiser.next_turn()
        with watch.freeze(organiser.server):
            send_answer(organiser, turn)
            time.sleep(1)
        verdict = organiser.connection(0).receive("verdict")
        assert isinstance(verdict, play_pb2.Verdict)
        charge = verdict.clock_charge
        assert charge.arrived_us - charge.asked_us <= watch.running_us + watch.paused_us - SECOND // 2
        watch.assert_no_overcharge(charge)
