"""Front doors on other machines: bots play through them, and what happens to a door costs nobody a match or time."""

import random
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import grpc
import pytest

from tests.e2e.bot_connection import connect_bot
from tests.e2e.call_errors import assert_refused
from tests.e2e.honest_bots import entries
from tests.e2e.organiser import call_method, new_organiser
from tests.e2e.reconnecting_bots import BotThreads, Observations, ReconnectingBot
from tests.e2e.server import EDGE, TIMEOUT_S, ServerProcess
from tests.e2e.server_metrics import error_log_lines
from tests.e2e.test_crash import create_matches, fetch_record, parse_events, played_moves
from tests.e2e.test_freeze import send_answer
from tests.e2e.test_tls import Certificate
from tests.server.remote_doors import NORTH, SERVER, SOUTH, DoorProcess, run_door, server_for_doors, wait_for_doors
from tests.server.test_edge_process import BOTS, MOVES_BETWEEN_KILLS

pytestmark = [pytest.mark.slow, pytest.mark.toolchain, pytest.mark.usefixtures("front_door")]

OWN = {"own": 1} if EDGE == "on" else {}


@contextmanager
def two_doors(folder: Path) -> Iterator[tuple[ServerProcess, DoorProcess, DoorProcess]]:
    with (
        server_for_doors(folder) as (server, port),
        run_door(folder / "north", port, NORTH) as north,
        run_door(folder / "south", port, SOUTH) as south,
    ):
        wait_for_doors(server, north=1, south=1, **OWN)
        yield server, north, south


@pytest.mark.parametrize("edge", ["off", "on"])
def test_a_match_is_played_through_a_door_on_another_machine(tmp_path: Path, edge: str) -> None:
    own = {"own": 1} if edge == "on" else {}
    with server_for_doors(tmp_path, "--edge", edge) as (server, port), run_door(tmp_path / "door", port, NORTH) as door:
        wait_for_doors(server, north=1, **own)
        with door.channel() as channel, new_organiser(server, channel) as organiser:
            assert_refused("UNKNOWN_GAME", organiser.call, "GameService/GetGame", name="chess-of-mars")
            match_id = organiser.start_match()
            turn = organiser.next_turn()
            send_answer(organiser, turn)
            assert organiser.connection(0).receive("verdict").HasField("accepted")
            assert organiser.next_turn(1).ply == 1
            organiser.connection(1).send(resignation={"match_id": match_id})
            assert organiser.connection(0).receive("match_ended").match_id == match_id
        door.process.send_signal(signal.SIGTERM)
        assert door.process.wait(TIMEOUT_S) == 0
        wait_for_doors(server, north=0, **own)
        assert not list(error_log_lines(server))


def test_bots_of_two_doors_and_of_the_server_itself_play_each_other(tmp_path: Path) -> None:
    with two_doors(tmp_path) as (server, north, south), ExitStack() as stack:
        channels = [north.channel(), south.channel(), direct(server)]
        for channel in channels:
            stack.enter_context(channel)
        organiser = stack.enter_context(new_organiser(server, channels[2], seats=3))
        for seating in ((0, 1), (1, 2), (2, 0)):
            bots = [stack.enter_context(connect_bot(channels[seat], organiser.secrets[seat])) for seat in seating]
            match_id = organiser.create_match(seating=seating)
            turn = bots[0].receive("turn")
            bots[0].send(move={"match_id": match_id, "turn_token": turn.turn_token, "move": turn.legal_moves[0]})
            assert bots[1].receive("turn").ply == 1
            bots[1].send(resignation={"match_id": match_id})
            assert bots[0].receive("match_ended").match_id == match_id


def direct(server: ServerProcess) -> grpc.Channel:
    return grpc.secure_channel(server.address, grpc.ssl_channel_credentials(SERVER.cert))


