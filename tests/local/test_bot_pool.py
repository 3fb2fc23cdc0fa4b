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

import grpc
import pytest
from referee_api.v1 import bot_service_pb2
from referee_api.v1.bot_service_pb2_grpc import BotServiceStub
from referee_client import AsyncOrganiser

from referee.local.bot_pool import LABEL, BotAccounts, BotPool, Launcher
from referee.local.embedded_server import embedded
from referee.local.entrant import Entrant
from referee.local.results_folder import ResultsFolder
from referee.local.rotated_log import LOG_BYTES
from referee.local.sandbox import BUBBLEWRAP, Sandbox
from referee.local.toml_validation import BadPlan
from tests.e2e.server import bearer

TOKEN = "rf_secret"
REPORT = """
import json, os, pathlib
token = pathlib.Path(os.environ["BOT_TOKEN_FILE"]).read_text()
environ = pathlib.Path("/proc/self/environ").read_text() + "".join(
    path.read_text(errors="replace") for path in pathlib.Path(f"/proc/{os.getppid()}").glob("environ"))
print(json.dumps({"token": token, "variables": dict(os.environ), "environ": environ}))
"""


def run_and_read_output(
    tmp_path: Path, bot: Entrant, sandbox: Sandbox | None = None, address: str = "127.0.0.1:7700"
) -> Any:
    """Run a bot, and return its output parsed as JSON."""

    async def scenario() -> None:
        results = ResultsFolder(tmp_path / "out")
        results.create()
        launcher = Launcher(address, tmp_path, results, sandbox)
        process = await launcher.start(bot, TOKEN, 1)
        try:
            await process.wait()
            assert process.status == 0, process.exit_summary()
        finally:
            await process.end()

    asyncio.run(scenario())
    return json.loads((tmp_path / "out" / "bots" / f"{bot.name}.log").read_text())


def test_a_bot_gets_its_token_by_a_pipe_and_no_variables_of_the_operator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CLOUD_PASSWORD", "BOT_TOKEN", "LIBRARY_PATH"):
        monkeypatch.setenv(name, "the operator's")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    output = run_and_read_output(tmp_path, Entrant("anna", (sys.executable, "-c", REPORT), env=("LIBRARY_PATH",)))
    assert output["token"] == TOKEN
    assert TOKEN not in output["environ"]
    assert output["variables"]["BOT_REFEREE"] == "127.0.0.1:7700"
    assert output["variables"]["LIBRARY_PATH"] == "the operator's"
    assert {"PATH", "LC_ALL"} <= output["variables"].keys()
    assert not {"CLOUD_PASSWORD", "BOT_TOKEN"} & output["variables"].keys()


PROBE = """
import json, os, pathlib, socket, subprocess, sys

def attempt(action):
    try:
        return action()
    except (OSError, MemoryError) as why:
        return type(why).__name__

def echo(port):
    with socket.create_connection(("127.0.0.1", port)) as there:
        there.sendall(b"hello\\n")
        return there.makefile().readline()

def fork():
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
    "own": attempt(lambda: pathlib.Path("own.txt").read_text()),
    "system": attempt(lambda: "root" in pathlib.Path("/etc/passwd").read_text()),
    "write own": attempt(lambda: pathlib.Path("new.txt").write_text("x")),
    "secret": attempt(lambda: pathlib.Path(secret).read_text()),
    "out": attempt(lambda: sorted(os.listdir(out))),
    "processes": len([name for name in os.listdir("/proc") if name.isdecimal()]),
    "to referee": attempt(lambda: echo(int(referee))),
    "to other": attempt(lambda: echo(int(other))),
    "memory": attempt(lambda: len(bytearray(1 << 30))),
    "disk": attempt(lambda: pathlib.Path("/tmp/large").write_bytes(bytes(100 << 20))),
    "forks": fork(),
}))
"""


@dataclass
class EchoServer:
    """Server that sends every line back."""

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
def echo_server() -> Iterator[EchoServer]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = EchoServer(listening)
        serving = threading.Thread(target=server.serve)
        serving.start()
        try:
            yield server
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            serving.join(60)


def needs_bubblewrap() -> None:
    if shutil.which(BUBBLEWRAP) is None and "CI" not in os.environ:
        pytest.skip("bubblewrap is not installed")


def test_a_sandboxed_bot_can_use_only_its_own_folder_and_the_referee(tmp_path: Path) -> None:
    needs_bubblewrap()
    tmp_path.chmod(0o755)  # If root runs this test, the bot runs as another user.
    folder = tmp_path / "anna"
    (folder / "out").mkdir(parents=True)
    (folder / "own.txt").write_text("mine")
    (tmp_path / "secret.txt").write_text("the operator's")
    (tmp_path / "out").mkdir()
    sandbox = Sandbox(memory_mb=512, processes=20)
    sandbox.check([folder])
    with echo_server() as referee, echo_server() as other:
        arguments = (str(referee.port), str(other.port), str(tmp_path / "secret.txt"), str(tmp_path / "out"))
        bot = Entrant("anna", (sys.executable, "-c", PROBE, *arguments), folder="anna")
        output = run_and_read_output(tmp_path, bot, sandbox, f"127.0.0.1:{referee.port}")
    assert output == {
        "token": TOKEN,
        "own": "mine",
        "system": True,
        "write own": "OSError",
        "secret": "FileNotFoundError",
        "out": "FileNotFoundError",
        "processes": 2,  # The bot and bubblewrap.
        "to referee": "hello\n",
        "to other": "ConnectionRefusedError",
        "memory": "MemoryError",
        "disk": "OSError",
        "forks": "refused",
    }


