"""The front door: a real server whose bots, and strangers, connect to the Go program in `deploy/edge`, which fails."""

import os
import random
import re
import signal
import socket
import sys
import time
import venv
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from select import select

import pytest
from referee_api.v1 import play_pb2

from referee.live.door_lag import BEAT_US, MIN_LATE_US
from referee.match.clock import SECOND
from referee.observability.metrics import EDGE
from referee.server.edge_process import PROGRAM, find_program
from referee.server.settings import EdgeUse
from referee.server.stores import StartupError
from tests.clients.commands import run_command
from tests.e2e import http2
from tests.e2e.honest_bots import entries
from tests.e2e.organiser import call_method, new_organiser, server_with_organiser
from tests.e2e.reconnecting_bots import BotThreads, Observations, ReconnectingBot
from tests.e2e.server import TIMEOUT_S, ServerProcess, create_organiser_token, register_bots, run_server
from tests.e2e.server_metrics import POLL_INTERVAL_S, error_log_lines, metrics
from tests.e2e.stopwatch import RESOLUTION_US, Stopwatch
from tests.e2e.test_crash import create_matches, fetch_record, parse_events, played_moves
from tests.e2e.test_freeze import per_move, receive_charge, send_answer
from tests.server.front_door import FLAGS, SOURCE, door_pid

pytestmark = [pytest.mark.slow, pytest.mark.toolchain, pytest.mark.usefixtures("front_door")]

MAX_GROWTH_BYTES = 150_000_000
"""Limit of what strangers add to the memory of the door and the server together."""
ADDRESSES = [f"127.0.0.{number}" for number in range(2, 10)]
"""Addresses of strangers."""
MANY = 2_000
"""Connections of strangers."""
FIELDS = 3_000 * b"\0\1x\1v"
"""A header block that is larger in the memory of gRPC than on its way."""
LARGE_FIELDS = 57 * (b"\0\1x\x78" + 120 * b"y")
"""Headers of 7 KB."""


def most_memory_bytes(server: ServerProcess) -> int:
    """Return the most memory that the server and its door have ever used."""
    pids = (server.process.pid, door_pid(server))
    texts = (Path(f"/proc/{pid}/status").read_text() for pid in pids)
    return sum(1024 * int(re.findall(r"VmHWM:\s+(\d+) kB", text)[0]) for text in texts)


def read_metrics(server: ServerProcess) -> dict[str, float]:
    of_door = re.compile(r'referee_edge_(\w+)\{door="own"\}')
    return {found[1]: value for name, value in metrics(server).items() if (found := of_door.fullmatch(name))}


def wait_until(server: ServerProcess, condition: Callable[[dict[str, float]], bool]) -> None:
    """Wait until the metrics of the door fulfil a condition."""
    deadline_s = time.monotonic() + TIMEOUT_S
    while not condition(found := read_metrics(server)):
        assert time.monotonic() < deadline_s, found
        select([], [], [], POLL_INTERVAL_S)


def connect_from(address: str, server: ServerProcess) -> socket.socket:
    host, _, port = server.address.rpartition(":")
    return socket.create_connection((host, int(port)), TIMEOUT_S, (address, 0))


def test_bots_stay_connected_when_a_supervisor_ends_all_processes_at_once_and_the_server_drains(tmp_path: Path) -> None:
    with server_with_organiser(tmp_path, *FLAGS) as organiser:
        match_id = organiser.start_match()
        turn = organiser.next_turn()
        for pid in (door_pid(organiser.server), organiser.server.process.pid):
            os.kill(pid, signal.SIGTERM)
        assert organiser.connection(0).receive("draining")
        organiser.connection(0).send(
            move={"match_id": match_id, "turn_token": turn.turn_token, "move": turn.legal_moves[0]}
        )
        assert organiser.connection(0).receive("verdict").HasField("accepted")
        assert organiser.server.process.wait(TIMEOUT_S) == 0
        assert not list(error_log_lines(organiser.server))


def test_the_page_of_the_server_has_all_metrics_of_the_door(tmp_path: Path) -> None:
    with run_server(tmp_path, "--ephemeral", *FLAGS) as server:
        wait_until(server, lambda found: found.keys() == EDGE.keys())
        found = read_metrics(server)
        assert (found["up"], found["links_total"]) == (1, 1)
        assert found["memory_bytes"] > 0


def test_the_door_ends_with_its_server(tmp_path: Path) -> None:
    token = ""
    for end in (ServerProcess.stop, ServerProcess.kill):
        with run_server(tmp_path, *FLAGS) as server, server.channel() as channel:
            token = token or server.admin_token
            assert call_method(channel, "GameService/ListGames", token)
            descriptor = os.pidfd_open(door_pid(server))
            try:
                end(server)
                assert select([descriptor], [], [], TIMEOUT_S)[0]
            finally:
                os.close(descriptor)


