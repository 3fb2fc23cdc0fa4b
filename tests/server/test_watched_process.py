"""Child processes that are kept running."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from referee.server.watched_process import WatchedProcess

SOON_S = 0.05
DEAF = """
import os, pathlib, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pathlib.Path(sys.argv[1], str(os.getpid())).touch()
while True:
    time.sleep(3600)
"""
"""A program that notes its start, and does not end by itself."""


@asynccontextmanager
async def watched(folder: Path, is_hanging: Callable[[], bool]) -> AsyncIterator[None]:
    command = [sys.executable, "-c", DEAF, str(folder)]
    process = WatchedProcess("deaf", command, [], restart_pause_s=0, is_hanging=is_hanging, patience_s=SOON_S)
    try:
        yield
    finally:
        await process.close()


async def wait_for_starts(folder: Path, starts: int) -> None:
    while len(list(folder.iterdir())) < starts:
        await asyncio.sleep(SOON_S)


async def test_a_process_that_hangs_is_killed_and_started_again(tmp_path: Path) -> None:
    async with watched(tmp_path, lambda: len(list(tmp_path.iterdir())) == 1):
        await wait_for_starts(tmp_path, 2)


async def test_a_process_that_does_not_end_is_killed(tmp_path: Path) -> None:
    async with watched(tmp_path, lambda: False):
        await wait_for_starts(tmp_path, 1)
    [pid] = [path.name for path in tmp_path.iterdir()]
    assert not Path("/proc", pid).exists()
