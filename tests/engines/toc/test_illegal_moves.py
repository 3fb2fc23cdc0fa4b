"""What is refused in Toc, and why: moves, and positions as text."""

import random

import pytest

from engines.game_errors import IllegalMove, MalformedMove, MalformedPosition, NotYourTurn
from engines.options import Value
from engines.toc import GAME, cards
from engines.toc.places import NAMES, places_in
from tests.engines.second.crowded import crowded_track
from tests.engines.toc.positions import position_text, set_up, set_up_with


def move_error(pawns: str, move: str, hand: str | None = None, **options: Value) -> tuple[str, str]:
    """Return the rule and the reason by which a move of seat 0 is illegal."""
    with pytest.raises(IllegalMove) as caught:
        set_up_with(GAME.settings(options), pawns, hand or move[:2]).play(0, move)
    return caught.value.details["rule"], caught.value.details["why"]


@pytest.mark.parametrize(
    ("pawns", "move", "rule", "why"),
    [
        ("5///", "5S:R>0", "TC-4", "only A and K can start a pawn"),
        ("5///", "KS:R>18", "TC-5", "the pawns of seat 0 must start on 0"),
        ("1,2,3,5///", "KS:R>0", "TC-5", "seat 0 has no pawn in its reserve"),
        ("5//0/", "KS:R>0", "TC-5", "a pawn of the same team is on 0"),
        ("5///", "5S:6>11", "TC-3", "seat 0, whose pawns must be moved, has no pawn on 6"),
        ("H1,H2,H3,H4//5/", "5S:H1>H2", "TC-3", "seat 2, whose pawns must be moved, has no pawn on H1"),
        ("5///", "5S:5>11", "TC-4", "5 moves 5 steps forward; from 5 to 11 it is 6"),
        ("5///", "AS:5>H1", "TC-4", "A moves 1 or 11 steps forward; from 5 to H1 it is 68"),
        ("5,H1///", "5S:H1>5", "TC-10", "a pawn may not leave the corridor"),
        ("5,H3///", "2S:H3>H2", "TC-4", "2 moves 2 steps forward; from H3 to H2 it is -1"),
        ("5,10///", "5S:5>10", "land_on_own", "there is a pawn of the same colour on 10"),
        ("5//10/", "5S:5>10", "land_on_partner", "there is a pawn of the partner on 10"),
        ("13/18*//", "5S:13>18", "TC-7", "the pawn on 18 is fresh, and no pawn may land on it"),
        ("5///", "4S:5>9", "TC-9", "a 4 moves 4 cells back, here to 1"),
        ("5,H1///", "4S:H1>H2", "TC-9", "a 4 moves back on the ring only, not into, within or out of a corridor"),
        ("5///", "4S:5>H1", "TC-9", "a 4 moves back on the ring only, not into, within or out of a corridor"),
        ("1,5///", "4S:5>1", "land_on_own", "there is a pawn of the same colour on 1"),
        (
            "0*///",
            "3S:0>H3",
            "TC-10",
            "the pawn on 0 is fresh and must complete a lap before it may enter the corridor",
        ),
        (
            "70,H2///",
            "5S:70>H3",
            "TC-10",
            "in the corridor no pawn may be passed or landed on, and there is one on H3 or before it",
        ),
        (
            "H1,H3///",
            "2S:H1>H3",
            "TC-10",
            "in the corridor no pawn may be passed or landed on, and there is one on H3 or before it",
        ),
        ("5///", "QS:5<>10", "TC-4", "only J can swap pawns"),
        ("5,H1/10//", "JS:H1<>10", "TC-14", "only pawns on the ring can be swapped"),
        ("5/10,H1//", "JS:5<>H1", "TC-14", "only pawns on the ring can be swapped"),
        ("5/10//", "JS:6<>10", "TC-3", "seat 0, whose pawns must be moved, has no pawn on 6"),
        ("5/10//", "JS:5<>11", "TC-14", "there is no pawn of another colour on 11"),
        ("5,6///", "JS:5<>6", "TC-14", "there is no pawn of another colour on 6"),
        ("5/0//", "JS:5<>0", "jack_excludes", "the pawn on 0 is on a start cell and may not be swapped"),
        ("5,20///", "6S:5>8,20>23", "TC-12", "only a 7 can be divided"),
        ("H1,H2,H3,H4//5/", "KS:R>0", "TC-5", "the pawns of seat 2 must start on 36"),
        ("5,20///", "7S:5>8,R>0", "TC-12", "seat 0 has no pawn on R that has not moved yet"),
        ("5,20///", "7S:5>8,8>12", "TC-12", "seat 0 has no pawn on 8 that has not moved yet"),
        ("5,20///", "7S:5>8,20>22", "TC-12", "the parts add up to 5 steps, not 7"),
        ("5,20///", "7S:5>13,20>22", "TC-12", "from 5 to 13 it is 8 steps, which is not a part of 7"),
        ("20,H1///", "7S:20>26,H1>1", "TC-10", "a pawn may not leave the corridor"),
        ("5,20///", "7S:5>8,20>24", "TC-12", "another order leads to the same position and must be written instead: "
         "7S:20>24,5>8"),
        ("5,8///", "7S:5>8,8>12", "land_on_own", "there is a pawn of the same colour on 8"),
        ("20,70///", "7S:20>24,70>H1", "TC-13", "no part of a divided 7 may go to H1"),
    ],
)  # fmt: skip
def test_the_error_names_the_rule_that_a_move_breaks(pawns: str, move: str, rule: str, why: str) -> None:
    assert move_error(pawns, move) == (rule, why)


