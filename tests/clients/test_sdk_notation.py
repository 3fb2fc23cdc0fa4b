"""Notation of each game as parsed by the SDK, compared with the engines' views of the same positions."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from referee_client.notation import alquerque, toc, troke, trox
from referee_client.notation.errors import Unreadable

from engines.api import Position
from engines.registry import find

SEED = bytes(32)
MAX_PLIES = 120


def positions(game: str, seed: int, **options: str | int | bool) -> Iterator[tuple[Position, list[str]]]:
    """Yield the positions of a random game, each with its legal moves."""
    rules, chance = find(game), random.Random(seed)
    position = rules.start(rules.settings(options), SEED)
    for _ in range(MAX_PLIES):
        if position.outcome:
            return
        seat = position.owing[0]
        moves = list(position.moves(seat))
        yield position, moves
        position = position.play(seat, chance.choice(moves))


def view(position: Position, viewer: int = 0) -> Any:
    return position.view(viewer)


@pytest.mark.parametrize("options", [{}, {"huff": True, "no_return": "ever", "multi_pawn": True}])
def test_parsed_positions_of_alquerque_match_their_views(options: dict[str, bool | str]) -> None:
    for position, moves in positions("alquerque", 1, **options):
        read, seen = alquerque.position(str(position)), view(position)
        assert read.men == {point: man for point, man in seen["points"].items() if man}
        assert (read.to_move, read.plies_without_capture) == (seen["to_move"], seen["plies_without_capture"])
        assert (read.again, list(read.huffable)) == (seen["again"], seen["huffable"])
        assert {point: list(points) for point, points in read.left.items()} == seen["left"]
        for move in map(alquerque.move, moves):
            assert move.huffs or read.men[move.points[0]] == read.to_move


@pytest.mark.parametrize("seed", range(3))
def test_parsed_positions_of_trox_match_their_views(seed: int) -> None:
    for position, moves in positions("trox", seed):
        read, seen = trox.position(str(position)), view(position)
        cells = {cell: colour for piece in seen["pieces"].values() for cell, colour in piece.items()}
        assert {str(cell): colour for cell, colour in read.colours.items()} == cells
        pawns = {"round": read.round, "square": read.square, "neutral": read.neutral}
        assert {str(cell): who for who, cells in pawns.items() for cell in cells} == seen["pawns"]
        assert (read.to_move, read.plies, read.passes) == (seen["to_move"], seen["plies"], seen["passes"])
        for move in map(trox.move, moves):
            free = read.free | set(move.lays.cells if move.lays else ())
            assert move.passes or move.to in free


@pytest.mark.parametrize("seats", [2, 4])
def test_parsed_positions_of_troke_match_their_views(seats: int) -> None:
    for position, moves in positions("troke", 1, seats=seats):
        read, seen = troke.position(str(position)), view(position)
        circles = {at: {shape: owner for shape, owner in on.items() if owner} for at, on in seen["circles"].items()}
        assert read.circles == {at: on for at, on in circles.items() if on}
        assert read.chips == tuple(seen["chips"].values())
        assert read.castles == tuple(seen["castles"].values())
        assert (read.to_move, read.plies, len(read.barred)) == (seen["to_move"], seen["plies"], len(seen["barred"]))
        for move in map(troke.move, moves):
            assert move.passes or read.circles[move.start][move.shape] == read.to_move


def test_a_position_of_troke_shows_who_must_clear_a_row() -> None:
    read = troke.position("f3:Mw,f5:Tr w 12/12 0/0 1 back=Tf5-d5 clear=w")
    assert (read.must_clear, len(read.barred)) == (("white",), 1)


@pytest.mark.parametrize("viewer", range(4))
def test_parsed_positions_of_toc_match_the_views_of_each_seat(viewer: int) -> None:
    for position, moves in positions("toc", 2, back_shortcut=False):
        read, seen = toc.position(position.text(viewer)), view(position, viewer)
        pawns = [[{"at": pawn.at, "fresh": pawn.fresh, "laps": pawn.laps} for pawn in four] for four in read.pawns]
        assert pawns == seen["pawns"]
        assert [list(hand) for hand in read.hands] == seen["hands"]
        assert (list(read.played), list(read.deck)) == (seen["played"], seen["deck"])
        assert (read.turns, read.dealer) == (seen["turns"], seen["dealer"])
        assert (read.mover is None) == (seen["phase"] == "exchange")
        seat = position.owing[0]
        held = toc.position(position.text(seat)).hands[seat]
        assert all(toc.move(move).card in held for move in moves)


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("b2-c3", alquerque.Move(("b2", "c3"))),
        ("e3xc1xc3", alquerque.Move(("e3", "c1", "c3"), captures=2)),
        ("!c3", alquerque.Move(("c3",))),
    ],
)
def test_moves_of_alquerque(text: str, means: alquerque.Move) -> None:
    assert alquerque.move(text) == means


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("+0.1u", trox.Move(trox.Cell(0, 1, up=True))),
        ("0.1u>2.0d", trox.Move(trox.Cell(2, 0, up=False), start=trox.Cell(0, 1, up=True))),
        ("pass", trox.Move()),
    ],
)
def test_moves_of_trox(text: str, means: trox.Move) -> None:
    assert trox.move(text) == means


def test_a_piece_of_trox_knows_its_cells_and_their_colours() -> None:
    laid = trox.move("BRN@0.0u/0.-1d:0.0d").lays
    assert laid
    assert {str(cell): colour for cell, colour in laid.cells.items()} == {
        "0.0d": "blue",
        "0.0u": "red",
        "-1.0d": "black",
    }


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("Tb1-c2", troke.Move("tower", "b1", (troke.Step("c2", captures=False),))),
        (
            "Md1xd3-d5-d7",
            troke.Move(
                "moat",
                "d1",
                (troke.Step("d3", captures=True), troke.Step("d5", captures=False), troke.Step("d7", captures=False)),
            ),
        ),
        ("pass", troke.Move()),
        ("pass!", troke.Move(demands=True)),
        ("Tb1-c2!", troke.Move("tower", "b1", (troke.Step("c2", captures=False),), demands=True)),
    ],
)
def test_moves_of_troke(text: str, means: troke.Move) -> None:
    assert troke.move(text) == means


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("=5H", toc.Move("5H", "gift")),
        ("=?", toc.Move("?", "gift")),
        ("-3C", toc.Move("3C", "discard")),
        ("KD:R>18", toc.Move("KD", "walk", (toc.Walk("R", "18"),))),
        ("7D:30>33,50>H1", toc.Move("7D", "walk", (toc.Walk("30", "33"), toc.Walk("50", "H1")))),
        ("7D:30>37x33x35", toc.Move("7D", "walk", (toc.Walk("30", "37"),), kills=("33", "35"))),
        ("JH:5<>40", toc.Move("JH", "swap", swap=toc.Swap("5", "40"))),
    ],
)
def test_moves_of_toc(text: str, means: toc.Move) -> None:
    assert toc.move(text) == means


@pytest.mark.parametrize("module", [alquerque, trox, troke, toc])
@pytest.mark.parametrize("text", ["", "nonsense", "b2-", "9C:99>5", "+0.1", "Tb1"])
def test_an_invalid_move_is_not_parsed(module: Any, text: str) -> None:
    with pytest.raises(Unreadable):
        module.move(text)


@pytest.mark.parametrize("module", [alquerque, trox, troke, toc])
@pytest.mark.parametrize("text", ["", "nonsense", "5/5/5/5/6 w 0", "- - - - - round 0 0", "b1: r"])
def test_an_invalid_position_is_not_parsed(module: Any, text: str) -> None:
    with pytest.raises(Unreadable):
        module.position(text)
