"""Positions as text: parsed as written, and rejected with the reason."""

import pytest

from engines.game_errors import MalformedPosition
from engines.options import Value
from engines.toc import GAME
from tests.engines.toc.positions import position_text

GOOD = position_text("5,H2/18*//", "2S 3S", 0)
START = str(GAME.start(GAME.settings(), b"1"))


def wrong(text: str, **options: Value) -> str:
    with pytest.raises(MalformedPosition) as caught:
        GAME.read(text, GAME.settings(options))
    return caught.value.details["wrong"]


def field(number: int, written: str, text: str = GOOD) -> str:
    fields = text.split()
    fields[number] = written
    return " ".join(fields)


@pytest.mark.parametrize("text", [GOOD, START, position_text("///", "2S", 3, turns=7)])
def test_a_formatted_position_parses_to_itself(text: str) -> None:
    assert str(GAME.read(text, GAME.settings())) == text


@pytest.mark.parametrize("seed", [b"", b"\x00", bytes(range(64))])
def test_a_position_with_any_seed_parses_to_itself(seed: bytes) -> None:
    position = GAME.start(GAME.settings(), seed)
    assert GAME.read(str(position), GAME.settings()) == position


def test_the_random_generator_continues_after_parsing() -> None:
    position = GAME.start(GAME.settings(), b"on")
    again = position
    for _ in range(300):
        seat = position.owing[0]
        move = position.moves(seat)[-1]
        position = position.play(seat, move)
        again = GAME.read(str(again), GAME.settings()).play(seat, move)
    assert str(position) == str(again)
    assert position.round.chance.drawn > 150


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "nine fields separated by single spaces"),
        (GOOD + " ", "nine fields"),
        (field(0, "5,R,R,R/R,R,R,R/R,R,R,R"), "nine fields"),
        (field(0, "5,72,R,R/R,R,R,R/R,R,R,R/R,R,R,R"), "nine fields"),
        (field(1, "4"), "nine fields"),
        (field(2, "01"), "nine fields"),
        (field(2, "٣"), "nine fields"),
        (field(8, "0:1"), "nine fields"),
        (field(8, "?"), "it contains ?"),
        (field(6, "?" * 12), "it contains ?"),
        (field(8, "00:2147483649"), "the number of draws must be at most 2147483648"),
        (field(0, "5,5,R,R/R,R,R,R/R,R,R,R/R,R,R,R"), "there are two pawns on 5"),
        (field(0, "5,R,R,R/5,R,R,R/R,R,R,R/R,R,R,R"), "there are two pawns on 5"),
        (field(0, "H1,H1,R,R/R,R,R,R/R,R,R,R/R,R,R,R"), "there are two pawns on H1"),
        (field(0, "18*,R,R,R/R,R,R,R/R,R,R,R/R,R,R,R"), "a fresh pawn of seat 0 must be on its start cell, 0"),
        (field(0, "R*,R,R,R/R,R,R,R/R,R,R,R/R,R,R,R"), "a fresh pawn of seat 0"),
        (
            field(0, "5-,R,R,R/R,R,R,R/R,R,R,R/R,R,R,R"),
            "the marks - and + need back_shortcut=false or overshoot=new_lap",
        ),
        (field(0, "H2,5,R,R/R,R,R,R/R,R,R,R/R,R,R,R"), "its canonical form is '5,H2,R,R/"),
        (field(0, "H1,H2,H3,H4/H1,H2,H3,H4/H1,H2,H3,H4/H1,H2,H3,H4"), "only one team"),
        (field(1, "1"), "seat 0 must be to move"),
        (field(1, "x"), "the hands must have 5, 5, 5, 5 cards"),
        (field(2, "20001"), "the game has ended after 20000 turns"),
        (field(7, "-"), "hands, played cards and deck must add up to 52 cards"),
        (field(7, "AS"), "the deck must have 32, 16 or 0 cards"),
        (GOOD.replace("2S3S", "3S2S"), "its canonical form is"),
        (GOOD.replace("2S3S", "2S2S"), "2S occurs more than once"),
        (field(5, "-/-/-/-"), "all four seats must have given a card before the first one is played"),
        (field(5, "2H/KC/2H/KD"), "seat 0 gave 2H to seat 2, which has not held it in this deal"),
        (field(5, "2H/KC/KD/KH", START), "the exchange is over when all four seats have given a card"),
        (field(5, "KC/-/-/-", START), "seat 0 gives KC, which is not in its hand"),
    ],
)
def test_the_error_says_what_is_wrong_with_a_text(text: str, problem: str) -> None:
    assert problem in wrong(text)


def test_hand_sizes_must_match_the_turn() -> None:
    fields = GOOD.split()
    hands = fields[4].split("/")
    fields[4] = "/".join([hands[0] + hands[3], *hands[1:3], "-"])
    assert "the hands must have 2, 2, 2, 2 cards" in wrong(" ".join(fields))


def test_empty_hands_are_only_valid_after_the_end() -> None:
    settings = GAME.settings({"max_turns": 7})
    position = GAME.read(position_text("///", "2S", turns=3), settings)
    while position.owing:
        position = position.play(position.owing[0], position.moves(position.owing[0])[0])
    text = str(position)
    assert text.split()[4] == "-/-/-/-"
    assert GAME.read(text, settings) == position
    assert wrong(text) == "all hands are empty only when the game is over"


def test_only_pawns_on_the_ring_may_have_lap_marks() -> None:
    text = position_text("5-,20+/18*//", "2S")
    assert str(GAME.read(text, GAME.settings({"back_shortcut": False}))) == text
    assert "only a pawn on the ring" in wrong(position_text("H1+///", "2S"), back_shortcut=False)


def test_with_rotate_the_leader_changes_with_each_deal() -> None:
    text = position_text("///", "2S 3S 4S 5S", deck=16)
    assert "seat 1 must be to move" in wrong(text, leader="rotate")
