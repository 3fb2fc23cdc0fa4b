"""A local contest is shown on a page while it is played."""

import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.e2e.server import TIMEOUT_S

pytestmark = pytest.mark.slow


def test_a_match_is_shown_while_it_is_played(tmp_path: Path) -> None:
    command = [
        "match",
        "random",
        "random",
        "--game",
        "trox",
        "--games",
        "500",
        "--out",
        str(tmp_path / "out"),
        "--page",
    ]
    with subprocess.Popen(
        [sys.executable, "-m", "referee", *command], stdout=subprocess.PIPE, text=True, cwd=tmp_path
    ) as program:
        try:
            assert program.stdout
            program.stdout.readline()  # Addresses of the referee itself.
            words = program.stdout.readline().split()
            assert words[:-1] == ["watch", "it", "at"]
            address = words[-1]
            with urllib.request.urlopen(f"{address}/matches", timeout=TIMEOUT_S) as response:
                page = response.read().decode()
            assert "<h1>Matches</h1>" in page
        finally:
            program.send_signal(signal.SIGINT)
            program.communicate(timeout=TIMEOUT_S)
