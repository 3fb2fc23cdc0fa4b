"""Metrics and log of a server, read from outside."""

import json
import threading
import time
import urllib.request
from collections.abc import Iterator

from tests.e2e.server import TIMEOUT_S, ServerProcess

READ_EVERY_S = 0.2

MEMORY = "process_resident_memory_bytes"
OPEN_FILES = "process_open_fds"
FAULTS = 'referee_refusals_total{reason="REFEREE_FAULT"}'
ENGINE_FAULTS = 'referee_refusals_total{reason="ENGINE_FAULT"}'
MATCH_FAULTS = "referee_faults_total"


def metrics(server: ServerProcess) -> dict[str, float]:
    """Return the current values of all metrics, by name and labels."""
    with urllib.request.urlopen(f"http://{server.http}/metrics", timeout=TIMEOUT_S) as page:
        lines = page.read().decode().splitlines()
    told = (line.rpartition(" ") for line in lines if line and not line.startswith("#"))
    return {name: float(value) for name, _, value in told}


def troubles(server: ServerProcess) -> Iterator[str]:
    """Yield the log lines that an operator would have to investigate."""
    for line in server.log.read_text(errors="replace").splitlines():
        try:
            level = json.loads(line)["level"]
        except ValueError:  # Not a log line, such as a traceback.
            level = "unknown"
        if level not in ("debug", "info", "warning"):
            yield line


def come_down(server: ServerProcess, name: str, most: float) -> None:
    """Wait until a metric is at most `most`."""
    until_s = time.monotonic() + TIMEOUT_S
    while (reading := metrics(server)[name]) > most:
        assert time.monotonic() < until_s, f"{name} is {reading} still, and not {most}"
        threading.Event().wait(READ_EVERY_S)
