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

from referee.local.bot_process import LOG_BYTES, BotProcess

WITHIN_S = 60
WITH_A_CHILD = """
import signal, subprocess, sys
if sys.argv[1] == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen(["sleep", "3600"], start_new_session=sys.argv[2:] == ["escapes"], env={})
with open("told", "w") as told:
    told.write(str(child.pid))
if sys.argv[1] != "goes":
    signal.pause()
open("told").read()  # Until the test has a handle of the child.
"""


@asynccontextmanager
async def started(folder: Path, *command: str) -> AsyncIterator[BotProcess]:
    process = await BotProcess.start(command, os.environ, folder, folder / "said.log")
    try:
        yield process
    finally:
        await process.end()


async def child_of(folder: Path) -> int:
    """A handle of the process that the bot has started."""
    return os.pidfd_open(int(await asyncio.to_thread((folder / "told").read_text)))


def ends(child: int) -> bool:
    return bool(select.select([child], [], [], WITHIN_S)[0])


@pytest.mark.parametrize("manner", ["gentle", pytest.param("stubborn", marks=pytest.mark.slow)])
def test_nothing_is_left_of_a_bot_that_is_ended(tmp_path: Path, manner: str) -> None:
    async def scenario() -> None:
        os.mkfifo(tmp_path / "told")
        async with started(tmp_path, sys.executable, "-c", WITH_A_CHILD, manner) as bot:
            child = await child_of(tmp_path)
        assert not bot.is_running
        assert ends(child)

    asyncio.run(scenario())


KILLED = """
import asyncio, os, sys
from pathlib import Path
from referee.local.bot_process import BotProcess

async def begins():
    await BotProcess.start((sys.executable, "-c", sys.argv[1], "stubborn"), os.environ, Path.cwd(), Path("said.log"))
    print("begun", flush=True)
    await asyncio.Event().wait()

asyncio.run(begins())
"""


def test_nothing_is_left_of_a_bot_whose_referee_is_killed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "told")
    command = [sys.executable, "-c", KILLED, WITH_A_CHILD]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, start_new_session=True) as referee:
        child = asyncio.run(child_of(tmp_path))
        assert referee.stdout
        assert referee.stdout.readline() == b"begun\n"
        os.killpg(referee.pid, signal.SIGKILL)
    assert ends(child)


@pytest.mark.parametrize("words", [["goes"], ["goes", "escapes"], ["gentle", "escapes"]])
def test_nothing_is_left_behind_also_outside_of_the_process_group(tmp_path: Path, words: list[str]) -> None:
    async def scenario() -> None:
        os.mkfifo(tmp_path / "told")
        async with started(tmp_path, sys.executable, "-c", WITH_A_CHILD, *words) as bot:
            child = await child_of(tmp_path)
            if words[0] == "goes":
                await asyncio.to_thread((tmp_path / "told").write_text, "go")
                await bot.wait()
            else:
                await bot.end()
            assert ends(child)

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("script", "how"),
    [("echo hello; echo trouble >&2; exit 3", "exit status 3"), ("echo trouble; kill -9 $$", "SIGKILL")],
)
def test_the_last_words_say_how_it_went_and_what_it_wrote(tmp_path: Path, script: str, how: str) -> None:
    async def scenario() -> str:
        (tmp_path / "said.log").write_text("words of an earlier run\n")
        async with started(tmp_path, "sh", "-c", script) as bot:
            await bot.wait()
            return bot.exit_summary()

    words = asyncio.run(scenario())
    assert how in words.splitlines()[0]
    assert words.splitlines()[-1] == "  trouble"
    assert "earlier" not in words


def test_the_last_words_of_a_flood_are_few_and_harmless(tmp_path: Path) -> None:
    async def scenario() -> str:
        async with started(tmp_path, "sh", "-c", "seq 100000; printf '\\033[2Jclear\\n'") as bot:
            await bot.wait()
            return bot.exit_summary()

    words = asyncio.run(scenario()).splitlines()
    assert len(words) == 9
    assert words[-1] == "  [2Jclear"


def test_the_log_of_a_bot_has_a_bounded_size_and_keeps_the_last(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with started(tmp_path, "sh", "-c", "seq 400000; echo the last") as bot:
            await bot.wait()

    asyncio.run(scenario())
    assert sorted(file.name for file in tmp_path.iterdir()) == ["said.log", "said.log.1"]
    assert all(file.stat().st_size <= LOG_BYTES + 200 for file in tmp_path.iterdir())
    lines = (tmp_path / "said.log").read_text().splitlines()
    assert lines[0].startswith("(log rotated: earlier output is in said.log.1")
    assert lines[-1] == "the last"


def test_a_program_without_its_run_bit_is_called_not_executable(tmp_path: Path) -> None:
    async def scenario() -> None:
        (tmp_path / "bot").write_text("#!/bin/sh\n")
        async with started(tmp_path, "./bot"):
            pass

    with pytest.raises(PermissionError, match="not executable; `chmod"):
        asyncio.run(scenario())


def test_there_is_no_such_program(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with started(tmp_path, "./nothing"):
            pass

    with pytest.raises(FileNotFoundError):
        asyncio.run(scenario())
