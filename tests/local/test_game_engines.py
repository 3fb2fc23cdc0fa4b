"""Engines of chess (UCI) and Go (GTP) in local matches: those of Debian, and small scripted ones that misbehave."""

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from chess.pgn import read_game

from engines.api import REFEREE
from engines.registry import find
from referee.records.record_reader import read_history
from tests.local.test_commands import record_files, referee, table_row

pytestmark = pytest.mark.slow

PROGRAMS = Path(__file__).parents[1] / "clients"


def find_engine(name: str) -> str:
    """Return the path of an engine of Debian. The test is skipped if it is missing, but fails in CI."""
    found = shutil.which(name, path=f"{os.environ['PATH']}{os.pathsep}/usr/games")
    if found:
        return found
    why = f"{name} is not installed"
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)


def scripted_engine(protocol: str, name: str, *words: str) -> str:
    """Return the notation of a small engine, which speaks `uci` or `gtp` and behaves as the words say."""
    program = PROGRAMS / f"{protocol}_program.py"
    return f"{name}={protocol}:{shlex.join([sys.executable, str(program), *words])}"


def play_engines(first: str, second: str, clock: str, out: Path, *options: str) -> tuple[Path, str]:
    """Let two engines play a match on clocks. Check its record; return it, and how it is replayed."""
    completed = referee("match", first, second, *options, "--clock", clock, "--out", str(out))
    assert completed.returncode == 0, completed.stdout + completed.stderr
    (record,) = out.glob("records/*.jsonl")
    assert ": fine: match " in referee("verify", str(record)).stdout
    assert table_row(completed.stdout, first.partition("=")[0])[0] == "1"
    return record, referee("replay", str(record)).stdout


def check_quit(protocol: str, opponent: str, folder: Path, *options: str) -> Path:
    """Let a good engine play, which must be asked to quit at the end; return the folder of the results."""
    told, out = folder / "told", folder / "out"
    engine = scripted_engine(protocol, "one", "good", str(told))
    completed = referee("match", engine, opponent, *options, "--no-clock", "--out", str(out))
    assert completed.returncode == 0, completed.stdout + completed.stderr
    assert told.read_text(encoding="utf-8") == "quit"
    return out


GAMES = {"uci": ("--game", "chess"), "gtp": ("--game", "go", "--preset", "9x9")}


@pytest.mark.parametrize(
    ("protocol", "behaviour", "clock", "status", "reason"),
    [
        ("uci", "nonsense", "60", 3, "bad illegal: 'a1a1'"),
        ("uci", "hangs", "3", 3, "bad late; match "),
        ("uci", "crashes", "60", 3, "resignation"),
        ("gtp", "nonsense", "60", 3, "bad illegal: '=Z0'"),
        ("gtp", "error", "60", 3, "bad illegal: '?no'"),
        ("gtp", "hangs", "3", 3, "bad late; match "),
        ("gtp", "chatters", "3", 3, "bad late; match "),
        ("gtp", "replies without end", "60", 3, "resignation"),
        ("gtp", "crashes", "60", 3, "resignation"),
        ("gtp", "resigns", "60", 0, "resignation"),
    ],
)
def test_the_opponent_of_a_faulty_engine_gets_a_result(
    tmp_path: Path, protocol: str, behaviour: str, clock: str, status: int, reason: str
) -> None:
    bad, good = scripted_engine(protocol, "bad", behaviour), scripted_engine(protocol, "good", "good")
    completed = referee("match", bad, good, *GAMES[protocol], "--clock", clock, "--out", str(tmp_path))
    assert "bad 0, good 1" in completed.stdout, completed.stdout + completed.stderr
    (record,) = tmp_path.glob("records/*.jsonl")
    assert reason in completed.stdout + referee("verify", str(record)).stdout
    assert completed.returncode == status


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("--gtp --uci", "--uci and --gtp exclude each other"),
        ("--gtp --games chess go", "an engine of this kind plays only go, not chess go"),
        ("--gtp --option Hash=1", "--option sets an option of a UCI engine, and needs --uci"),
        ("--option Hash=1", "--option sets an option of a UCI engine, and needs --uci"),
    ],
)
def test_options_that_contradict_each_other_are_refused(tmp_path: Path, words: str, error: str) -> None:
    bridge = f"one=grpc:{sys.executable} -m referee_client.bridge {words} -- cat"
    completed = referee("match", bridge, "random", "--out", str(tmp_path / "out"))
    assert completed.returncode == 4
    assert error in completed.stdout + completed.stderr


