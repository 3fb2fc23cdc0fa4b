"""Bot processes, with real programs."""

import asyncio
import os
import select
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from referee.local.bot_process import BotProcess
from referee.local.rotated_log import LOG_BYTES

TIMEOUT_S = 60
BOT_WITH_CHILD = """
import signal, subprocess, sys
if sys.argv[1] == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen(["sleep", "3600"], start_new_session=sys.argv[2:] == ["escapes"], env={})
with open("child", "w") as file:
    file.write(str(child.pid))
if sys.argv[1] != "goes":
    signal.pause()
open("child").read()  # Wait until the test has a handle of the child.
"""


@asynccontextmanager
async def start_bot(folder: Path, *command: str) -> AsyncIterator[BotProcess]:
    process = await BotProcess.start(command, os.environ, folder, folder / "output.log")
    try:
        yield process
    finally:
        await process.end()


async def child_handle(folder: Path) -> int:
    """Return a handle of the process that the bot has started."""
    return os.pidfd_open(int(await asyncio.to_thread((folder / "child").read_text)))


def wait_for_end(child: int) -> bool:
    return bool(select.select([child], [], [], TIMEOUT_S)[0])


@pytest.mark.parametrize("behaviour", ["gentle", pytest.param("stubborn", marks=pytest.mark.slow)])
async def test_ending_a_bot_ends_its_child_processes(tmp_path: Path, behaviour: str) -> None:
    os.mkfifo(tmp_path / "child")
    async with start_bot(tmp_path, sys.executable, "-c", BOT_WITH_CHILD, behaviour) as bot:
        child = await child_handle(tmp_path)
    assert not bot.is_running
    assert wait_for_end(child)


PARENT_OF_BOT = """
import asyncio, os, sys
from pathlib import Path
from referee.local.bot_process import BotProcess

async def main():
    await BotProcess.start((sys.executable, "-c", sys.argv[1], "stubborn"), os.environ, Path.cwd(), Path("output.log"))
    print("started", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


def test_a_bot_ends_with_its_child_processes_when_its_referee_is_killed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "child")
    command = [sys.executable, "-c", PARENT_OF_BOT, BOT_WITH_CHILD]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, start_new_session=True) as referee:
        child = asyncio.run(child_handle(tmp_path))
        assert referee.stdout
        assert referee.stdout.readline() == b"started\n"
        os.killpg(referee.pid, signal.SIGKILL)
    assert wait_for_end(child)


@pytest.mark.parametrize("arguments", [["goes"], ["goes", "escapes"], ["gentle", "escapes"]])
async def test_child_processes_outside_the_process_group_are_ended_too(tmp_path: Path, arguments: list[str]) -> None:
    os.mkfifo(tmp_path / "child")
    async with start_bot(tmp_path, sys.executable, "-c", BOT_WITH_CHILD, *arguments) as bot:
        child = await child_handle(tmp_path)
        if arguments[0] == "goes":
            await asyncio.to_thread((tmp_path / "child").write_text, "go")
            await bot.wait()
        else:
            await bot.end()
        assert wait_for_end(child)


@pytest.mark.parametrize(
    ("script", "status"),
    [("echo hello; echo trouble >&2; exit 3", "exit status 3"), ("echo trouble; kill -9 $$", "SIGKILL")],
)
async def test_the_exit_summary_contains_the_status_and_the_last_output(
    tmp_path: Path, script: str, status: str
) -> None:
    (tmp_path / "output.log").write_text("words of an earlier run\n")
    async with start_bot(tmp_path, "sh", "-c", script) as bot:
        await bot.wait()
        summary = bot.exit_summary()
    assert status in summary.splitlines()[0]
    assert summary.splitlines()[-1] == "  trouble"
    assert "earlier" not in summary


async def test_the_exit_summary_is_limited_and_free_of_control_characters(tmp_path: Path) -> None:
    async with start_bot(tmp_path, "sh", "-c", "seq 100000; printf '\\033[2Jclear\\n'") as bot:
        await bot.wait()
        summary = bot.exit_summary().splitlines()
    assert len(summary) == 9
    assert summary[-1] == "  [2Jclear"


async def test_the_output_log_of_a_bot_is_rotated_and_keeps_the_latest_lines(tmp_path: Path) -> None:
    async with start_bot(tmp_path, "sh", "-c", "seq 400000; echo the last") as bot:
        await bot.wait()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["output.log", "output.log.1"]
    assert all(file.stat().st_size <= LOG_BYTES + 200 for file in tmp_path.iterdir())
    lines = (tmp_path / "output.log").read_text().splitlines()
    assert lines[0].startswith("(log rotated: earlier output is in output.log.1")
    assert lines[-1] == "the last"


async def test_starting_a_file_that_is_not_executable_fails_with_a_hint(tmp_path: Path) -> None:
    (tmp_path / "bot").write_text("#!/bin/sh\n")
    with pytest.raises(PermissionError, match="not executable; `chmod"):
        async with start_bot(tmp_path, "./bot"):
            pass


async def test_starting_a_missing_program_fails(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        async with start_bot(tmp_path, "./nothing"):
            pass