def test_calls_without_a_token_are_limited_for_each_address(tmp_path: Path) -> None:
    limit = ("--max-calls-without-token-per-address", "1", "--max-calls-without-token", "2")
    with run_server(tmp_path, "--ephemeral", *limit, *FLAGS) as server, ExitStack() as stack:
        strangers = [stack.enter_context(connect_from(address, server)) for address in ADDRESSES[:2]]
        for stranger in strangers:
            stranger.sendall(http2.PREFACE + http2.SETTINGS + http2.complete_call(1, http2.HEALTH_PATH))
        wait_until(server, lambda found: found.get("open_calls") == 2)
        for stranger in strangers:
            stranger.sendall(http2.complete_call(3, http2.HEALTH_PATH))
        wait_until(server, lambda found: found["calls_total"] == 4 and found.get("open_calls") == 2)


def test_a_connection_whose_answers_are_not_read_is_closed(tmp_path: Path) -> None:
    """gRPC would keep them as long as the connection."""
    with run_server(tmp_path, "--ephemeral", "--read-timeout-ms", "1000", *FLAGS) as server:
        connection = http2.RawConnection(server.address, http2.NO_WINDOW)
        connection.start_call(http2.CALL_PATH, server.admin_token, b"")
        assert http2.receive_until([connection], lambda: connection.closed, TIMEOUT_S)
        wait_until(server, lambda found: found.get("connections_unread_total") == 1)
        connection.close()


def send_endless_headers(stranger: socket.socket) -> None:
    stranger.sendall(http2.frame(http2.HEADERS, 0, 1, FIELDS))
    for _ in range(100):
        stranger.sendall(http2.frame(http2.CONTINUATION, 0, 1, FIELDS))


def begin_headers(stranger: socket.socket) -> None:
    stranger.sendall(http2.frame(http2.HEADERS, 0, 1, FIELDS))


def send_large_headers(stranger: socket.socket) -> None:
    for stream_id in range(1, 200, 2):
        stranger.sendall(http2.complete_call(stream_id, more=LARGE_FIELDS))


def send_calls(stranger: socket.socket) -> None:
    for stream_id in range(1, 400, 2):
        stranger.sendall(http2.complete_call(stream_id))


def send_nothing(stranger: socket.socket) -> None:
    """Only open a connection."""


@pytest.mark.parametrize(
    ("misbehave", "connections"),
    [
        (send_endless_headers, MANY),
        (begin_headers, MANY),
        (send_large_headers, MANY // 20),
        (send_calls, MANY // 10),
        (send_nothing, 2 * MANY),
    ],
)
def test_strangers_add_little_memory(
    tmp_path: Path, misbehave: Callable[[socket.socket], None], connections: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with run_server(tmp_path, *FLAGS) as server, server.channel() as channel, ExitStack() as stack:
        owner = create_organiser_token(channel, server.admin_token)
        before_bytes = most_memory_bytes(server)
        for number in range(connections):
            stranger = stack.enter_context(connect_from(ADDRESSES[number % len(ADDRESSES)], server))
            with suppress(OSError):  # The door closes connections that misbehave.
                stranger.sendall(http2.PREFACE + http2.SETTINGS)
                misbehave(stranger)
        wait_until(server, lambda found: found["connections_total"] > connections and found.get("open_calls") == 0)
        assert register_bots(channel, owner, "anna")
        grown_bytes = most_memory_bytes(server) - before_bytes
        with capsys.disabled():
            print(f"\n{misbehave.__name__}: {grown_bytes / 1e6:.0f} MB, {read_metrics(server)}")  # noqa: T201  # What is measured.
        assert grown_bytes <= MAX_GROWTH_BYTES
        assert not list(error_log_lines(server))


def test_the_wheel_puts_the_door_beside_python(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    dist, installed = tmp_path / "dist", tmp_path / "installed"
    run_command([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(dist)], SOURCE)
    venv.create(installed, with_pip=True)
    python = installed / "bin" / "python"
    [wheel] = map(str, dist.glob("*.whl"))
    run_command([str(python), "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel], tmp_path)
    monkeypatch.setattr(sys, "executable", str(python))
    program = find_program(EdgeUse.ON)
    assert program == python.with_name(PROGRAM)
    assert run_command([str(program), "-version"], tmp_path).strip() in Path(wheel).name


def test_a_door_that_is_required_must_be_installed(
    monkeypatch: pytest.MonkeyPatch, front_door: Path, tmp_path: Path
) -> None:
    assert find_program(EdgeUse.AUTO) == find_program(EdgeUse.ON) == front_door
    assert find_program(EdgeUse.OFF) is None
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_program(EdgeUse.AUTO) is None
    with pytest.raises(StartupError, match=PROGRAM):
        find_program(EdgeUse.ON)


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
