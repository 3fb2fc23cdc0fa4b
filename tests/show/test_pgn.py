"""Matches of chess as PGN, read again by python-chess."""

import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from chess.pgn import Game, read_game
from click.testing import CliRunner, Result
from referee_values import Adjudication

from engines.chess import GAME
from engines.registry import find
from referee.cli import main
from referee.match.clock import SECOND, Fischer, PerMove, SuddenDeath, Untimed
from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import Command, FallFlag, Resign, StartPlay, SubmitMove, VoidMatch
from referee.match.result import EndCause
from referee.match.setup import Player
from referee.records.packed_records import PackedRecords
from tests.match.setups import make_setup
from tests.records.forgery import lines_of, record_of
from tests.records.matches import decided_events, random_match, short_match

FOOLS_MATE = "f2f3 e7e5 g2g4 d8h4"


def record(
    moves: str, *after: Command, chess960: bool = False, scores: Sequence[int | None] | None = None, **terms: object
) -> bytes:
    """Return the record of a match of these moves, one a second, each with its score."""
    usual: dict[str, object] = {
        "match_id": "m1",
        "game": "chess",
        "game_version": GAME.version,
        "settings": GAME.settings({"chess960": chess960}),
        "players": (Player("ada", "1"), Player("bob", "2")),
        "controls": (Fischer(10 * SECOND, SECOND // 2),) * 2,
        "seed": bytes(32),
        "labels": (("title", 'a "final"'),),
    }
    asked: list[tuple[int, Command]] = [(0, StartPlay())]
    for ply, move in enumerate(moves.split()):
        at_us = (ply + 1) * SECOND
        score = None if scores is None else scores[ply]
        answer = SubmitMove(ply % 2, f"{ply % 2}.{ply}.1", move, TurnMeasurement(at_us), score=score)
        asked.append((at_us, answer))
    asked += [(60 * SECOND, command) for command in after]
    return record_of(decided_events(make_setup(**{**usual, **terms}), *asked))


def pgn_of(folder: Path, data: bytes) -> Game:
    file = folder / "record.jsonl"
    file.write_bytes(data)
    result = CliRunner().invoke(main, ["replay", "--pgn", str(file)])
    assert result.exit_code == 0, result.output
    game = read_game(io.StringIO(result.stdout))
    assert game is not None
    assert not game.errors
    return game


def test_a_match_has_its_headers_moves_and_clocks(tmp_path: Path) -> None:
    game = pgn_of(tmp_path, record(FOOLS_MATE))
    headers = dict(game.headers)
    assert headers.pop("Date") == headers.pop("UTCDate")
    assert headers.pop("UTCTime")
    assert headers == {
        "Event": 'a "final"',
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
    game = pgn_of(tmp_path, record(FOOLS_MATE, players=players, labels=tuple(labels.items())))
    headers = game.headers
    assert (headers["Event"], headers["Round"], headers["White"], headers["Black"]) == (event, event_round, "sf", "bob")


def test_scores_are_evaluations_for_white(tmp_path: Path) -> None:
    game = pgn_of(tmp_path, record("e2e4 e7e5 d2d4", Resign(0), scores=(35, -20, None)))
    found = [node.eval() for node in game.mainline()]
    assert [evaluation and evaluation.white().score() for evaluation in found] == [35, 20, None]
    assert game.next().comment == "[%eval 0.35] [%clk 0:00:09.5]"  # type: ignore[union-attr]  # There is a move.


def test_a_match_that_its_terms_ended_is_adjudicated(tmp_path: Path) -> None:
    headers = pgn_of(tmp_path, record("e2e4 e7e5", adjudication=Adjudication(max_plies=2))).headers
    assert (headers["Result"], headers["Termination"]) == ("1/2-1/2", "adjudication")


def test_an_opening_is_the_first_position(tmp_path: Path) -> None:
    opening = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
    game = pgn_of(tmp_path, record("e2e4 e8e7", Resign(0), opening=opening))
    assert (game.headers["FEN"], game.headers["Result"]) == (opening, "0-1")
    assert game.end().board().fen() == "8/4k3/8/8/4P3/8/8/4K3 w - - 1 2"


def test_chess960_is_a_variant_with_its_first_position(tmp_path: Path) -> None:
    ready = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    game = pgn_of(tmp_path, record("e1h1 e8a8", Resign(1), chess960=True, opening=ready))
    assert (game.headers["Variant"], game.headers["FEN"]) == ("Chess960", ready)
    assert [node.san() for node in game.mainline()] == ["O-O", "O-O-O"]


@pytest.mark.parametrize(
    ("after", "result", "termination"),
    [
        (Resign(0), "0-1", "normal"),
        (FallFlag(0, TurnMeasurement(60 * SECOND)), "0-1", "time forfeit"),
        (VoidMatch(EndCause.ABORTED), "*", "abandoned"),
    ],
)
def test_the_end_is_the_result_and_a_termination(tmp_path: Path, after: Command, result: str, termination: str) -> None:
    headers = pgn_of(tmp_path, record("e2e4 e7e5", after)).headers
    assert (headers["Result"], headers["Termination"]) == (result, termination)


def test_a_draw_by_the_rules_is_a_half_each(tmp_path: Path) -> None:
    assert pgn_of(tmp_path, record("g1f3 g8f6 f3g1 f6g8 " * 2)).headers["Result"] == "1/2-1/2"


def test_a_match_that_did_not_start_has_no_moves(tmp_path: Path) -> None:
    file = lines_of(record("e2e4", Resign(1)))
    (tmp_path / "record.jsonl").write_bytes(b"".join(file[:2]))
    result = CliRunner().invoke(main, ["replay", "--pgn", str(tmp_path / "record.jsonl")])
    assert '[Termination "unterminated"]' in result.stdout
    assert result.stdout.endswith("\n\n*\n")


@pytest.mark.parametrize(
    ("controls", "written"),
    [
        ((SuddenDeath(300 * SECOND),) * 2, "300"),
        ((Untimed(),) * 2, "-"),
        ((PerMove(60 * SECOND),) * 2, "?"),
        ((SuddenDeath(300 * SECOND), SuddenDeath(60 * SECOND)), "?"),
    ],
)
def test_the_time_control_is_written_where_pgn_has_a_word(
    tmp_path: Path, controls: tuple[object, ...], written: str
) -> None:
    assert pgn_of(tmp_path, record("e2e4", Resign(1), controls=controls)).headers["TimeControl"] == written


def test_a_match_of_another_game_and_other_options_are_refused(tmp_path: Path) -> None:
    (tmp_path / "chess.jsonl").write_bytes(record(FOOLS_MATE))
    both = CliRunner().invoke(main, ["replay", "--pgn", "--all", str(tmp_path / "chess.jsonl")])
    assert (both.exit_code, "excludes all other options" in both.output) == (2, True)
    (tmp_path / "trox.jsonl").write_bytes(record_of(random_match(find("trox"), 1, max_answers=4)))
    other = CliRunner().invoke(main, ["replay", "--pgn", str(tmp_path / "trox.jsonl")])
    assert (other.exit_code, "this is a match of trox" in other.output) == (2, True)


def export(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["export", *map(str, arguments)])


def test_the_chess_of_many_records_is_exported_as_one_file(tmp_path: Path) -> None:
    folder = tmp_path / "records"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(record(FOOLS_MATE))
    with PackedRecords(folder / "b.pack") as packed:
        packed.append(record("e2e4", Resign(1), match_id="m2"))
        packed.append(record_of(short_match(match_id="m3")))
    (folder / "torn.jsonl").write_bytes(b"".join(lines_of(record("e2e4", Resign(1)))[:3]))
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
    (tmp_path / "a.jsonl").write_bytes(record(FOOLS_MATE))
    monkeypatch.setattr("engines.registry._is_installed", lambda _: False)
    result = export(tmp_path / "a.jsonl", "-o", tmp_path / "games.pgn")
    assert result.exit_code == 2
    assert "pip install 'referee[chess]'" in " ".join(result.output.split())
