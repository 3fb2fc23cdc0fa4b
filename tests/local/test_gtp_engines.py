"""Go engines that speak GTP, in local matches: GNU Go at two levels, and small ones that misbehave."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from engines.api import REFEREE
from engines.registry import find
from referee.records.record_reader import read_history
from tests.local.debian_engines import find_engine
from tests.local.test_commands import record_files, referee, table_row

pytestmark = pytest.mark.slow

PROGRAM = Path(__file__).parents[1] / "clients" / "gtp_program.py"
ENDING = "--chinese-rules --capture-all-dead --play-out-aftermath --never-resign --positional-superko"
"""Options of GNU Go by which it takes dead stones off before it passes, and knows the ko rule of the match."""


def gtp_engine(name: str, *words: str) -> str:
    return f"{name}=gtp:{sys.executable} {PROGRAM} {' '.join(words)}"


def gnu_go(program: str, level: int) -> str:
    return f"level{level}=gtp:{program} --mode gtp {ENDING} --level {level} --seed {level}"


def ask_gnu_go(program: str, *commands: str) -> list[str]:
    """Return the replies to commands."""
    asked = subprocess.run(
        [program, "--mode", "gtp"], input="\n".join(commands) + "\n", capture_output=True, text=True, check=True
    )
    return [reply.removeprefix("=").strip() for reply in asked.stdout.strip().split("\n\n")]


def test_two_engines_of_debian_play_on_clocks_and_leave_a_valid_record(tmp_path: Path) -> None:
    program = find_engine("gnugo")
    completed = referee(
        *("match", gnu_go(program, 1), gnu_go(program, 5), "--game", "go", "--preset", "9x9"),
        *("--clock", "120+2", "--out", str(tmp_path)),
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr
    (record,) = tmp_path.glob("records/go/level1.level5.1.jsonl")
    assert ": fine: match " in referee("verify", str(record)).stdout
    assert "level1 1; fischer, main 120 s, increment 2 s" in referee("replay", str(record)).stdout
    assert table_row(completed.stdout, "level1")[0] == "1"
    with record.open("rb") as file:
        last = read_history(file, find).last
    assert last.result
    assert last.result.reason == "passes"
    black, white = last.result.scores
    # GNU Go reads the match from SGF, and agrees about the stones, and the score of what is on the board.
    sgf = tmp_path / "match.sgf"
    sgf.write_text(referee("replay", "--sgf", str(record)).stdout, encoding="utf-8")
    replies = ask_gnu_go(program, f"loadsgf {sgf}", "get_komi", "list_stones black", "list_stones white")
    view = last.require_position().view(REFEREE)
    assert isinstance(view, dict)
    assert replies[1] == "7.5"
    assert [sorted(reply.split()) for reply in replies[2:]] == [sorted(view["black"]), sorted(view["white"])]
    winner = "B" if black > white else "W"
    assert f"RE[{winner}+{abs(black - white):g}]" in sgf.read_text(encoding="utf-8")
    counted = subprocess.run(
        [program, "--chinese-rules", "--score", "estimate", "-l", str(sgf), "--quiet"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert re.search(r"(Black|White) wins by ([\d.]+)", counted.stdout), counted.stdout
    assert f"{'Black' if winner == 'B' else 'White'} wins by {abs(black - white):.1f}" in counted.stdout


@pytest.mark.parametrize(
    ("behaviour", "clock", "status", "reason"),
    [
        ("nonsense", "60", 3, "bad illegal at ply 0: '=Z0'"),
        ("error", "60", 3, "bad illegal at ply 0: '?no'"),
        ("hangs", "3", 3, "bad late at ply 0"),
        ("chatters", "3", 3, "bad late at ply 0"),
        ("replies without end", "60", 0, "resignation"),
        ("crashes", "60", 0, "resignation"),
        ("resigns", "60", 0, "resignation"),
    ],
)
def test_the_opponent_of_a_faulty_engine_gets_a_result(
    tmp_path: Path, behaviour: str, clock: str, status: int, reason: str
) -> None:
    completed = referee(
        *("match", gtp_engine("bad", f"'{behaviour}'"), gtp_engine("good", "good"), "--game", "go"),
        *("--preset", "9x9", "--clock", clock, "--out", str(tmp_path)),
    )
    assert f"bad 0, good 1 ({reason}" in completed.stdout, completed.stdout + completed.stderr
    assert completed.returncode == status


def test_an_engine_plays_with_a_handicap_and_is_asked_to_quit(tmp_path: Path) -> None:
    told = tmp_path / "told"
    completed = referee(
        *("match", gtp_engine("one", "good", str(told)), gtp_engine("two", "good"), "--game", "go"),
        *("--option", "size=9", "--option", "handicap=5", "--option", "komi=0.5", "--games", "2"),
        *("--no-clock", "--out", str(tmp_path / "out")),
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr
    assert record_files(tmp_path / "out") == ["one.two.1.jsonl", "one.two.2.jsonl"]
    assert told.read_text(encoding="utf-8") == "quit"
    (record, *_) = tmp_path.glob("out/records/go/*.jsonl")
    assert "HA[5]AB[cg][gg][ee][cc][gc]PL[W]" in referee("replay", "--sgf", str(record)).stdout


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("--gtp --uci", "--uci and --gtp exclude each other"),
        ("--gtp --games chess go", "an engine of this kind plays only go, not chess go"),
        ("--gtp --option Hash=1", "--option sets an option of a UCI engine, and needs --uci"),
    ],
)
def test_options_that_contradict_each_other_are_refused(tmp_path: Path, words: str, error: str) -> None:
    completed = referee(
        *("match", f"one=grpc:{sys.executable} -m referee_client.bridge {words} -- cat", "random"),
        *("--out", str(tmp_path / "out")),
    )
    assert completed.returncode == 4
    assert error in completed.stdout + completed.stderr
