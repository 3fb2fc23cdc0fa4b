"""Child processes of the server start safely beside uvloop."""

import subprocess
import sys

PROGRAM = """
import asyncio, os, subprocess, sys
import uvloop
from referee.live.child_process import ChildProcess

os.register_at_fork(after_in_child=lambda: os._exit(9))

async def run():
    child = ChildProcess([sys.executable, "-c", "raise SystemExit(5)"], subprocess.DEVNULL, subprocess.DEVNULL)
    return await child.wait()

sys.exit(uvloop.run(run()))
"""


def test_no_python_code_runs_in_the_child_before_its_program() -> None:
    """Such code sometimes ended the child beside the threads of gRPC; here it always does."""
    assert subprocess.run([sys.executable, "-c", PROGRAM], check=False).returncode == 5