def test_the_results_folder_is_hidden_from_a_sandboxed_bot(tmp_path: Path) -> None:
    needs_bubblewrap()
    tmp_path.chmod(0o755)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "token").write_text("the administrator's")
    command = "import json, os; print(json.dumps([os.listdir('out'), 'books' in os.listdir('.')]))"
    readable = tmp_path / "books"
    readable.mkdir()
    output = run_and_read_output(tmp_path, Entrant("anna", (sys.executable, "-c", command)), Sandbox(read=(readable,)))
    assert output == [[], True]


def test_a_sandbox_that_cannot_be_created_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadPlan, match="a bot would see all of"):
        Sandbox().check([Path.home()])
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BadPlan, match="bubblewrap is not installed"):
        Sandbox().check([])
    broken_bubblewrap = tmp_path / BUBBLEWRAP
    broken_bubblewrap.write_text("#!/bin/sh\necho no namespaces >&2; exit 1\n")
    broken_bubblewrap.chmod(0o755)
    with pytest.raises(BadPlan, match=r"does not work here \(no namespaces\)"):
        Sandbox().check([])


class FakeProcess:
    """Process of a bot that runs until the test ends it."""

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


class FakeLauncher:
    """Launcher that starts fake processes."""

    def __init__(self) -> None:
        self.started: list[tuple[str, FakeProcess]] = []
        self.missing: set[str] = set()

    async def start(self, entrant: Entrant, token: str, max_matches: int) -> FakeProcess:
        if entrant.name in self.missing:
            raise FileNotFoundError(2, "No such file or directory")
        self.started.append((entrant.name, FakeProcess()))
        return self.started[-1][1]

    def names(self) -> list[str]:
        return [name for name, _ in self.started]


class FakeServer:
    """Server on which every bot is ready at once, except silent ones."""

    def __init__(self, *silent: str) -> None:
        self.silent = silent

    async def register(self, bot: str) -> str:
        return f"token of {bot}"

    async def is_ready(self, bot: str, game: str) -> bool:
        return bot not in self.silent

    async def refuses(self, bot: str, game: str) -> bool:
        return game == "chess"

    async def is_playing(self, bot: str) -> bool:
        return False


ANNA, BERT = Entrant("anna", ("anna",)), Entrant("bert", ("bert",))
LISTENING = Entrant("lines", ("lines",), alone=True)


def create_pool(server: FakeServer, launcher: FakeLauncher) -> BotPool:
    return BotPool(cast(BotAccounts, server), cast(Launcher, launcher))


async def test_a_bot_that_runs_is_not_started_again_for_another_game() -> None:
    launcher = FakeLauncher()
    bots = create_pool(FakeServer(), launcher)
    assert await bots.start([ANNA, BERT], "trox", 0) == {}
    launcher.started[0][1].crash()
    assert await bots.start([ANNA, BERT], "toc", 0) == {}
    assert launcher.names() == ["anna", "bert", "anna"]
    await bots.end()
    assert not any(program.is_running for _, program in launcher.started)


async def test_a_bot_that_does_not_start_or_connect_is_reported_with_the_reason() -> None:
    launcher = FakeLauncher()
    launcher.missing.add("anna")
    bots = create_pool(FakeServer("bert"), launcher)
    reasons = await bots.start([ANNA, BERT, LISTENING], "trox", 0)
    assert reasons == {
        ANNA: "anna: No such file or directory",
        BERT: "it sent no Hello, or does not accept trox; exit status 7",
    }


async def test_a_bot_that_accepts_only_other_games_is_refused_when_it_connects() -> None:
    bots = create_pool(FakeServer("anna"), FakeLauncher())
    assert (await bots.start([ANNA], "chess", 3_600))[ANNA].startswith("it does not accept chess")


async def test_a_bot_that_crashes_five_times_in_a_row_is_not_restarted() -> None:
    launcher = FakeLauncher()
    bots = create_pool(FakeServer(), launcher)
    assert await bots.start([ANNA], "trox", 0) == {}
    running = asyncio.create_task(bots.keep_running(ANNA, "trox", 0))
    for crashes in range(1, 9):
        launcher.started[-1][1].crash()
        while len(launcher.started) == crashes and not running.done():
            await asyncio.sleep(0)
        if crashes == 3:
            bots.reset_crashes("anna")
    assert await running == "it crashed 5 times in a row; exit status 7"
    assert len(launcher.started) == 8


async def test_every_bot_has_its_own_holder_and_thus_its_own_rate_limit() -> None:
    bots = ["anna", "admin"]
    async with embedded(60, patient=False) as server, AsyncOrganiser(server.grpc, server.admin_token) as organiser:
        accounts = BotAccounts(organiser)
        secrets = [await accounts.register(bot) for bot in [*bots, "anna"]]
        tokens = [token async for token in organiser.administration.tokens()]
        async with grpc.aio.insecure_channel(server.grpc) as channel:
            for bot, secret in zip([*bots, "anna"], secrets, strict=True):
                await BotServiceStub(channel).GetBot(bot_service_pb2.GetBotRequest(name=bot), metadata=bearer(secret))
    holders = [(token.bot, token.holder) for token in tokens if token.label == LABEL]
    assert sorted(holders) == [("admin", "bot admin"), ("anna", "bot anna"), ("anna", "bot anna")]
    assert len(set(secrets)) == 3


def test_failures_are_counted_in_a_log_of_any_content(tmp_path: Path) -> None:
    folder = ResultsFolder(tmp_path)
    assert folder.count_failures("bad") == 0
    folder.bots.mkdir()
    failed = b"match m1, seat 0, ply 3: the bot failed, and resigns:\n"
    # A bot writes what it likes: a search that began anew at each of these words would take minutes.
    folder.bot_log("bad").write_bytes(b"match a " * (LOG_BYTES // 8) + b"\n" + failed + b"and resigns\n" + failed)
    assert folder.count_failures("bad") == 2
