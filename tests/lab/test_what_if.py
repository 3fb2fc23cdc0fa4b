"""The worth of positions is estimated by playing on from them, with what the seat to move knew and nothing more."""

import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import cast

import pytest
from click.testing import CliRunner, Result

from engines.api import Game, Position, Table
from engines.game_errors import MalformedPosition
from engines.registry import find
from engines.toc.position import TocPosition
from referee.cli import main
from referee.lab import what_if
from referee.lab.what_if import (
    Line,
    PlayoutTerms,
    RecordedMove,
    can_be_judged,
    estimate,
    played_moves,
    run_playouts,
    shares_beaten,
)
from referee.match.clock import MS, SECOND
from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import Resign, SubmitMove
from referee.records.record_reader import read_record_history
from tests.cli.test_explain import alquerque_match
from tests.engines.toc.test_hidden import redealt
from tests.records.forgery import record_of
from tests.third_party_games.third_party_games import FINGERS, NIM

TOC = find("toc")
TERMS = PlayoutTerms(games=3, seed="test", max_moves=300)
MOVES = ("d2-c3", "b4xd2", "e1xc3", "d4xd2xb4")
"""The beginning of a game of Alquerque in which white loses more men than black."""


@pytest.fixture
def record(tmp_path: Path) -> Path:
    moves = [
        (number * MS, SubmitMove(number % 2, f"{number % 2}.{number}.1", move, TurnMeasurement(number * MS)))
        for number, move in enumerate(MOVES)
    ]
    path = tmp_path / "match.jsonl"
    path.write_bytes(record_of(alquerque_match(*moves, (SECOND, Resign(0)))))
    return path


def run_whatif(record: Path, *arguments: str) -> Result:
    result = CliRunner().invoke(main, ["whatif", str(record), "--workers", "1", *arguments])
    assert result.exit_code == 0, result.output
    return result


def line_to(position: Position) -> Line:
    game = "toc" if isinstance(position, TocPosition) else "alquerque"
    return Line(game, position.settings, str(position), ())


def toc_positions(number: int) -> Iterator[Position]:
    rng = random.Random(7)
    position = TOC.start(TOC.settings(), b"what if")
    for _ in range(number):
        yield position
        seat = position.owing[0]
        position = position.play(seat, rng.choice(position.moves(seat)))


def test_an_estimate_depends_on_nothing_that_the_seat_could_not_know() -> None:
    rng = random.Random(3)
    for position in list(toc_positions(120))[::24]:
        seat = position.owing[0]
        other = redealt(cast(TocPosition, position), seat, rng)
        assert str(other) != str(position)
        assert estimate(line_to(other), seat, TERMS, "") == estimate(line_to(position), seat, TERMS, "")


def test_the_worth_of_a_decided_position_is_its_result() -> None:
    game = find("alquerque")
    position = game.start(game.settings(), b"")
    while position.outcome is None:
        position = position.play(position.owing[0], position.moves(position.owing[0])[0])
    found = estimate(line_to(position), 0, PlayoutTerms(3), "")
    assert found
    assert found.means == position.outcome.scores
    assert found.errors == (0.0, 0.0)


def test_without_an_end_those_who_are_ahead_have_won() -> None:
    game = find("alquerque")
    start = game.start(game.settings(), b"")
    ahead = start.play(0, "d2-c3").play(1, "b4xd2")
    none = PlayoutTerms(2, max_moves=0)
    level, behind = (estimate(line_to(position), 0, none, "") for position in (start, ahead))
    assert level
    assert behind
    assert (level.means, behind.means) == ((0.5, 0.5), (0.0, 1.0))


@pytest.mark.parametrize(
    ("sides", "scores", "shares"),
    [
        (((0,), (1,)), (3.0, -1.0), [1.0, 0.0]),
        (((0,), (1,)), (7.0, 7.0), [0.5, 0.5]),
        (((0, 2), (1, 3)), (-2.0, -1.0), [0.0, 1.0, 0.0, 1.0]),
        (((0,), (1,), (2,), (3,)), (9.0, 8.0, 8.0, 1.0), [1.0, 0.5, 0.5, 0.0]),
    ],
)
def test_the_worth_is_the_share_of_sides_beaten_whatever_points_a_game_counts(
    sides: tuple[tuple[int, ...], ...], scores: tuple[float, ...], shares: list[float]
) -> None:
    assert shares_beaten(scores, Table(("a seat",) * len(shares), sides)) == shares


def test_a_game_that_cannot_draw_what_it_hides_cannot_be_judged() -> None:
    for game, can in ((FINGERS, False), (NIM, True), (TOC, True)):
        start = game.start(game.settings(), bytes(32))
        assert can_be_judged(game, RecordedMove(0, 1, "", start)) == can


