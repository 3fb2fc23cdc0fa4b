"""An answer that cannot be sent, or is far too long, costs a bot that match only: its stream stays open.

Tested with programs in Python and behind the bridge, which need no build. `test_poisonous_clients` has the same test
for the clients in other languages.
"""

import sys
from pathlib import Path

import pytest

from tests.clients.sdk import Program, long, organising, started
from tests.e2e.server import run_server

pytestmark = pytest.mark.slow

BY_RULES = {"repetition", "no_capture", "no_men", "no_moves", "stalemate"}
IN_PYTHON = """
from referee_client import run

def choose(turn):
    if turn.game != "trox":
        return turn.legal_moves[0]
    return "\\ud800" if turn.refused else "x" * 2_000_000

run(choose)
"""
OF_LINES = """
import json, sys

for line in sys.stdin:
    turn = json.loads(line)
    if turn["type"] == "turn":
        answer = POISON if turn["game"] == "trox" else turn["legal_moves"][0].encode()
        sys.stdout.buffer.write(answer + b"\\n")
        sys.stdout.buffer.flush()
"""


def played(folder: Path, text: str, *before: str) -> tuple[tuple[str, str], str, Program]:
    """Play a match of Trox and one of Alquerque at once, both by a bot with this source.

    Return kind and reason of the result of Trox, the reason of the result of Alquerque, and the bot's program.
    """
    file = folder / "poisonous.py"
    file.write_text(text)
    with run_server(folder, "--ephemeral") as server, organising(server) as ours:
        secret = ours.register_bot("anna")
        command = [sys.executable, *before, str(file)]
        with started(command, server, secret, BOT_MAX_MATCHES="2") as bot:
            broken = ours.create_match(long("trox"), ("anna", "anna"))
            whole = ours.create_match(long("alquerque"), ("anna", "anna"))
            result = ours.result(broken.id)
            return (result.kind, result.reason), ours.result(whole.id).reason, bot


def test_poisonous_answers_of_a_bot_in_python_cost_one_match_and_the_stream_lives(tmp_path: Path) -> None:
    broken, whole, bot = played(tmp_path, IN_PYTHON)
    assert broken == ("forfeited", "illegal_move")
    assert whole in BY_RULES
    assert bot.output().count("connected to") == 1
    assert bot.output().count("the referee will refuse it") == 3


@pytest.mark.parametrize(
    ("poison", "kind", "reason"),
    [
        ("b'\\xff\\xfe'", "forfeited", "illegal_move"),
        ("b'x' * 2_000_000", "played", "resignation"),
    ],
)
def test_poisonous_answers_behind_the_bridge_cost_one_match_and_the_stream_lives(
    tmp_path: Path, poison: str, kind: str, reason: str
) -> None:
    text = OF_LINES.replace("POISON", poison)
    bridge = ("-m", "referee_client.bridge", "--per-match", "--max-matches", "2", "--", sys.executable)
    broken, whole, bot = played(tmp_path, text, *bridge)
    assert broken == (kind, reason)
    assert whole in BY_RULES
    assert bot.output().count("connected to") == 1
