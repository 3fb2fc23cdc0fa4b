"""Ctrl-C in a session of several workers leaves no server behind, also if a worker has to be killed."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import held_servers
from tests.e2e.server import TIMEOUT_S

WORKERS = 2


@pytest.mark.slow
@pytest.mark.usefixtures("postgres_databases", "nats")  # Without these programs it is skipped, but fails in CI.
def test_no_server_outlives_an_interrupted_session(tmp_path: Path) -> None:
    fifo = tmp_path / "servers"
    os.mkfifo(fifo)
    # A program in the background of a shell script ignores the signal, and so do all that it starts.
    command = ["env", "--default-signal=INT", sys.executable, "-m", "pytest"]
    command += ["-q", "-n", str(WORKERS), "-p", "no:cacheprovider"]
    session = subprocess.Popen(
        [*command, "--basetemp", str(tmp_path / "session"), held_servers.__file__],
        env={**os.environ, held_servers.SERVERS_TO: str(fifo)},
        start_new_session=True,
    )
    servers: list[int] = []
    # Opened for writing as well, so that it does not end between two workers.
    lines = os.open(fifo, os.O_RDWR)
    try:
        written = b""
        while written.count(b"\n") < WORKERS:
            assert is_ready(lines), "the session has started no servers"
            written += os.read(lines, 1000)
        servers += map(os.pidfd_open, map(int, written.split()))
        os.killpg(session.pid, signal.SIGINT)  # As a terminal does.
        session.wait(TIMEOUT_S)
        assert len(servers) == 2 * WORKERS
        assert all(map(is_ready, servers)), "a server has outlived the session"
    finally:
        session.kill()
        session.wait()
        os.close(lines)
        for server in servers:
            if not select.select([server], [], [], 0)[0]:
                signal.pidfd_send_signal(server, signal.SIGKILL)
            os.close(server)


def is_ready(descriptor: int) -> bool:
    """Wait until something can be read, or a process has ended; return whether that happens in time."""
    return bool(select.select([descriptor], [], [], TIMEOUT_S)[0])
