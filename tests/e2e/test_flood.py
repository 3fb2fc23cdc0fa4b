"""Thousands of attackers during ten honest matches: no honest bot loses time or a match.

All processes share the CPUs of one machine, so limits on time are wide, and only strict for large numbers of moves.
`test_flood_time` shows on every machine that the server credits delays caused by others to the microsecond.
"""

import json
import resource
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from typing import NamedTuple

import grpc
import pytest
from referee_api.v1 import entry_pb2

from referee.live.loop_lag import MIN_LAG_US
from tests.e2e.honest_bots import create_match, entries, run_honest_bots
from tests.e2e.server import ServerProcess, create_organiser_token, register_bots, run_server
from tests.e2e.server_metrics import MEMORY, OPEN_FILES, error_log_lines, metrics, wait_until_at_most
from tests.e2e.test_tls import Certificate

pytestmark = [
    pytest.mark.slow,
    pytest.mark.parametrize("flood", [(300, 3), pytest.param((10_000, 20), marks=pytest.mark.soak)], indirect=True),
]

FLOOD_TIMEOUT_S = 300
OTHER_FILES = 1_000
"""Open files that are needed for other purposes."""

LANES = 10
"""Matches at once; in each lane one match is played after the other."""
THINK_MS = 20

CREDIT_US = 100_000
"""Maximum network credit per move. As a rule a move may lose no more than this."""
ENOUGH_MOVES = 5_000
"""Number of moves from which the distribution is checked. With fewer, one busy second would distort it."""
WITHIN_CREDIT = 0.98
"""Minimum share of moves that lose no more than CREDIT_US although all processes share the CPUs of one machine."""
MAX_LOST_US = 3_000_000
"""Maximum loss of a seat in a whole match."""

MAX_KEPT_BYTES = 300_000_000
"""Memory that the process may keep after the flood."""
MAX_KEPT_FILES = 10

Connect = Callable[[], grpc.Channel]
Matches = dict[str, list[entry_pb2.Entry]]


class Flood(NamedTuple):
    connections: int
    seconds: int


@pytest.fixture
def flood(request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]) -> Iterator[Flood]:
    """Use as many connections as the limit of open files allows: each needs a file at both ends."""
    connections, seconds = request.param
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    max_files = connections + OTHER_FILES if hard == resource.RLIM_INFINITY else hard
    resource.setrlimit(resource.RLIMIT_NOFILE, (max_files, hard))
    allowed = min(connections, max_files - OTHER_FILES)
    with capsys.disabled():
        print(f"\n{allowed} connections, because {max_files} files may be open")  # noqa: T201  # Depends on the machine.
    yield Flood(allowed, seconds)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("port", ["grpc", "tls", "http"])
def test_a_flood_of_a_port_costs_honest_bots_no_match_and_no_time(tmp_path: Path, flood: Flood, port: str) -> None:
    certificate = Certificate("referee") if port == "tls" else None
    trusted = grpc.ssl_channel_credentials(certificate.cert) if certificate else None
    with run_server(tmp_path, *(certificate.write_files(tmp_path) if certificate else ())) as server:
        bots_flags = ("--ca", str(tmp_path / "cert.pem")) if certificate else ()
        flooded_address = server.http if port == "http" else server.address
        connect = partial(unshared_channel, server.address, trusted)
        play_during_flood(server, flooded_address, flood, tmp_path, connect, *bots_flags)


def unshared_channel(address: str, trusted: grpc.ChannelCredentials | None = None) -> grpc.Channel:
    """Open a connection that is not shared, so that each caller makes a new connection to the port.

    A flooded door may close it before its first call; then another one is made, as by every client of ours.
    """
    waiting = json.dumps({"methodConfig": [{"name": [{}], "waitForReady": True}]})
    options = [("grpc.use_local_subchannel_pool", 1), ("grpc.service_config", waiting)]
    if trusted:
        return grpc.secure_channel(address, trusted, options=options)
    return grpc.insecure_channel(address, options=options)


def play_during_flood(
    server: ServerProcess, flooded_address: str, flood: Flood, folder: Path, connect: Connect, *bots_flags: str
) -> None:
    names = [f"honest-{number}" for number in range(2 * LANES)]
    with connect() as channel:
        owner = create_organiser_token(channel, server.admin_token)
        secrets = register_bots(channel, owner, *names)
        before = metrics(server)
        with run_honest_bots(server, folder, secrets, "--think-ms", str(THINK_MS), *bots_flags) as honest:
            matches = matches_during_flood(flooded_address, flood, connect, owner, names)
            assert not honest.failure()
            thinking_times_us = honest.thinking_times_us()
    assert all(log[-1].play_ended.result.HasField("played") for log in matches.values())
    assert_no_time_lost(matches, thinking_times_us)
    assert not list(error_log_lines(server))
    wait_until_at_most(server, MEMORY, before[MEMORY] + MAX_KEPT_BYTES)
    wait_until_at_most(server, OPEN_FILES, before[OPEN_FILES] + MAX_KEPT_FILES)


def matches_during_flood(flooded_address: str, flood: Flood, connect: Connect, owner: str, names: list[str]) -> Matches:
    """Return the entries of the matches that were played during the flood."""
    over = threading.Event()

    def play_lane(lane: int) -> Matches:
        played: Matches = {}
        for number in count():
            with connect() as channel:
                pair = names[2 * lane : 2 * lane + 2]
                match_id = create_match(channel, owner, f"match {number} of lane {lane}", "alquerque", pair)
                played[match_id] = entries(channel, owner, match_id)
            if over.is_set():
                break
        return played

    command = [sys.executable, "-m", "tests.e2e.flood", flooded_address, "--seconds", str(flood.seconds)]
    with ThreadPoolExecutor(LANES) as pool:
        lanes = [pool.submit(play_lane, lane) for lane in range(LANES)]
        try:
            subprocess.run(
                [*command, "--connections", str(flood.connections)],
                check=True,
                stdout=subprocess.DEVNULL,
                timeout=FLOOD_TIMEOUT_S,
            )
        finally:
            over.set()
    return {match_id: log for lane in lanes for match_id, log in lane.result().items()}


def assert_no_time_lost(matches: Matches, thinking_times_us: dict[tuple[str, int, int], int]) -> None:
    """Assert that clock charges match thinking times: by median, and with enough moves also by distribution."""
    lost_us: dict[tuple[str, int], list[int]] = {}
    """By match and seat, by how much the charge of each move exceeds its bot's thinking time."""
    for match_id, log in matches.items():
        for played in (entry.move_played for entry in log if entry.HasField("move_played")):
            seat, ply = played.played.seat, played.state.ply - 1
            thought_us = thinking_times_us[match_id, seat, ply]
            lost_us.setdefault((match_id, seat), []).append(played.clock_charge.charged_us - thought_us)
    moves = [us for seat in lost_us.values() for us in seat]
    assert median(moves) <= CREDIT_US
    if len(moves) < ENOUGH_MOVES:
        return
    assert median(moves) <= MIN_LAG_US
    within = sum(us <= CREDIT_US for us in moves) / len(moves)
    assert within >= WITHIN_CREDIT, sorted(moves)[-50:]
    assert max(sum(max(us, 0) for us in seat) for seat in lost_us.values()) <= MAX_LOST_US
