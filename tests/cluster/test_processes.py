"""One command runs several nodes at one address, starts them again when they fail, and leaves none behind."""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from referee_api.v1 import admin_service_pb2
from referee_api.v1.admin_service_pb2_grpc import AdminServiceStub

from deploy.cluster_demo.nats_server import PrivateNats
from tests.cluster.bus.nats import new_cluster
from tests.cluster.cluster import run_cluster
from tests.e2e.server import TIMEOUT_S, ServerProcess, bearer, run_server

pytestmark = pytest.mark.slow

PROCESSES = 3
POLL_INTERVAL_S = 0.2
SESSIONS = "\nreferee_sessions "


@pytest.fixture
def services(postgres_node_url: str, nats: PrivateNats) -> Sequence[str]:
    return (
        *("--database", postgres_node_url),
        *("--nats", nats.url, "--nats-credentials", str(nats.credentials_file), "--nats-cluster", new_cluster()),
    )


@pytest.fixture
def flags(services: Sequence[str]) -> Sequence[str]:
    return (*services, "--processes", str(PROCESSES), "--drain-grace-s", "0")


def node_pids(server: ServerProcess) -> list[int]:
    """Return the processes of the nodes, the first one first."""
    parent = server.process.pid
    return sorted(map(int, Path(f"/proc/{parent}/task/{parent}/children").read_text().split()))


def open_sessions(server: ServerProcess) -> list[int]:
    """Return how many bots are connected to each node."""
    pages = [urllib.request.urlopen(f"http://{http}/metrics", timeout=TIMEOUT_S) for http in server.http]
    return [int(float(page.read().decode().partition(SESSIONS)[2].split()[0])) for page in pages]


def wait_until(fulfilled: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + TIMEOUT_S
    while not fulfilled():
        assert time.monotonic() < deadline_s
        threading.Event().wait(POLL_INTERVAL_S)


def assert_ends(process_files: Sequence[int]) -> None:
    """Wait until all of these processes, given by their pidfds, have ended. Those that have not are killed."""
    for file in process_files:
        poll = select.poll()
        poll.register(file, select.POLLIN)
        ended = poll.poll(TIMEOUT_S * 1000)
        if not ended:
            signal.pidfd_send_signal(file, signal.SIGKILL)
        os.close(file)
        assert ended


def run_command(folder: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    """Run a command `referee serve` that is expected to fail."""
    command = [sys.executable, "-m", "referee", "serve", "--data-dir", str(folder / "other"), *flags]
    return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)


def test_bots_at_one_address_play_on_several_processes_although_one_of_them_is_killed(
    tmp_path: Path, flags: Sequence[str]
) -> None:
    with run_cluster(tmp_path, flags=flags) as cluster:
        server = cluster.nodes[0].server
        first_pids = node_pids(server)
        assert len(first_pids) == PROCESSES
        cluster.wait_for_moves(100)
        assert sum(count > 0 for count in open_sessions(server)) > 1
        os.kill(first_pids[0], signal.SIGKILL)  # The coordinator.
        wait_until(lambda: "node process started again" in server.log.read_text())
        assert set(first_pids[1:]) < set(node_pids(server))
        assert len(open_sessions(server)) == PROCESSES  # At the same addresses.
        cluster.wait_for_ends(8)
        cluster.assert_promises_kept()
        nodes = list(map(os.pidfd_open, node_pids(server)))
        server.process.send_signal(signal.SIGTERM)
        assert server.stop() == 0
        assert_ends(nodes)


def test_the_nodes_end_when_their_command_is_killed(tmp_path: Path, flags: Sequence[str]) -> None:
    with run_server(tmp_path, *flags) as server:
        nodes = list(map(os.pidfd_open, node_pids(server)))
        assert len(nodes) == PROCESSES
        server.kill()
        assert_ends(nodes)
        assert server.log.read_text().count("shutdown complete") == PROCESSES


def test_a_drained_node_ends_all(tmp_path: Path, flags: Sequence[str]) -> None:
    with run_server(tmp_path, *flags) as server, server.channel() as channel:
        AdminServiceStub(channel).Drain(
            admin_service_pb2.DrainRequest(), metadata=bearer(server.admin_token), timeout=TIMEOUT_S
        )
        assert server.process.wait(TIMEOUT_S) == 0


def test_another_command_on_a_port_of_the_first_one_does_not_start(
    tmp_path: Path, services: Sequence[str], flags: Sequence[str]
) -> None:
    with run_server(tmp_path, *flags) as server:
        for other in (services, flags):
            failed = run_command(tmp_path, *other, "--listen", server.address, "--http-listen", "127.0.0.1:0")
            assert failed.returncode == 1
            assert failed.stderr.endswith(f"Error: cannot listen on {server.address}: Address already in use\n")


def open_second_of_two() -> tuple[int, socket.socket]:
    """Return a free port, and a socket at the port after it; no program is given such ports by the system."""
    for port in range(20_000, 30_000):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port, socket.create_server(("127.0.0.1", port + 1))
    raise AssertionError("no two ports are free")


def test_a_node_that_fails_in_its_first_start_ends_all(tmp_path: Path, flags: Sequence[str]) -> None:
    first_port, other_program = open_second_of_two()
    with other_program:
        http = f"127.0.0.1:{first_port}"  # The second node uses the port after it.
        failed = run_command(tmp_path, *flags, "--listen", "127.0.0.1:0", "--http-listen", http)
    assert failed.returncode == 1
    assert failed.stderr.count("Error: ") == 1
    assert "ddress already in use" in failed.stderr
    # The first node has created it, and nobody can create it again.
    assert list(json.loads(failed.stdout)) == ["admin_token"]
