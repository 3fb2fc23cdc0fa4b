"""Bots of the Python SDK that choose moves in worker processes."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from referee_client import Organiser, Result
from referee_client.results import reason

from tests.clients.sdk import connect_organiser, long_match, run_bot
from tests.e2e.server import ServerProcess, run_server

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Outcome:
    """Result of a match of Alquerque between a bot, which moves first, and one that plays random moves."""

    result: Result
    output: str
    """Standard error of the bot's program."""
    faults: int
    """Number of lines in the bot log."""


def play_match(server: ServerProcess, organiser: Organiser, bot: str, *arguments: str, **variables: str) -> Outcome:
    anna, bert = organiser.register_bot("anna"), organiser.register_bot("bert")
    with run_bot(server, anna, bot, *arguments, **variables) as program_of_anna, run_bot(server, bert, "random"):
        match = organiser.create_match(long_match("alquerque"), ["anna", "bert"])
        result = organiser.result(match.id)
        faults = len(list(organiser.bot_log("anna")))
        return Outcome(result, program_of_anna.output(), faults)


def test_a_bot_that_holds_the_interpreter_lock_keeps_its_session_with_workers(tmp_path: Path) -> None:
    (tmp_path / "heavy.py").write_text(
        "import ctypes\n"
        "def choose(turn):\n"
        "    if turn.ply == 0:\n"
        "        ctypes.PyDLL(None).usleep(8_000_000)  # Holds on to the interpreter, as number crunching does.\n"
        "    return turn.legal_moves[0]\n"
    )
    flags = ("--ephemeral", "--ping-interval-ms", "500", "--heartbeat-timeout-ms", "5000")
    with run_server(tmp_path, *flags) as server, connect_organiser(server) as organiser:
        outcome = play_match(server, organiser, f"{tmp_path / 'heavy.py'}:choose", "--workers", "1")
        assert outcome.result.played
        assert outcome.faults == 0
        assert outcome.output.count("connected to") == 1


def test_a_bot_class_keeps_its_state_in_its_worker(tmp_path: Path) -> None:
    (tmp_path / "counting.py").write_text(
        "class Bot:\n"
        "    def started(self, match, seat):\n"
        "        self.turns = 0\n"
        "    def choose(self, turn):\n"
        "        self.turns += 1\n"
        "        assert self.turns == 1 + turn.ply // 2, self.turns\n"
        "        return turn.legal_moves[0]\n"
    )
    with run_server(tmp_path, "--ephemeral") as server, connect_organiser(server) as organiser:
        outcome = play_match(server, organiser, f"{tmp_path / 'counting.py'}:Bot", "--workers", "2")
        assert reason(outcome.result) != "resignation", outcome.output


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
    with run_server(tmp_path, "--ephemeral") as server, connect_organiser(server) as organiser:
        outcome = play_match(server, organiser, f"{tmp_path / 'awaits.py'}:Bot", "--workers", "1")
        assert reason(outcome.result) != "resignation", outcome.output


def test_a_worker_that_exits_is_replaced_and_the_turn_is_repeated(tmp_path: Path) -> None:
    (tmp_path / "dies.py").write_text(
        "import os\n"
        "from pathlib import Path\n"
        "def choose(turn):\n"
        "    if turn.ply == 2 and not Path(os.environ['DIED']).exists():\n"
        "        Path(os.environ['DIED']).touch()\n"
        "        os.kill(os.getpid(), 9)\n"
        "    return turn.legal_moves[0]\n"
    )
    with run_server(tmp_path, "--ephemeral") as server, connect_organiser(server) as organiser:
        died = tmp_path / "died"
        outcome = play_match(server, organiser, f"{tmp_path / 'dies.py'}:choose", "--workers", "1", DIED=str(died))
        assert died.exists()
        assert reason(outcome.result) != "resignation", outcome.output


def test_a_turn_that_kills_its_worker_twice_is_resigned(tmp_path: Path) -> None:
    (tmp_path / "deadly.py").write_text("import os\ndef choose(turn):\n    os.kill(os.getpid(), 9)\n")
    with run_server(tmp_path, "--ephemeral") as server, connect_organiser(server) as organiser:
        outcome = play_match(server, organiser, f"{tmp_path / 'deadly.py'}:choose", "--workers", "1")
        assert reason(outcome.result) == "resignation"
        assert "twice" in outcome.output


def test_a_bot_that_workers_cannot_import_is_rejected_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "nameless.py").write_text("choose = lambda turn: turn.legal_moves[0]\n")
    arguments = (f"{tmp_path / 'nameless.py'}:choose", "--workers", "1")
    with run_server(tmp_path, "--ephemeral") as server, run_bot(server, "rf_any", *arguments) as bot:
        assert bot.exit_status() == 2
        assert "imported by its name" in bot.output()