def test_a_position_whose_hidden_part_cannot_be_drawn_has_no_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    start = TOC.start(TOC.settings(), bytes(32))
    monkeypatch.setattr(type(TOC), "imagine", _cannot_imagine)
    assert estimate(line_to(start), 0, TERMS, "") is None


def _cannot_imagine(_: Game, text: str, *__: object) -> Position:
    raise MalformedPosition(text, "too much of it is hidden")


def lose_estimates(monkeypatch: pytest.MonkeyPatch, is_lost: Callable[[Line], bool]) -> None:
    """Let some positions have no estimate, and compute the others in a thread of this process."""
    monkeypatch.setattr(what_if, "ProcessPoolExecutor", lambda workers, _: ThreadPoolExecutor(workers))
    monkeypatch.setattr(what_if, "estimate", lambda line, *terms: None if is_lost(line) else estimate(line, *terms))


def test_moves_without_an_estimate_are_left_out_and_named(
    record: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lose_estimates(monkeypatch, lambda line: len(line.moves) == 2)
    page = tmp_path / "page.html"
    output = run_whatif(record, "--games", "2", "--max-moves", "2", "--html", str(page)).output
    assert [line.split()[0] for line in output.splitlines() if line[:1].isdigit() and "(" in line] == ["0", "3"]
    assert "what the seat did not know cannot be drawn anew: ply 1, ply 2\n" in output
    assert "drawn anew: ply 1, ply 2<" in page.read_text()


def test_alternatives_without_an_estimate_are_left_out_and_named(record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lose_estimates(monkeypatch, lambda line: line.moves == ((0, "c2-c3"),))
    output = run_whatif(record, "--ply", "0", "--games", "2", "--max-moves", "2").output
    assert sorted(line[3:8] for line in output.splitlines()[2:-2]) == ["b2-c3", "d2-c3", "d3-c3"]
    assert "what the seat did not know cannot be drawn anew: c2-c3\n" in output


@pytest.mark.parametrize("arguments", [(), ("--ply", "0")])
def test_a_match_without_any_estimate_ends_in_a_sentence(
    record: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    lose_estimates(monkeypatch, lambda _: True)
    result = CliRunner().invoke(main, ["whatif", str(record), *arguments])
    assert result.exit_code == 1
    assert "Error: no move can be judged: Alquerque cannot draw anew what the seats did not know" in result.output


@pytest.mark.slow
def test_the_moves_of_a_match_are_judged_by_what_they_cost_their_seat(record: Path) -> None:
    history = read_record_history(record, find)
    moves = played_moves(history)
    assert [(move.ply, move.seat, move.move) for move in moves] == [(n, n % 2, move) for n, move in enumerate(MOVES)]
    with run_playouts(find("alquerque"), moves, PlayoutTerms(60, max_moves=6), workers=1) as playouts:
        judged = list(playouts.judge_match())
        again = list(playouts.judge_match())
        alternatives = playouts.judge_alternatives(0)
    assert [(move.before, move.after) for move in judged] == [(move.before, move.after) for move in again]
    # Nothing is hidden, so what follows a move precedes the next one.
    assert [move.after for move in judged[:-1]] == [move.before for move in judged[1:]]
    assert judged[0].is_certain
    assert {move.played.move for move in alternatives} == set(moves[0].before.moves(0))
    costs = [move.cost for move in alternatives]
    assert costs == sorted(costs)


@pytest.mark.slow
def test_the_command_names_what_cost_most_and_draws_the_curve(record: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    output = run_whatif(record, "--games", "60", "--max-moves", "6", "--html", str(page)).output
    assert "The moves that cost most:\n  ply 0, white (ada): d2-c3 cost 0." in output
    assert [line.split()[3] for line in output.splitlines() if line[:1].isdigit() and "(" in line] == list(MOVES)
    html = page.read_text()
    assert html.count('class="curve') == 2
    assert "d2-c3 cost" in html


@pytest.mark.slow
def test_the_command_compares_all_legal_moves_of_a_ply(record: Path) -> None:
    output = run_whatif(record, "--ply", "0", "--games", "4", "--max-moves", "4").output
    assert sorted(line[3:8] for line in output.splitlines()[2:-1]) == ["b2-c3", "c2-c3", "d2-c3", "d3-c3"]
    assert [line[3:8] for line in output.splitlines() if line.startswith("*  ")] == ["d2-c3"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--ply", "9"), "the last move was played at ply 3"),
        (("--ply", "1", "--html", "page.html"), "--html draws the whole match; leave out --ply"),
    ],
)
def test_what_cannot_be_shown_is_said(record: Path, arguments: tuple[str, ...], sentence: str) -> None:
    result = CliRunner().invoke(main, ["whatif", str(record), *arguments])
    assert result.exit_code == 2
    assert sentence in result.output
