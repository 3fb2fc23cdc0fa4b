"""A short run of the benchmarks with real servers and a real load."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
@pytest.mark.toolchain
@pytest.mark.skipif(not shutil.which("go") and "CI" not in os.environ, reason="the load is written in Go")
def test_a_run_reports_what_it_measured(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bench", "--quick", "--report", str(tmp_path), "recovery"]

    subprocess.run(command, check=True, timeout=300, stdout=subprocess.DEVNULL)

    (measurement,) = json.loads((tmp_path / "report.json").read_text())["measurements"]
    assert measurement["not_measured"] == ""
    assert {figure["of"] for figure in measurement["figures"]} >= {
        "a plain read of the log",
        "the last turn is sent again",
    }
    assert all(figure["median"] > 0 for figure in measurement["figures"])
