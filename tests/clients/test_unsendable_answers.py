"""An answer that cannot be sent, or is far too long, costs a bot that match only: its stream stays open.

Tested with programs in Python and behind the bridge, which need no build. `test_poisonous_clients` has the same test
for the clients in other languages.
"""

import sys
from pathlib import Path

import pytest
from referee_client.results import outcome, reason

from tests.clients.sdk import BotProgram, connect_organiser, long_match, run_program
from tests.e2e.server import run_server

pytestmark = pytest.mark.slow

RULE_ENDINGS = {"repetition", "no_capture", "no_men", "no_moves", "stalemate"}
PYTHON_BOT = """
from referee_client import run

def choose(turn):
    if turn.game != "trox":
        return turn.legal_moves[0]
    return "\\ud800" if turn.rejection else "x" * 2_000_000

run(choose)
"""
LINE_PROGRAM = """
import json, sys

for line in sys.stdin:
    turn = json.loads(line)
    if turn["type"] == "turn":
        answer = POISON if turn["game"] == "trox" else turn["legal_moves"][0].encode()
        sys.stdout.buffer.write(answer + b"\\n")
        sys.stdout.buffer.flush()
"""


def play_two_matches(folder: Path, text: str, *before: str) -> tuple[tuple[str, str], str, BotProgram]:
    """Play a match of Trox and one of Alquerque at once, both by a bot with this source.

    Return kind and reason of the result of Trox, the reason of the result of Alquerque, and the bot's program.
    """
    file = folder / "unsendable.py"
    file.write_text(text)
    with run_server(folder, "--ephemeral") as server, connect_organiser(server) as organiser:
        secret = organiser.register_bot("anna")
        command = [sys.executable, *before, str(file)]
        with run_program(command, server, secret, BOT_MAX_MATCHES="2") as bot:
            broken = organiser.create_match(long_match("trox"), ("anna", "anna"))
            whole = organiser.create_match(long_match("alquerque"), ("anna", "anna"))
            result = organiser.result(broken.id)
            return (outcome(result), reason(result)), reason(organiser.result(whole.id)), bot


def test_unsendable_answers_in_python_cost_one_match(tmp_path: Path) -> None:
    broken, whole, bot = play_two_matches(tmp_path, PYTHON_BOT)
    assert broken == ("forfeited", "illegal_move")
    assert whole in RULE_ENDINGS
    assert bot.output().count("connected to") == 1
    assert bot.output().count("the referee will reject it") == 3


@pytest.mark.parametrize(
    ("answer", "kind", "reason"),
    [
        ("b'\\xff\\xfe'", "forfeited", "illegal_move"),
        ("b'x' * 2_000_000", "played", "resignation"),
    ],
)
def test_unsendable_answers_behind_the_bridge_cost_one_match(
    tmp_path: Path, answer: str, kind: str, reason: str
) -> None:
    text = LINE_PROGRAM.replace("POISON", answer)
    bridge = ("-m", "referee_client.bridge", "--per-match", "--max-matches", "2", "--", sys.executable)
    broken, whole, bot = play_two_matches(tmp_path, text, *bridge)
    assert broken == (kind, reason)
    assert whole in RULE_ENDINGS
    assert bot.output().count("connected to") == 1