CHESS = ("--game", "chess")


def debian_engines() -> tuple[str, str]:
    """Return the notation of a strong and a weak engine."""
    strong = f"sf=uci:Threads=1 'Move Overhead=50' {find_engine('stockfish')}"
    return strong, f"gnu=uci:{find_engine('gnuchess')} --uci"


def test_two_chess_engines_of_debian_play_on_clocks_and_leave_a_valid_record(tmp_path: Path) -> None:
    record, replayed = play_engines(*debian_engines(), "10+0.1", tmp_path, *CHESS)
    assert "sf 1; 10 s + 100 ms per move" in replayed
    game = read_game(io.StringIO(referee("replay", "--pgn", str(record)).stdout))
    assert game is not None
    assert not game.errors
    headers = game.headers
    assert (headers["White"], headers["Termination"], headers["TimeControl"]) == ("sf", "normal", "10+0.1")
    assert game.end().ply() == int(game.headers["PlyCount"]) > 10
    assert all(0 < (node.clock() or 0) < 30 for node in game.mainline())


ODDS = """\
[Event "One queen more"]
[SetUp "1"]
[FEN "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"]

1. e4 {is enough} e5 2. Nf3 *
"""


def test_two_engines_play_an_opening_of_a_book_until_both_scores_agree(tmp_path: Path) -> None:
    book, out = tmp_path / "odds.pgn", tmp_path / "out"
    book.write_text(ODDS, encoding="utf-8")
    completed = referee(
        *("match", *debian_engines(), *CHESS, "--clock", "10+0.1", "--games", "2", "--out", str(out)),
        *("--openings", str(book), "--opening-plies", "2"),
        *("--adjudicate", "resign_score=300", "--adjudicate", "resign_moves=2"),
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr
    records = sorted(map(str, out.glob("records/*.jsonl")))
    assert len(records) == 2
    for line in referee("verify", *records).stdout.splitlines()[:2]:
        assert ": fine: match " in line
        assert "played, adjudication (resign_score), ranks 1 2" in line
    games = tmp_path / "games.pgn"
    assert "games.pgn: 2 games" in referee("export", str(out), "-o", str(games)).stdout
    with games.open(encoding="utf-8") as file:
        for _ in records:
            game = read_game(file)
            assert game is not None
            assert game.headers["FEN"] == "rnb1kbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
            assert (game.headers["Result"], game.headers["Termination"]) == ("1-0", "adjudication")
            scores = [node.eval() for node in game.mainline()]
            assert all(score is not None and score.white().score(mate_score=10_000) >= 300 for score in scores[-4:])


def test_an_engine_plays_chess960_and_is_asked_to_quit(tmp_path: Path) -> None:
    out = check_quit("uci", "random", tmp_path, *CHESS, "--option", "chess960=true")
    assert record_files(out) == ["1.1.1.jsonl"]


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


def test_two_go_engines_of_debian_play_on_clocks_and_leave_a_valid_record(tmp_path: Path) -> None:
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


def test_an_engine_plays_with_a_handicap_and_is_asked_to_quit(tmp_path: Path) -> None:
    options = [word for option in ("size=9", "handicap=5", "komi=0.5") for word in ("--option", option)]
    out = check_quit("gtp", scripted_engine("gtp", "two", "good"), tmp_path, "--game", "go", *options, "--games", "2")
    assert record_files(out) == ["1.1.1.jsonl", "2.1.1.jsonl"]
    (record, *_) = out.glob("records/*.jsonl")
    assert "HA[5]AB[cg][gg][ee][cc][gc]PL[W]" in referee("replay", "--sgf", str(record)).stdout