def test_the_error_names_the_option_that_a_move_breaks() -> None:
    blocked = "there is a fresh pawn between 15 and 20, and no pawn may pass it"
    assert move_error("15/18*//", "5S:15>20", fresh_blocks=True) == ("fresh_blocks", blocked)
    blocked = "there is a fresh pawn between 20 and 16, and no pawn may pass it"
    assert move_error("20/18*//", "4S:20>16", fresh_blocks=True) == ("fresh_blocks", blocked)
    blocked = "there is a fresh pawn between 70 and H1, and no pawn may pass it"
    assert move_error("0*,70///", "3S:70>H1", fresh_blocks=True) == ("fresh_blocks", blocked)
    short = "the pawn on 70 must complete a lap before it may enter the corridor"
    assert move_error("70-///", "3S:70>H1", overshoot="new_lap") == ("overshoot", short)
    swapped = "the pawn on 36 is on a start cell and may not be swapped"
    assert move_error("36/40//", "JS:36<>40", jack_from_start=False) == ("jack_from_start", swapped)
    named = "kills (x) may be written only for a 7, and only with seven_kills=optional"
    assert move_error("30/33//", "7S:30>37x33") == ("seven_kills", named)
    assert move_error("30/33//", "6S:30>36x33", seven_kills="optional") == ("seven_kills", named)
    no_pawn = "there is no enemy pawn on 37 that this move can kill in passing"
    assert move_error("30/33,37//", "7S:30>37x33x37", seven_kills="optional") == ("TC-12", no_pawn)
    assert move_error("30/33//", "7S:30>38x33", seven_kills="optional")[0] == "TC-4"
    assert move_error("70-///", "3S:70>H1", back_shortcut=False) == ("back_shortcut", short)
    forced = "the pawn must enter the corridor: to H1"
    assert move_error("70///", "3S:70>1", home_entry="forced") == ("home_entry", forced)
    stays = "a pawn in the corridor may not move"
    assert move_error("H1///", "2S:H1>H3", home_inner=False) == ("home_inner", stays)
    deeper = "a pawn must move as deep into the corridor as it can, here beyond H1"
    assert move_error("70///", "3S:70>H1", home_fill="deepest") == ("home_fill", deeper)
    inner = "no part of a divided 7 may go to H2"
    assert move_error("20,H1///", "7S:20>26,H1>H2", seven_split_home="no_home_move") == ("TC-13", inner)


def test_a_card_must_be_held_and_used_if_any_can_be() -> None:
    assert move_error("5///", "9S:5>14", "5S") == ("TC-3", "seat 0 does not hold 9S")
    assert move_error("5///", "-5S", "5S") == ("TC-3", "a card that can be used must be played: 5S:5>10")
    listed = "a card that can be used must be played: 2S:10>12 2S:15>17 2S:5>7 3S:10>13 and 2 more"
    assert move_error("5,10,15///", "-2S", "2S 3S") == ("TC-3", listed)


