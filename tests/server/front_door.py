"""Servers with a front door, and its process."""

import time
from contextlib import suppress
from pathlib import Path
from select import select

from referee.server.edge_process import PROGRAM
from tests.e2e.server import TIMEOUT_S, ServerProcess
from tests.e2e.server_metrics import POLL_INTERVAL_S

SOURCE = Path(__file__).parents[2] / "deploy" / "edge"
FLAGS = ("--edge", "on")


def door_pid(server: ServerProcess) -> int:
    """Return the process of the door, as soon as it runs."""
    deadline_s = time.monotonic() + TIMEOUT_S
    while time.monotonic() < deadline_s:
        children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
        for pid in children:
            with suppress(FileNotFoundError):
                if Path(f"/proc/{pid}/exe").resolve().name == PROGRAM:
                    return int(pid)
        select([], [], [], POLL_INTERVAL_S)
    raise AssertionError("the front door does not run")
