"""Metrics and log of a server, read from outside."""

import json
import threading
import time
import urllib.request
from collections.abc import Iterator

from tests.e2e.server import TIMEOUT_S, ServerProcess

POLL_INTERVAL_S = 0.2

MEMORY = "process_resident_memory_bytes"
OPEN_FILES = "process_open_fds"
FAULTS = 'referee_refusals_total{reason="REFEREE_FAULT"}'
ENGINE_FAULTS = 'referee_refusals_total{reason="ENGINE_FAULT"}'
MATCH_FAULTS = "referee_faults_total"


def metrics(server: ServerProcess) -> dict[str, float]:
    """Return the current values of all metrics, by name and labels."""
    with urllib.request.urlopen(f"http://{server.http}/metrics", timeout=TIMEOUT_S) as page:
        lines = page.read().decode().splitlines()
    samples = (line.rpartition(" ") for line in lines if line and not line.startswith("#"))
    return {name: float(value) for name, _, value in samples}


def error_log_lines(server: ServerProcess) -> Iterator[str]:
    """Yield the log lines that an operator would have to investigate."""
    for line in server.log.read_text(errors="replace").splitlines():
        try:
            level = json.loads(line)["level"]
        except ValueError:  # Not a log line, such as a traceback.
            level = "unknown"
        if level not in ("debug", "info", "warning"):
            yield line


def wait_until_at_most(server: ServerProcess, name: str, limit: float) -> None:
    """Wait until a metric is at most `limit`."""
    deadline_s = time.monotonic() + TIMEOUT_S
    while (value := metrics(server)[name]) > limit:
        assert time.monotonic() < deadline_s, f"{name} is still {value}, above {limit}"
        threading.Event().wait(POLL_INTERVAL_S)