def test_a_gift_is_legal_only_in_the_exchange_and_a_move_only_after_it() -> None:
    position = GAME.start(GAME.settings(), b"1")
    card = position.moves(0)[0][1:]
    with pytest.raises(IllegalMove, match=rf"write a gift as ={card} \(TC-2\)"):
        position.play(0, f"-{card}")
    strange = position.moves(1)[0]
    with pytest.raises(IllegalMove, match=rf"seat 0 does not hold {strange[1:]} \(TC-3\)"):
        position.play(0, strange)
    assert move_error("5///", "=5S", "5S") == ("TC-2", "the exchange of this deal is over")


def test_a_seat_that_has_given_a_card_waits_for_the_others() -> None:
    position = GAME.start(GAME.settings(), b"1")
    again = position.moves(0)[1]
    with pytest.raises(NotYourTurn, match="to move: seat 1, 2, 3"):
        position.play(0, position.moves(0)[0]).play(0, again)


@pytest.mark.parametrize(
    "move",
    ["", "5S", "5S:", "5S:5", "5S:5>5", "4H:0>0", "JS:5<>5", "1S:5>10", "5s:5>10", "5S:05>10", "5S:72>3", "5S:5>R",
     "7S:1>2,", "7S:1>2,3>4,5>6,7>8,9>10", "JS:5<>10,6<>11", "=5S:5>10", "-5S:5>10", "=?", "-", "5S:H5>H6", "5S:R<>5",
     "5S:5>10\n", "٥S:5>10", "5S:5>٥", "=5S=5S"],
)  # fmt: skip
def test_the_error_for_a_malformed_move_gives_examples(move: str) -> None:
    with pytest.raises(MalformedMove, match="7D:30>33,50>54"):
        set_up("5///", "5S").play(0, move)


def any_well_formed_move(card: str, places: list[str], rng: random.Random) -> str:
    """Return a random move, sometimes a legal one; most places are those of pawns or near them."""

    def place() -> str:
        near = rng.choice(places)
        return str((int(near) + rng.randrange(-8, 9)) % 72) if near.isdigit() and rng.random() < 0.5 else near

    if rng.random() < 0.2:
        return f"{card}:{place()}<>{place()}"
    return f"{card}:" + ",".join(f"{place()}>{place()}" for _ in range(rng.choice((1, 1, 2, 2, 3))))


def test_a_well_formed_move_is_legal_or_breaks_a_named_rule() -> None:
    rng = random.Random("well formed")
    rules = set()
    for _ in range(150):
        position = crowded_track(rng)
        seat = position.owing[0] if position.owing else 0
        legal = set(position.moves(seat))
        hand, pawns = position.round.hands[seat], position.round.track.pawns[position.round.colour(seat)]
        places = [NAMES[place] for place in places_in(pawns)] + ["H1", "H2", "H3", "H4"]
        for _ in range(40):
            card = cards.NAMES[rng.choice(cards.cards_in(hand))]
            move = any_well_formed_move(card, places, rng)
            try:
                position.play(seat, move)
                assert move in legal
            except IllegalMove as error:
                assert move not in legal
                rules.add(error.details["rule"])
            except (MalformedMove, NotYourTurn):
                continue
    assert {"TC-3", "TC-4", "TC-9", "TC-10", "TC-12", "TC-13", "TC-14", "land_on_own"} <= rules


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


@pytest.mark.parametrize("seed", [b"", b"\x00", bytes(range(64))])
def test_a_position_with_any_seed_parses_to_itself(seed: bytes) -> None:
    position = GAME.start(GAME.settings(), seed)
    assert GAME.read(str(position), GAME.settings()) == position


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
    assert "no pawn can be marked" in wrong(position_text("5+///", "2S"), back_shortcut=False, overshoot="new_lap")


def test_with_rotate_the_leader_changes_with_each_deal() -> None:
    text = position_text("///", "2S 3S 4S 5S", deck=16)
    assert "seat 1 must be to move" in wrong(text, leader="rotate")
