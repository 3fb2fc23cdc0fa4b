"""Matches of chess as PGN, read again by python-chess, and matches of Go as SGF."""

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from chess.pgn import Game, read_game
from click.testing import CliRunner, Result
from referee_values import Adjudication

from engines.registry import find
from referee.cli import main
from referee.match.clock import SECOND, Fischer, JapaneseByoYomi, PerMove, SuddenDeath, Untimed
from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import Command, FallFlag, Resign, StartPlay, SubmitMove, VoidMatch
from referee.match.result import EndCause
from referee.match.setup import Player
from referee.records.packed_records import PackedRecords
from tests.records.forgery import lines_of, record_of
from tests.records.matches import decided_events, nim_setup, random_match, short_match

FOOLS_MATE = "f2f3 e7e5 g2g4 d8h4"
FOUR_MOVES = "C3 D4 pass pass"
FLAG = FallFlag(0, TurnMeasurement(60 * SECOND))
FIVE_MINUTES, ONE_MINUTE = SuddenDeath(300 * SECOND), SuddenDeath(60 * SECOND)


def record(
    game: str,
    moves: str,
    *after: Command,
    options: dict[str, Any] | None = None,
    first: int = 0,
    scores: Sequence[int | None] = (),
    **terms: object,
) -> bytes:
    """Return the record of a match of these moves, one a second, with their scores; `first` is the seat that begins."""
    rules = find(game)
    usual: dict[str, object] = {
        "match_id": "m1",
        "game": game,
        "game_version": rules.version,
        "settings": rules.settings(options or {}),
        "controls": (Fischer(10 * SECOND, SECOND // 2),) * 2,
        "labels": (("title", r'a "final" [2] \ n'),),
    }
    asked: list[tuple[int, Command]] = [(0, StartPlay())]
    for ply, move in enumerate(moves.split()):
        at_us, seat = (ply + 1) * SECOND, (ply + first) % 2
        score = scores[ply] if scores else None
        asked.append((at_us, SubmitMove(seat, f"{seat}.{ply}.1", move, TurnMeasurement(at_us), score=score)))
    asked += [(60 * SECOND, command) for command in after]
    return record_of(decided_events(nim_setup(**{**usual, **terms}), *asked))


def chess(moves: str, *after: Command, **terms: Any) -> bytes:
    return record("chess", moves, *after, **terms)


def go(moves: str, *after: Command, options: dict[str, str] | None = None, **terms: Any) -> bytes:
    return record("go", moves, *after, options={"size": "5", **(options or {})}, **terms)


def replayed(folder: Path, data: bytes, *options: str) -> Result:
    file = folder / "record.jsonl"
    file.write_bytes(data)
    return CliRunner().invoke(main, ["replay", *options, str(file)])


def pgn_of(folder: Path, data: bytes) -> Game:
    result = replayed(folder, data, "--pgn")
    assert result.exit_code == 0, result.output
    game = read_game(io.StringIO(result.stdout))
    assert game is not None
    assert not game.errors
    return game


def sgf_of(folder: Path, data: bytes) -> str:
    result = replayed(folder, data, "--sgf")
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize(
    "options", [("--pgn", "--all"), ("--sgf", "--all"), ("--sgf", "--pgn"), ("--sgf", "--spectator")]
)
def test_a_notation_excludes_all_other_options(tmp_path: Path, options: tuple[str, str]) -> None:
    result = replayed(tmp_path, chess(FOOLS_MATE), *options)
    assert (result.exit_code, "excludes all other options" in result.output) == (2, True)


@pytest.mark.parametrize(
    ("option", "words"),
    [("--pgn", "this is a match of trox"), ("--sgf", "SGF is a notation of go, and this is a match of trox")],
)
def test_a_match_of_another_game_has_no_such_notation(tmp_path: Path, option: str, words: str) -> None:
    result = replayed(tmp_path, record_of(random_match(find("trox"), 1, max_answers=4)), option)
    assert (result.exit_code, words in result.output) == (2, True)


# PGN


def test_in_pgn_a_match_has_its_headers_moves_and_clocks(tmp_path: Path) -> None:
    game = pgn_of(tmp_path, chess(FOOLS_MATE))
    headers = dict(game.headers)
    assert headers.pop("Date") == headers.pop("UTCDate")
    assert headers.pop("UTCTime")
    assert headers == {
        "Event": r'a "final" [2] \ n',
        "Site": "?",
        "Round": "?",
        "White": "ada",
        "Black": "bob",
        "Result": "0-1",
        "TimeControl": "10+0.5",
        "Termination": "normal",
        "PlyCount": "4",
    }
    assert [node.uci() for node in game.mainline()] == FOOLS_MATE.split()
    assert [node.clock() for node in game.mainline()] == [9.5, 9.5, 9.0, 9.0]


@pytest.mark.parametrize(
    ("labels", "event", "event_round"),
    [
        ({"title": "final", "tournament": "cup", "pairing": "3.12"}, "final", "3.12"),
        ({"tournament": "cup", "pairing": "w2.1"}, "cup", "2.1"),
        ({"ladder": "blitz", "pairing": "17"}, "blitz", "?"),
        ({}, "?", "?"),
    ],
)
def test_event_and_round_are_those_of_the_contest(
    labels: dict[str, str], event: str, event_round: str, tmp_path: Path
) -> None:
    players = (Player("sf", "1"), Player("bob"))
    game = pgn_of(tmp_path, chess(FOOLS_MATE, players=players, labels=tuple(labels.items())))
    headers = game.headers
    assert (headers["Event"], headers["Round"], headers["White"], headers["Black"]) == (event, event_round, "sf", "bob")


def test_scores_are_evaluations_for_white(tmp_path: Path) -> None:
    game = pgn_of(tmp_path, chess("e2e4 e7e5 d2d4", Resign(0), scores=(35, -20, None)))
    found = [node.eval() for node in game.mainline()]
    assert [evaluation and evaluation.white().score() for evaluation in found] == [35, 20, None]
    assert game.next().comment == "[%eval 0.35] [%clk 0:00:09.5]"  # type: ignore[union-attr]  # There is a move.


def test_a_match_that_its_terms_ended_is_adjudicated(tmp_path: Path) -> None:
    headers = pgn_of(tmp_path, chess("e2e4 e7e5", adjudication=Adjudication(max_plies=2))).headers
    assert (headers["Result"], headers["Termination"]) == ("1/2-1/2", "adjudication")


def test_in_pgn_an_opening_is_the_first_position(tmp_path: Path) -> None:
    opening = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
    game = pgn_of(tmp_path, chess("e2e4 e8e7", Resign(0), opening=opening))
    assert (game.headers["FEN"], game.headers["Result"]) == (opening, "0-1")
    assert game.end().board().fen() == "8/4k3/8/8/4P3/8/8/4K3 w - - 1 2"


def test_chess960_is_a_variant_with_its_first_position(tmp_path: Path) -> None:
    ready = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    game = pgn_of(tmp_path, chess("e1h1 e8a8", Resign(1), options={"chess960": True}, opening=ready))
    assert (game.headers["Variant"], game.headers["FEN"]) == ("Chess960", ready)
    assert [node.san() for node in game.mainline()] == ["O-O", "O-O-O"]


@pytest.mark.parametrize(
    ("after", "result", "termination"),
    [
        (Resign(0), "0-1", "normal"),
        (FLAG, "0-1", "time forfeit"),
        (VoidMatch(EndCause.ABORTED), "*", "abandoned"),
    ],
)
def test_in_pgn_the_end_is_the_result_and_a_termination(
    tmp_path: Path, after: Command, result: str, termination: str
) -> None:
    headers = pgn_of(tmp_path, chess("e2e4 e7e5", after)).headers
    assert (headers["Result"], headers["Termination"]) == (result, termination)


def test_in_pgn_a_draw_by_the_rules_is_a_half_each(tmp_path: Path) -> None:
    assert pgn_of(tmp_path, chess("g1f3 g8f6 f3g1 f6g8 " * 2)).headers["Result"] == "1/2-1/2"


def test_in_pgn_a_match_that_did_not_start_has_no_moves(tmp_path: Path) -> None:
    result = replayed(tmp_path, b"".join(lines_of(chess("e2e4", Resign(1)))[:2]), "--pgn")
    assert '[Termination "unterminated"]' in result.stdout
    assert result.stdout.endswith("\n\n*\n")


@pytest.mark.parametrize(
    ("controls", "written"),
    [
        ((FIVE_MINUTES,) * 2, "300"),
        ((Untimed(),) * 2, "-"),
        ((PerMove(60 * SECOND),) * 2, "?"),
        ((FIVE_MINUTES, ONE_MINUTE), "?"),
    ],
)
def test_the_time_control_is_written_where_pgn_has_a_word(
    tmp_path: Path, controls: tuple[object, ...], written: str
) -> None:
    assert pgn_of(tmp_path, chess("e2e4", Resign(1), controls=controls)).headers["TimeControl"] == written


def export(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["export", *map(str, arguments)])


def test_the_chess_of_many_records_is_exported_as_one_file(tmp_path: Path) -> None:
    folder = tmp_path / "records"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(chess(FOOLS_MATE))
    with PackedRecords(folder / "b.pack") as packed:
        packed.append(chess("e2e4", Resign(1), match_id="m2"))
        packed.append(record_of(short_match(match_id="m3")))
    (folder / "torn.jsonl").write_bytes(b"".join(lines_of(chess("e2e4", Resign(1)))[:3]))
    output = tmp_path / "games.pgn"
    result = export(folder, "-o", output)
    assert result.exit_code == 3
    assert f"{output}: 2 games\n" in result.output
    assert "b.pack#m3 is left out: it is no match of chess" in result.output
    assert "torn.jsonl is left out" in result.output
    with output.open(encoding="utf-8") as file:
        games = [game.headers["Result"] for game in iter(lambda: read_game(file), None)]
    assert games == ["0-1", "1-0"]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["games.pgn", "records"]


def test_without_chess_an_export_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.jsonl").write_bytes(chess(FOOLS_MATE))
    monkeypatch.setattr("engines.registry._is_installed", lambda _: False)
    result = export(tmp_path / "a.jsonl", "-o", tmp_path / "games.pgn")
    assert result.exit_code == 2
    assert "pip install 'referee[chess]'" in " ".join(result.output.split())


# SGF


def test_in_sgf_a_match_has_its_rules_bots_result_moves_and_clocks(tmp_path: Path) -> None:
    written = sgf_of(tmp_path, go(FOUR_MOVES))
    assert re.sub(r"DT\[\d{4}-\d\d-\d\d\]", "", written) == (
        '(;GM[1]FF[4]CA[UTF-8]AP[Referee]SZ[5]KM[7.5]RU[Chinese]PB[ada 1]PW[bob 2]EV[a "final" [2\\] \\\\ n]RE[W+7.5]'
        "GC[size=5, komi=7.5, ko=positional, suicide=forbidden, handicap=0, max_plies=0]TM[10]OT[0.5 fischer]\n"
        ";B[cc]BL[9.500]\n;W[db]WL[9.500]\n;B[]BL[9.000]\n;W[]WL[9.000])\n"
    )


def test_in_sgf_an_opening_is_written_as_stones(tmp_path: Path) -> None:
    written = sgf_of(tmp_path, go("B3 C3", Resign(1), first=1, opening="5/1bw2/b1bw1/1bw2/5 w 0 9"))
    assert "AB[bd][ac][cc][bb]AW[cd][dc][cb]PL[W]\n;W[bc]" in written


def test_in_sgf_a_handicap_is_written_with_its_stones(tmp_path: Path) -> None:
    options = {"size": "9", "handicap": "2", "komi": "-0.5"}
    assert "HA[2]AB[cg][gc]PL[W]\n;W[ee]" in sgf_of(tmp_path, go("E5", Resign(0), first=1, options=options))


@pytest.mark.parametrize(
    ("after", "result"),
    [(Resign(0), "W+R"), (FLAG, "W+T"), (VoidMatch(EndCause.ABORTED), "Void")],
)
def test_in_sgf_the_end_is_the_result(tmp_path: Path, after: Command, result: str) -> None:
    assert f"RE[{result}]" in sgf_of(tmp_path, go("C3 D4", after))


def test_in_sgf_a_draw_is_zero_and_illegal_moves_are_a_forfeit(tmp_path: Path) -> None:
    assert "RE[0]" in sgf_of(tmp_path, go("pass pass", options={"komi": "0"}))
    illegal = [SubmitMove(1, f"1.1.{attempt}", "C3", TurnMeasurement(60 * SECOND)) for attempt in (1, 2, 3)]
    assert "RE[B+F]" in sgf_of(tmp_path, go("C3", *illegal, controls=(Untimed(),) * 2))


def test_in_sgf_a_match_that_did_not_start_has_no_moves(tmp_path: Path) -> None:
    written = sgf_of(tmp_path, b"".join(lines_of(go("C3", Resign(1)))[:2]))
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
def test_in_sgf_the_rules_have_a_name(tmp_path: Path, options: dict[str, str], rules: str) -> None:
    assert f"RU[{rules}]" in sgf_of(tmp_path, go("C3", Resign(1), options=options))


@pytest.mark.parametrize(
    ("controls", "written"),
    [
        ((FIVE_MINUTES,) * 2, "TM[300]"),
        ((Untimed(),) * 2, ""),
        ((FIVE_MINUTES, ONE_MINUTE), ""),
        ((JapaneseByoYomi(60 * SECOND, 30 * SECOND, 5),) * 2, "OT[1 min + 5 × 30 s byo-yomi]"),
    ],
)
def test_in_sgf_the_time_control_is_written(tmp_path: Path, controls: tuple[object, ...], written: str) -> None:
    text = sgf_of(tmp_path, go("C3", Resign(1), controls=controls)).split("\n")[0]
    assert "".join(re.findall(r"(?:TM|OT)\[[^]]*\]", text)) == written
