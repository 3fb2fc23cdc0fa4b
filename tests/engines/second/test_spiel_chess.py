"""Chess agrees with OpenSpiel in moves, texts and ends, as far as OpenSpiel knows the options."""

import random

import pytest

from engines.api import Position
from engines.chess import GAME
from engines.testing.agreement import check_agreement, check_line
from tests.engines.second.spiel_chess import PYSPIEL


def random_match(rng: random.Random) -> Position:
    return check_agreement(GAME, PYSPIEL, GAME.start(GAME.settings(), b""), 1000, rng)


def played(text: str, *moves: str) -> Position:
    choices = [lambda at, move=move: (at.owing[0], move) for move in moves]
    return check_line(GAME, PYSPIEL, GAME.read(text, GAME.settings()), choices)


def reason(at: Position) -> str:
    return at.outcome.reason if at.outcome else ""


def test_random_matches_agree_with_openspiel() -> None:
    rng = random.Random("chess")
    for _ in range(5):
        assert random_match(rng).outcome


@pytest.mark.slow
def test_many_random_matches_agree_with_openspiel(rng: random.Random) -> None:
    for _ in range(200):
        assert random_match(rng).outcome


def test_castling_promotion_and_en_passant_have_the_same_texts() -> None:
    at = played("r3k2r/P7/8/8/4p3/8/3P4/R3K2R w KQkq - 0 1")
    assert {"e1g1", "e1c1", "a7b8q", "a7b8n"} & set(at.moves(0)) == {"e1g1", "e1c1"}
    assert "e4d3" in played("r3k2r/P7/8/8/4p3/8/3P4/R3K2R w KQkq - 0 1", "d2d4").moves(1)
    played("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8n")


def test_a_square_for_en_passant_is_written_only_where_a_capture_is_legal() -> None:
    pinned = played("8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1", "e2e4")
    assert str(pinned).split(" ")[3] == "-"
    free = played("8/8/8/k7/3p3R/8/4P3/4K3 w - - 0 1", "e2e4")
    assert str(free).split(" ")[3] == "e3"
    elsewhere = played("8/8/8/k3b3/3p4/8/4P3/4K3 w - - 0 1", "e2e4")
    assert str(elsewhere).split(" ")[3] == "e3"


@pytest.mark.parametrize(
    ("text", "moves", "ending"),
    [
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", ["a1a8"], "checkmate"),
        ("r3k3/8/8/8/8/8/5PPP/6K1 b - - 0 1", ["a8a1"], "checkmate"),
        ("7k/8/8/6Q1/8/8/8/K7 w - - 0 1", ["g5g6"], "stalemate"),
        ("4k3/8/8/8/8/8/4p3/4K3 w - - 0 1", ["e1e2"], "insufficient_material"),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 98 80", ["a1a2", "e8e7"], "fifty_moves"),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", 2 * ["a1a2", "e8e7", "a2a1", "e7e8"], "repetition"),
    ],
)
def test_ends_agree(text: str, moves: list[str], ending: str) -> None:
    assert reason(played(text, *moves)) == ending


def test_options_that_openspiel_does_not_know_are_refused() -> None:
    assert PYSPIEL.refusal(GAME.settings()) == ""
    assert PYSPIEL.refusal(GAME.settings({"chess960": True})) == "pyspiel does not play chess960"
    assert "draws=automatic" in PYSPIEL.refusal(GAME.settings({"draws": "claimed"}))
