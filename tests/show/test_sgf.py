"""Matches of Go as SGF."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from engines.go import GAME
from engines.registry import find
from referee.cli import main
from referee.match.clock import SECOND, Fischer, JapaneseByoYomi, SuddenDeath, Untimed
from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import Command, FallFlag, Resign, StartPlay, SubmitMove, VoidMatch
from referee.match.result import EndCause
from referee.match.setup import Player
from tests.match.setups import make_setup
from tests.records.forgery import lines_of, record_of
from tests.records.matches import decided_events, random_match

WHOLE = "C3 D4 pass pass"
NO_OPTIONS: dict[str, str] = {}


def record(moves: str, *after: Command, options: dict[str, str] = NO_OPTIONS, first: int = 0, **terms: object) -> bytes:
    """Return the record of a match of these moves, one a second; `first` is the seat that begins."""
    usual: dict[str, object] = {
        "match_id": "m1",
        "game": "go",
        "game_version": GAME.version,
        "settings": GAME.settings({"size": "5", **options}),
        "players": (Player("ada", "1"), Player("bob", "2")),
        "controls": (Fischer(10 * SECOND, SECOND // 2),) * 2,
        "seed": bytes(32),
        "labels": (("title", "a [final] \\ n"),),
    }
    asked: list[tuple[int, Command]] = [(0, StartPlay())]
    for ply, move in enumerate(moves.split()):
        at_us, seat = (ply + 1) * SECOND, (ply + first) % 2
        asked.append((at_us, SubmitMove(seat, f"{seat}.{ply}.1", move, TurnMeasurement(at_us))))
    asked += [(60 * SECOND, command) for command in after]
    return record_of(decided_events(make_setup(**{**usual, **terms}), *asked))


def sgf_of(folder: Path, data: bytes) -> str:
    file = folder / "record.jsonl"
    file.write_bytes(data)
    result = CliRunner().invoke(main, ["replay", "--sgf", str(file)])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_match_has_its_rules_bots_result_moves_and_clocks(tmp_path: Path) -> None:
    written = sgf_of(tmp_path, record(WHOLE))
    assert re.sub(r"DT\[\d{4}-\d\d-\d\d\]", "", written) == (
        "(;GM[1]FF[4]CA[UTF-8]AP[Referee]SZ[5]KM[7.5]RU[Chinese]PB[ada 1]PW[bob 2]EV[a [final\\] \\\\ n]RE[W+7.5]"
        "GC[size=5, komi=7.5, ko=positional, suicide=forbidden, handicap=0, max_plies=0]TM[10]OT[0.5 fischer]\n"
        ";B[cc]BL[9.500]\n;W[db]WL[9.500]\n;B[]BL[9.000]\n;W[]WL[9.000])\n"
    )


def test_an_opening_is_written_as_stones(tmp_path: Path) -> None:
    written = sgf_of(tmp_path, record("B3 C3", Resign(1), first=1, opening="5/1bw2/b1bw1/1bw2/5 w 0 9"))
    assert "AB[bd][ac][cc][bb]AW[cd][dc][cb]PL[W]\n;W[bc]" in written


def test_a_handicap_is_written_with_its_stones(tmp_path: Path) -> None:
    options = {"size": "9", "handicap": "2", "komi": "-0.5"}
    assert "HA[2]AB[cg][gc]PL[W]\n;W[ee]" in sgf_of(tmp_path, record("E5", Resign(0), first=1, options=options))


@pytest.mark.parametrize(
    ("after", "result"),
    [(Resign(0), "W+R"), (FallFlag(0, TurnMeasurement(60 * SECOND)), "W+T"), (VoidMatch(EndCause.ABORTED), "Void")],
)
def test_the_end_is_the_result(tmp_path: Path, after: Command, result: str) -> None:
    assert f"RE[{result}]" in sgf_of(tmp_path, record("C3 D4", after))


def test_a_draw_is_zero_and_illegal_moves_are_a_forfeit(tmp_path: Path) -> None:
    assert "RE[0]" in sgf_of(tmp_path, record("pass pass", options={"komi": "0"}))
    illegal = [SubmitMove(1, f"1.1.{attempt}", "C3", TurnMeasurement(60 * SECOND)) for attempt in (1, 2, 3)]
    assert "RE[B+F]" in sgf_of(tmp_path, record("C3", *illegal, controls=(Untimed(),) * 2))


def test_a_match_that_did_not_start_has_no_moves(tmp_path: Path) -> None:
    file = lines_of(record("C3", Resign(1)))
    written = sgf_of(tmp_path, b"".join(file[:2]))
    assert ("RE[?]" in written, written.count(";")) == (True, 1)


@pytest.mark.parametrize(
    ("options", "rules"),
    [
        ({"suicide": "allowed"}, "Tromp-Taylor"),
        ({"suicide": "allowed", "ko": "situational"}, "NZ"),
        ({"suicide": "allowed", "ko": "simple"}, "Chinese"),
        ({}, "Chinese"),
    ],
)
def test_the_rules_have_a_name(tmp_path: Path, options: dict[str, str], rules: str) -> None:
    assert f"RU[{rules}]" in sgf_of(tmp_path, record("C3", Resign(1), options=options))


@pytest.mark.parametrize(
    ("controls", "written"),
    [
        ((SuddenDeath(300 * SECOND),) * 2, "TM[300]"),
        ((Untimed(),) * 2, ""),
        ((SuddenDeath(300 * SECOND), SuddenDeath(60 * SECOND)), ""),
        ((JapaneseByoYomi(60 * SECOND, 30 * SECOND, 5),) * 2, "OT[1 min + 5 × 30 s byo-yomi]"),
    ],
)
def test_the_time_control_is_written(tmp_path: Path, controls: tuple[object, ...], written: str) -> None:
    text = sgf_of(tmp_path, record("C3", Resign(1), controls=controls)).split("\n")[0]
    assert "".join(re.findall(r"(?:TM|OT)\[[^]]*\]", text)) == written


def test_a_match_of_another_game_and_other_options_are_refused(tmp_path: Path) -> None:
    (tmp_path / "go.jsonl").write_bytes(record(WHOLE))
    for other in ("--all", "--pgn", "--spectator"):
        both = CliRunner().invoke(main, ["replay", "--sgf", other, str(tmp_path / "go.jsonl")])
        assert (both.exit_code, "excludes all other options" in both.output) == (2, True)
    (tmp_path / "trox.jsonl").write_bytes(record_of(random_match(find("trox"), 1, max_answers=4)))
    trox = CliRunner().invoke(main, ["replay", "--sgf", str(tmp_path / "trox.jsonl")])
    assert (trox.exit_code, "SGF is a notation of go, and this is a match of trox" in trox.output) == (2, True)
