"""The machine on which the measurements were taken, without which figures mean nothing."""

import os
import platform
from importlib.metadata import version
from pathlib import Path

BUSY = 0.5
"""Load per core above which other programs are assumed to be running."""


def machine() -> dict[str, str]:
    return {
        "cores": str(os.cpu_count()),
        "model": _model(),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "grpc": version("grpcio"),
        "load at the start": load(),
    }


def load() -> str:
    """Return the load averages over one, five and fifteen minutes."""
    return " ".join(f"{average:.2f}" for average in os.getloadavg())


def warning() -> str:
    """Return a warning if the machine is busy, else an empty text."""
    average = os.getloadavg()[0]
    if average < BUSY * (os.cpu_count() or 1):
        return ""
    return f"The machine is busy (load {average:.1f}): trust ratios, not figures."


def _model() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()
