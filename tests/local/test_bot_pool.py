"""Environment and sandbox of bots, with real programs, and how a pool starts and restarts them."""

import asyncio
import json
import os
import shutil
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from referee.local.arena_client import ArenaClient
from referee.local.bot_pool import BotPool, BotStartFailed, Launcher, raise_for_crashed
from referee.local.entrant import Entrant
from referee.local.results_folder import ResultsFolder
from referee.local.sandbox import BUBBLEWRAP, Sandbox
from referee.local.toml_validation import BadPlan
from tests.live.runner_harness import in_loop

TOKEN = "rf_secret"
REPORT = """
import json, os, pathlib
token = pathlib.Path(os.environ["BOT_TOKEN_FILE"]).read_text()
environ = pathlib.Path("/proc/self/environ").read_text() + "".join(
    path.read_text(errors="replace") for path in pathlib.Path(f"/proc/{os.getppid()}").glob("environ"))
print(json.dumps({"token": token, "told": dict(os.environ), "environ": environ}))
"""


def ran(tmp_path: Path, bot: Entrant, sandbox: Sandbox | None = None, address: str = "127.0.0.1:7700") -> Any:
    """What the bot printed, as JSON."""

    async def scenario() -> None:
        results = ResultsFolder(tmp_path / "out")
        results.create()
        launcher = Launcher(address, tmp_path, results, sandbox)
        process = await launcher.start(bot, bot.name, TOKEN, 1)
        try:
            await process.wait()
            assert process.status == 0, process.exit_summary()
        finally:
            await process.end()

    asyncio.run(scenario())
    return json.loads((tmp_path / "out" / "bots" / f"{bot.name}.log").read_text())


