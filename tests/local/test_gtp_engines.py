"""Go engines that speak GTP, in local matches: GNU Go at two levels, and small ones that misbehave."""

import re
import subprocess
from pathlib import Path

import pytest

from engines.api import REFEREE
from engines.registry import find
from referee.records.record_reader import read_history
from tests.local.game_engines import (
    check_contradiction,
    check_opponent_result,
    check_quit,
    find_engine,
    play_engines,
    scripted_engine,
)
from tests.local.test_commands import record_files, referee

pytestmark = pytest.mark.slow

ENDING = "--chinese-rules --capture-all-dead --play-out-aftermath --never-resign --positional-superko"
"""Options of GNU Go by which it takes dead stones off before it passes, and knows the ko rule of the match."""


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
    weak, strong = gnu_go(program, 1), gnu_go(program, 5)
    record, replayed = play_engines(weak, strong, "120+2", tmp_path, "--game", "go", "--preset", "9x9")
    assert "level1 1; 2 min + 2 s per move" in replayed
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
        ("nonsense", "60", 3, "bad illegal: '=Z0'"),
        ("error", "60", 3, "bad illegal: '?no'"),
        ("hangs", "3", 3, "bad late; match "),
        ("chatters", "3", 3, "bad late; match "),
        ("replies without end", "60", 0, "resignation"),
        ("crashes", "60", 0, "resignation"),
        ("resigns", "60", 0, "resignation"),
    ],
)
def test_the_opponent_of_a_faulty_engine_gets_a_result(
    tmp_path: Path, behaviour: str, clock: str, status: int, reason: str
) -> None:
    nine = ("--game", "go", "--preset", "9x9")
    check_opponent_result("gtp", behaviour, clock, status, reason, tmp_path, *nine)


def test_an_engine_plays_with_a_handicap_and_is_asked_to_quit(tmp_path: Path) -> None:
    options = [word for option in ("size=9", "handicap=5", "komi=0.5") for word in ("--option", option)]
    out = check_quit("gtp", scripted_engine("gtp", "two", "good"), tmp_path, "--game", "go", *options, "--games", "2")
    assert record_files(out) == ["1.1.1.jsonl", "2.1.1.jsonl"]
    (record, *_) = out.glob("records/*.jsonl")
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
    check_contradiction(words, error, tmp_path / "out")