@pytest.mark.parametrize(("own", "trusted"), [(Certificate("north"), SERVER), (NORTH, Certificate("server"))])
def test_a_door_refuses_calls_while_it_and_its_server_do_not_trust_each_other(
    tmp_path: Path, own: Certificate, trusted: Certificate
) -> None:
    with (
        server_for_doors(tmp_path) as (server, port),
        run_door(tmp_path / "false", port, own, trusted) as false,
        run_door(tmp_path / "south", port, SOUTH),
        false.channel() as channel,
    ):
        with pytest.raises(grpc.RpcError) as refused:
            call_method(channel, "GameService/ListGames", server.admin_token)
        assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
        wait_for_doors(server, south=1, **OWN)
        assert not list(error_log_lines(server))


@pytest.mark.parametrize("kills", [3, pytest.param(50, marks=pytest.mark.soak)])
def test_bots_of_a_door_that_is_killed_under_load_go_on_through_another_one(tmp_path: Path, kills: int) -> None:
    observations, rng = Observations(), random.Random(0)
    with ExitStack() as stack:
        server, port = stack.enter_context(server_for_doors(tmp_path))
        spare = stack.enter_context(run_door(tmp_path / "0", port, NORTH))
        wait_for_doors(server, north=1, **OWN)
        channel = stack.enter_context(direct(server))
        organiser = stack.enter_context(new_organiser(server, channel, seats=BOTS))
        matches = create_matches(organiser, rng, 1 + kills // 10)
        bots = [ReconnectingBot(secret, observations) for secret in organiser.secrets]
        for number in range(1, 1 + kills):
            door, spare = spare, stack.enter_context(run_door(tmp_path / str(number), port, NORTH))
            wait_for_doors(server, north=2, **OWN)
            bot_threads = BotThreads(bots, door.address)
            observations.wait_for_moves(rng.randint(*MOVES_BETWEEN_KILLS))
            door.process.kill()
            bot_threads.stop()
            wait_for_doors(server, north=1, **OWN)
        bot_threads = BotThreads(bots, spare.address)
        for match_id in matches:
            entries(channel, organiser.token, match_id)
        bot_threads.stop()
        events = {match_id: parse_events(fetch_record(channel, organiser.token, match_id)) for match_id in matches}
        assert not list(error_log_lines(server))
    assert not observations.rejections
    assert observations.accepted.items() <= played_moves(events).items()
    assert {of_match[-1]["result"]["kind"] for of_match in events.values()} == {"played"}


@pytest.mark.parametrize("stop", [False, True])
def test_a_match_goes_on_through_the_same_door_after_a_restart_of_the_server(tmp_path: Path, stop: bool) -> None:
    with ExitStack() as stack:
        server, port = stack.enter_context(server_for_doors(tmp_path, "--drain-grace-s", "0"))
        door = stack.enter_context(run_door(tmp_path / "door", port, NORTH))
        wait_for_doors(server, north=1, **OWN)
        organiser = stack.enter_context(new_organiser(server, stack.enter_context(door.channel())))
        organiser.start_match()
        turn = organiser.next_turn()
        if stop:
            assert server.stop() == 0
        else:
            server.kill()
        with pytest.raises(grpc.RpcError) as ended:
            organiser.connection(0).read_to_end()
        assert ended.value.code() is grpc.StatusCode.UNAVAILABLE
        assert ("cannot be reached" in str(ended.value)) is not stop  # The server itself has told why.
        restarted, _ = stack.enter_context(server_for_doors(tmp_path, port=port))
        wait_for_doors(restarted, north=1, **OWN)
        organiser.move_to(restarted, stack.enter_context(door.channel()))
        for seat in (1, 0):
            organiser.connection(seat)
        again = organiser.next_turn()
        assert (again.match_id, again.turn_token) == (turn.match_id, turn.turn_token)
        send_answer(organiser, again)
        assert organiser.connection(0).receive("verdict").HasField("accepted")


def test_a_door_that_strangers_reach_needs_a_certificate(front_door: Path) -> None:
    ended = subprocess.run([front_door, "-listen=0.0.0.0:0", "-server=127.0.0.1:1"], capture_output=True, check=False)
    assert ended.returncode == 1
    assert b"-tls-cert is required" in ended.stderr