def test_a_bot_is_given_its_token_by_a_pipe_and_nothing_of_the_operators(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CLOUD_PASSWORD", "BOT_TOKEN", "LIBRARY_PATH"):
        monkeypatch.setenv(name, "the operator's")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    said = ran(tmp_path, Entrant("anna", (sys.executable, "-c", REPORT), env=("LIBRARY_PATH",)))
    assert said["token"] == TOKEN
    assert TOKEN not in said["environ"]
    assert said["told"]["BOT_REFEREE"] == "127.0.0.1:7700"
    assert said["told"]["LIBRARY_PATH"] == "the operator's"
    assert {"PATH", "LC_ALL"} <= said["told"].keys()
    assert not {"CLOUD_PASSWORD", "BOT_TOKEN"} & said["told"].keys()


PROBE = """
import json, os, pathlib, socket, subprocess, sys

def tried(action):
    try:
        return action()
    except (OSError, MemoryError) as why:
        return type(why).__name__

def connected(port):
    with socket.create_connection(("127.0.0.1", port)) as there:
        there.sendall(b"hello\\n")
        return there.makefile().readline()

def forked():
    try:
        for _ in range(200):
            children.append(subprocess.Popen(["sleep", "60"]))
        return len(children)
    except BlockingIOError:
        return "refused"

children = []
referee, other, secret, out = sys.argv[1:]
print(json.dumps({
    "token": pathlib.Path(os.environ["BOT_TOKEN_FILE"]).read_text(),
    "own": tried(lambda: pathlib.Path("own.txt").read_text()),
    "system": tried(lambda: "root" in pathlib.Path("/etc/passwd").read_text()),
    "write own": tried(lambda: pathlib.Path("new.txt").write_text("x")),
    "secret": tried(lambda: pathlib.Path(secret).read_text()),
    "out": tried(lambda: sorted(os.listdir(out))),
    "processes": len([name for name in os.listdir("/proc") if name.isdecimal()]),
    "to referee": tried(lambda: connected(int(referee))),
    "to other": tried(lambda: connected(int(other))),
    "memory": tried(lambda: len(bytearray(1 << 30))),
    "disk": tried(lambda: pathlib.Path("/tmp/large").write_bytes(bytes(100 << 20))),
    "forks": forked(),
}))
"""


@dataclass
class Echo:
    """Answers every line with itself."""

    listening: socket.socket

    @property
    def port(self) -> int:
        return int(self.listening.getsockname()[1])

    def serve(self) -> None:
        while True:
            try:
                there, _ = self.listening.accept()
            except OSError:
                return
            with there, there.makefile("rw") as lines:
                for line in lines:
                    lines.write(line)
                    lines.flush()


@contextmanager
def echoing() -> Iterator[Echo]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        echo = Echo(listening)
        serving = threading.Thread(target=echo.serve)
        serving.start()
        try:
            yield echo
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            serving.join(60)


def needs_bubblewrap() -> None:
    if shutil.which(BUBBLEWRAP) is None and "CI" not in os.environ:
        pytest.skip("bubblewrap is not installed")


def test_a_sandbox_shows_the_bots_own_folder_and_the_referee_and_nothing_else(tmp_path: Path) -> None:
    needs_bubblewrap()
    tmp_path.chmod(0o755)  # If root runs this, the bot is somebody else.
    folder = tmp_path / "anna"
    (folder / "out").mkdir(parents=True)
    (folder / "own.txt").write_text("mine")
    (tmp_path / "secret.txt").write_text("the operator's")
    (tmp_path / "out").mkdir()
    sandbox = Sandbox(memory_mb=512, processes=20)
    sandbox.check([folder])
    with echoing() as referee, echoing() as other:
        words = (str(referee.port), str(other.port), str(tmp_path / "secret.txt"), str(tmp_path / "out"))
        bot = Entrant("anna", (sys.executable, "-c", PROBE, *words), folder="anna")
        said = ran(tmp_path, bot, sandbox, f"127.0.0.1:{referee.port}")
    assert said == {
        "token": TOKEN,
        "own": "mine",
        "system": True,
        "write own": "OSError",
        "secret": "FileNotFoundError",
        "out": "FileNotFoundError",
        "processes": 2,  # Itself, and bubblewrap.
        "to referee": "hello\n",
        "to other": "ConnectionRefusedError",
        "memory": "MemoryError",
        "disk": "OSError",
        "forks": "refused",
    }


def test_what_the_arena_keeps_is_hidden_also_in_the_folder_that_a_bot_sees(tmp_path: Path) -> None:
    needs_bubblewrap()
    tmp_path.chmod(0o755)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "token").write_text("the administrator's")
    look = "import json, os; print(json.dumps([os.listdir('out'), 'books' in os.listdir('.')]))"
    books = tmp_path / "books"
    books.mkdir()
    said = ran(tmp_path, Entrant("anna", (sys.executable, "-c", look)), Sandbox(read=(books,)))
    assert said == [[], True]


def test_a_sandbox_that_cannot_be_made_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadPlan, match="a bot would see all of"):
        Sandbox().check([Path.home()])
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BadPlan, match="bubblewrap is not installed"):
        Sandbox().check([])
    no_sandbox = tmp_path / BUBBLEWRAP
    no_sandbox.write_text("#!/bin/sh\necho no namespaces >&2; exit 1\n")
    no_sandbox.chmod(0o755)
    with pytest.raises(BadPlan, match=r"does not work here \(no namespaces\)"):
        Sandbox().check([])


class Program:
    """A bot's process that ends when the test says so."""

    def __init__(self) -> None:
        self.ended = asyncio.Event()

    @property
    def is_running(self) -> bool:
        return not self.ended.is_set()

    def crash(self) -> None:
        self.ended.set()

    async def wait(self) -> None:
        await self.ended.wait()

    async def end(self) -> None:
        self.ended.set()

    def exit_summary(self) -> str:
        return "exit status 7"


