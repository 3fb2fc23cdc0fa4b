"""Chess engines that speak UCI, in local matches: two of Debian's, and small ones that misbehave."""

import io
from pathlib import Path

import pytest
from chess.pgn import read_game

from tests.local.game_engines import (
    check_contradiction,
    check_opponent_result,
    check_quit,
    find_engine,
    play_engines,
)
from tests.local.test_commands import record_files, referee

pytestmark = pytest.mark.slow

CHESS = ("--game", "chess")


def debian_engines() -> tuple[str, str]:
    """Return the notation of a strong and a weak engine."""
    strong = f"sf=uci:Threads=1 'Move Overhead=50' {find_engine('stockfish')}"
    return strong, f"gnu=uci:{find_engine('gnuchess')} --uci"


def test_two_engines_of_debian_play_on_clocks_and_leave_a_valid_record(tmp_path: Path) -> None:
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


@pytest.mark.parametrize(
    ("behaviour", "clock", "status", "reason"),
    [
        ("nonsense", "60", 3, "bad illegal: 'a1a1'"),
        ("hangs", "3", 3, "bad late; match "),
        ("crashes", "60", 0, "resignation"),
    ],
)
def test_the_opponent_of_a_faulty_engine_gets_a_result(
    tmp_path: Path, behaviour: str, clock: str, status: int, reason: str
) -> None:
    check_opponent_result("uci", behaviour, clock, status, reason, tmp_path, *CHESS)


def test_an_engine_plays_chess960_and_is_asked_to_quit(tmp_path: Path) -> None:
    out = check_quit("uci", "random", tmp_path, *CHESS, "--option", "chess960=true")
    assert record_files(out) == ["1.1.1.jsonl"]


def test_an_option_of_an_engine_needs_uci(tmp_path: Path) -> None:
    error = "--option sets an option of a UCI engine, and needs --uci"
    check_contradiction("--option Hash=1", error, tmp_path / "out")
