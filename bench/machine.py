"""The machine on which the measurements were taken, without which figures mean nothing."""

import os
import platform
import sysconfig
from importlib.metadata import version
from pathlib import Path

BUSY = 0.5
"""Load per core above which other programs are assumed to be running."""


def machine() -> dict[str, str]:
    return {
        "cores": str(os.cpu_count()),
        "model": _model(),
        "kernel": platform.release(),
        "python": f"{platform.python_version()}, configured {_optimisations()}",
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


def _optimisations() -> str:
    """Return what speeds the interpreter up by about a tenth."""
    flags = str(sysconfig.get_config_var("CONFIG_ARGS"))
    found = [name for name, flag in (("PGO", "--enable-optimizations"), ("LTO", "--with-lto")) if flag in flags]
    return f"with {' and '.join(found)}" if found else "without PGO and LTO"


def _model() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()