class Programs:
    """Starts such programs in place of a launcher."""

    def __init__(self) -> None:
        self.started: list[tuple[str, Program]] = []
        self.missing: set[str] = set()

    async def start(self, entrant: Entrant, name: str, token: str, max_matches: int) -> Program:
        if entrant.name in self.missing:
            raise FileNotFoundError(2, "No such file or directory")
        self.started.append((name, Program()))
        return self.started[-1][1]

    def names(self) -> list[str]:
        return [name for name, _ in self.started]


class Online:
    """A server on which every bot is ready at once, unless it is deaf."""

    def __init__(self, *deaf: str) -> None:
        self.deaf = deaf

    async def register(self, bot: str) -> str:
        return f"token of {bot}"

    async def is_ready(self, bot: str, game: str) -> bool:
        return bot not in self.deaf

    async def is_playing(self, bot: str) -> bool:
        return False


ANNA, BERT = Entrant("anna", ("anna",)), Entrant("bert", ("bert",))
LISTENS = Entrant("lines", ("lines",), alone=True)


def pool(server: Online, programs: Programs) -> BotPool:
    return BotPool(cast(ArenaClient, server), cast(Launcher, programs))


@in_loop
async def test_a_bot_has_as_many_instances_as_it_plays_matches_at_once_and_they_are_used_again() -> None:
    programs = Programs()
    bots = pool(Online(), programs)
    async with bots.seated([ANNA, BERT]), bots.seated([BERT, ANNA]):
        assert programs.names() == ["anna", "bert", "anna--2", "bert--2"]
    async with bots.seated([ANNA]) as seated:
        assert seated[ANNA].secret == f"token of {seated[ANNA].name}"
    assert len(programs.started) == 4
    await bots.end()
    assert not any(program.is_running for _, program in programs.started)


@in_loop
async def test_an_instance_that_has_crashed_is_started_again_for_the_next_match() -> None:
    programs = Programs()
    bots = pool(Online(), programs)
    async with bots.seated([ANNA]) as seated:
        seated[ANNA].proven = True
        programs.started[0][1].crash()
        raise_for_crashed(seated.values())
    async with bots.seated([ANNA]) as seated:
        assert (seated[ANNA].is_running, seated[ANNA].proven) == (True, False)
        programs.started[1][1].crash()
        with pytest.raises(BotStartFailed, match="exit status 7"):
            raise_for_crashed(seated.values())
    assert programs.names() == ["anna", "anna"]


@in_loop
async def test_a_program_that_listens_plays_one_match_after_the_other() -> None:
    bots = pool(Online(), Programs())
    async with bots.seated([LISTENS]):
        second = asyncio.create_task(bots.seated([LISTENS]).__aenter__())
        await asyncio.sleep(0)
        assert not second.done()
    assert (await second)[LISTENS].name == "lines"


@in_loop
async def test_who_does_not_start_or_says_nothing_is_told_with_the_reason() -> None:
    programs = Programs()
    programs.missing.add("anna")
    bots = pool(Online("bert"), programs)
    whys = await bots.start([ANNA, BERT, LISTENS], "trox", 0)
    assert whys == {
        ANNA: "anna: No such file or directory",
        BERT: "it sent no Hello, or does not accept trox; exit status 7",
    }
    others = pool(Online("bert"), programs)
    with pytest.raises(BotStartFailed, match="sent no Hello"):
        async with others.seated([BERT]) as seated:
            await others.raise_for_silent(seated.values(), "trox")


@in_loop
async def test_a_bot_of_a_tournament_is_given_up_when_it_crashes_in_every_match() -> None:
    programs = Programs()
    bots = pool(Online(), programs)
    assert await bots.start([ANNA], "trox", 0) == {}
    running = asyncio.create_task(bots.keep_running(ANNA, "trox", 0))
    for crashes in range(1, 9):
        programs.started[-1][1].crash()
        while len(programs.started) == crashes and not running.done():
            await asyncio.sleep(0)
        if crashes == 3:
            bots.reset_crashes("anna")
    assert await running == "it crashed 5 times in a row; exit status 7"
    assert len(programs.started) == 8
