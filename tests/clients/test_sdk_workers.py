"""Bots of the Python SDK that choose moves in worker processes."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from referee_client import Organiser, Result

from tests.clients.sdk import long, organising, program
from tests.e2e.server import ServerProcess, run_server

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Story:
    """Result of a match of Alquerque between a bot, which moves first, and one that plays random moves."""

    result: Result
    output: str
    """Standard error of the bot's program."""
    faults: int
    """Number of lines in the bot log."""


def played(server: ServerProcess, ours: Organiser, bot: str, *words: str, **told: str) -> Story:
    anna, bert = ours.register_bot("anna"), ours.register_bot("bert")
    with program(server, anna, bot, *words, **told) as program_of_anna, program(server, bert, "random"):
        match = ours.create_match(long("alquerque"), ["anna", "bert"])
        result = ours.result(match.id)
        faults = len(list(ours.bot_log("anna")))
        return Story(result, program_of_anna.output(), faults)


def test_a_bot_that_needs_the_whole_interpreter_keeps_its_session_if_it_has_workers(tmp_path: Path) -> None:
    (tmp_path / "heavy.py").write_text(
        "import ctypes\n"
        "def choose(turn):\n"
        "    if turn.ply == 0:\n"
        "        ctypes.PyDLL(None).usleep(8_000_000)  # Holds on to the interpreter, as number crunching does.\n"
        "    return turn.legal_moves[0]\n"
    )
    flags = ("--ephemeral", "--ping-every-ms", "500", "--gone-after-ms", "5000")
    with run_server(tmp_path, *flags) as server, organising(server) as ours:
        story = played(server, ours, f"{tmp_path / 'heavy.py'}:choose", "--workers", "1")
        assert (story.result.kind, story.faults) == ("played", 0)
        assert story.output.count("connected to") == 1


def test_a_class_keeps_what_it_knows_of_its_match_in_its_worker(tmp_path: Path) -> None:
    (tmp_path / "counting.py").write_text(
        "class Bot:\n"
        "    def started(self, match, seat):\n"
        "        self.turns = 0\n"
        "    def choose(self, turn):\n"
        "        self.turns += 1\n"
        "        assert self.turns == 1 + turn.ply // 2, self.turns\n"
        "        return turn.legal_moves[0]\n"
    )
    with run_server(tmp_path, "--ephemeral") as server, organising(server) as ours:
        story = played(server, ours, f"{tmp_path / 'counting.py'}:Bot", "--workers", "2")
        assert story.result.reason != "resignation", story.output


def test_an_asynchronous_bot_plays_in_its_worker(tmp_path: Path) -> None:
    (tmp_path / "awaits.py").write_text(
        "import asyncio\n"
        "class Bot:\n"
        "    async def started(self, match, seat):\n"
        "        await asyncio.sleep(0)\n"
        "        self.turns = asyncio.Queue()\n"
        "    async def choose(self, turn):\n"
        "        await self.turns.put(turn)\n"
        "        return (await self.turns.get()).legal_moves[0]\n"
    )
    with run_server(tmp_path, "--ephemeral") as server, organising(server) as ours:
        story = played(server, ours, f"{tmp_path / 'awaits.py'}:Bot", "--workers", "1")
        assert story.result.reason != "resignation", story.output


def test_a_worker_that_dies_is_replaced_and_asked_once_more(tmp_path: Path) -> None:
    (tmp_path / "dies.py").write_text(
        "import os\n"
        "from pathlib import Path\n"
        "def choose(turn):\n"
        "    if turn.ply == 2 and not Path(os.environ['DIED']).exists():\n"
        "        Path(os.environ['DIED']).touch()\n"
        "        os.kill(os.getpid(), 9)\n"
        "    return turn.legal_moves[0]\n"
    )
    with run_server(tmp_path, "--ephemeral") as server, organising(server) as ours:
        died = tmp_path / "died"
        story = played(server, ours, f"{tmp_path / 'dies.py'}:choose", "--workers", "1", DIED=str(died))
        assert died.exists()
        assert story.result.reason != "resignation", story.output


def test_a_turn_that_kills_its_worker_twice_is_resigned(tmp_path: Path) -> None:
    (tmp_path / "deadly.py").write_text("import os\ndef choose(turn):\n    os.kill(os.getpid(), 9)\n")
    with run_server(tmp_path, "--ephemeral") as server, organising(server) as ours:
        story = played(server, ours, f"{tmp_path / 'deadly.py'}:choose", "--workers", "1")
        assert story.result.reason == "resignation"
        assert "twice" in story.output


def test_a_bot_that_no_worker_could_import_is_refused_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "nameless.py").write_text("choose = lambda turn: turn.legal_moves[0]\n")
    words = (f"{tmp_path / 'nameless.py'}:choose", "--workers", "1")
    with run_server(tmp_path, "--ephemeral") as server, program(server, "rf_any", *words) as bot:
        assert bot.exit_status() == 2
        assert "imported by its name" in bot.output()
