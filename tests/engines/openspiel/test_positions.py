"""Positions of OpenSpiel: texts, chance, hidden information, choices at the same time, and hostile input."""

import pickle
import random
import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from engines.api import REFEREE, SPECTATOR, Game, Position
from engines.chance import Chance
from engines.drawing import BLANK
from engines.game_errors import BadOption, IllegalMove, MalformedMove, MalformedPosition, NotYourTurn, UnknownOption
from engines.openspiel import imagine
from engines.openspiel.move_names import clean_name, move_names
from engines.openspiel.outcomes import draw_outcome, exact_weights
from engines.openspiel.position import SpielPosition, settled
from engines.registry import find
from engines.testing.random_games import game_path

SEED = bytes(range(32))


def start(name: str, seed: bytes = SEED, **options: int | str | bool) -> Any:
    game = find(f"openspiel_{name}")
    return game.start(game.settings(options), seed)


def play(position: Any, *moves: str) -> Any:
    for move in moves:
        position = position.play(position.owing[0], move)
    return position


def game_of(position: SpielPosition) -> Game:
    return find(f"openspiel_{position.rules.name}")


def test_equal_seeds_deal_equal_cards_and_other_seeds_others() -> None:
    assert start("bridge") == start("bridge")
    assert start("bridge") != start("bridge", bytes(32))
    assert start("bridge").state.history() == start("bridge").state.history()


def test_positions_of_two_games_are_never_equal() -> None:
    assert str(start("tic_tac_toe")) == str(start("connect_four")) == "-"
    assert start("tic_tac_toe") != start("connect_four")


@pytest.mark.parametrize("name", ["backgammon", "go", "goofspiel", "hearts"])
def test_a_position_can_be_pickled(name: str) -> None:
    game = find(f"openspiel_{name}")
    assert pickle.loads(pickle.dumps(game)) is game
    for position in islice(game_path(game, game.settings(), random.Random(1)), 12):
        copy = pickle.loads(pickle.dumps(position))
        assert copy == position
        assert copy.view(0) == position.view(0)


def test_a_game_is_the_history_of_openspiel() -> None:
    position = play(start("tic_tac_toe"), "x(1,1)", "o(0,0)")
    assert str(position) == position.text(0) == "4,0"
    assert position.view(0)["state"] == ["o..", ".x.", "..."]


def test_an_illegal_move_is_refused_with_a_reason() -> None:
    position = play(start("tic_tac_toe"), "x(1,1)")
    with pytest.raises(IllegalMove, match=r"x\(1,1\) is not legal: it is none of the 8 legal moves, such as o\(0,0\)"):
        position.play(1, "x(1,1)")
    with pytest.raises(NotYourTurn):
        position.play(0, "o(0,0)")
    for hostile in ("", " ", "?", "a b", "o(0,0)\n", "é", "x" * 101, "x" * 10_000_000):
        with pytest.raises(MalformedMove):
            position.play(1, hostile)


@pytest.mark.parametrize(
    ("name", "text", "wrong"),
    [
        ("tic_tac_toe", "4,4", "action 4 is not possible after 1 actions"),
        ("tic_tac_toe", "0,3,1,4,2,5", "the game is over after 5 actions"),
        ("tic_tac_toe", "0,", "it must be history, where"),
        ("tic_tac_toe", "00", "it must be history"),
        ("tic_tac_toe", "999999999", "not possible"),
        ("tic_tac_toe", "?", "it hides something"),
        ("tic_tac_toe", "1," * 40_000, "more than 60000 characters"),
        ("kuhn_poker", "00/0 -", "an outcome of chance must follow"),
        ("kuhn_poker", "00/0 0,0", "action 0 is not possible after 1 actions"),
        ("kuhn_poker", "0/0 0,1", "it must be seed/drawn history"),
        ("kuhn_poker", "? {", "it must be ? and the view of a seat as JSON"),
        ("kuhn_poker", "? []", "it must be ? and the view of a seat as JSON"),
        ("kuhn_poker", "? " + "[" * 50_000, "it must be ? and the view of a seat as JSON"),
        ("kuhn_poker", '? {"moves":[[7,"Bet"]],"to_move":[0]}', "no full position was found"),
        ("matrix_rps", "-", "it must be history choices"),
        ("matrix_rps", "- 0,0", "must be -"),
        ("matrix_rps", "- -,-,-", "must be -"),
        ("matrix_rps", "- -,7", "seat 1 cannot choose 7"),
        ("matrix_rps", "- ?,?", "a seat must have -"),
        ("matrix_rps", "0 -,-", "all seats must have chosen"),
        ("matrix_rps", "0,7 .", "seat 1 cannot choose 7"),
        ("matrix_rps", "0,0 -,0", "must be -"),
        ("matrix_rps", "- .", "must end with '- -,-'"),
    ],
)
def test_a_broken_text_is_refused_with_a_reason(name: str, text: str, wrong: str) -> None:
    game = find(f"openspiel_{name}")
    with pytest.raises(MalformedPosition, match=wrong.replace("?", r"\?")):
        game.imagine(text, game.settings(), b"")


def test_seats_that_choose_at_the_same_time_do_not_see_each_others_choice() -> None:
    first = start("matrix_rps")
    chosen = first.play(1, "Paper")
    assert (first.owing, chosen.owing) == ((0, 1), (0,))
    assert [chosen.text(viewer) for viewer in (REFEREE, 1, 0, SPECTATOR)] == ["- -,1", "- -,1", "- -,?", "- -,?"]
    assert (chosen.view(1)["chosen"], chosen.view(0)["chosen"]) == ("Paper", None)
    assert [first.visible_move(1, "Paper", viewer) for viewer in (REFEREE, 1, 0, SPECTATOR)] == [
        "Paper", "Paper", "?", "?"
    ]  # fmt: skip
    with pytest.raises(NotYourTurn):
        chosen.play(1, "Rock")
    over = chosen.play(0, "Rock")
    assert over.revealed_move(1, "Paper", 0) == "Paper"
    assert (str(over), over.outcome.scores, over.outcome.reason) == ("0,1 .", (-1.0, 1.0), "decided")
    game = game_of(first)
    assert str(game.imagine(chosen.text(0), game.settings(), b"1"))[:4] == "- -,"
    drawn = {str(game.resample(chosen, 0, bytes([seed]))) for seed in range(20)}
    assert drawn == {"- -,0", "- -,1", "- -,2"}


def test_a_seat_sees_its_own_cards_only() -> None:
    position = start("kuhn_poker", b"7")
    cards = [str(card) for card in position.state.history()]
    for seat in (0, 1):
        assert position.view(seat)["state"] == [cards[seat]]
    assert position.view(SPECTATOR)["state"] is None
    assert position.picture(SPECTATOR) == "(hidden)"
    assert position.text(SPECTATOR) == '? {"to_move":[0],"state":null,"chosen":null,"result":null,"moves":[]}'


def test_cards_that_are_passed_are_seen_by_the_seat_that_passes_them_only() -> None:
    seeds = (bytes([number]) for number in range(20))
    position = next(found for found in (start("hearts", seed) for seed in seeds) if found.state.history()[0])
    seat = position.owing[0]
    move = position.moves(seat)[0]
    after = position.play(seat, move)
    assert [after.view(viewer)["moves"] for viewer in (seat, REFEREE, 1 - seat, SPECTATOR)] == [
        [[seat, move]], [[seat, move]], [[seat, "?"]], [[seat, "?"]]
    ]  # fmt: skip
    assert position.visible_move(seat, move, SPECTATOR) == "?"
    while len(after.past) < 12:
        after = after.play(after.owing[0], after.moves(after.owing[0])[0])
    seat = after.owing[0]
    assert after.visible_move(seat, after.moves(seat)[0], SPECTATOR) == after.moves(seat)[0]


SMALL = (
    "kuhn_poker",
    "leduc_poker",
    "liars_dice",
    "phantom_ttt",
    "dark_hex",
    "first_sealed_auction",
    "backgammon",
    "tic_tac_toe",
    "goofspiel",
)


@pytest.mark.parametrize("name", SMALL)
def test_what_a_seat_of_a_small_game_does_not_see_can_be_imagined(name: str) -> None:
    game = find(f"openspiel_{name}")
    for position in islice(game_path(game, game.settings(), random.Random(2)), 4):
        for viewer in (SPECTATOR, 0, 1):
            known = position.text(viewer)
            imagined = game.imagine(known, game.settings(), b"3")
            assert imagined.text(viewer) == known


def test_hands_of_a_large_game_cannot_be_imagined_but_changed_without_notice() -> None:
    position = play(start("bridge"), "1S", "Pass")
    game = game_of(position)
    with pytest.raises(MalformedPosition, match="too much of it is hidden"):
        game.imagine(position.text(0), game.settings(), b"")
    others = [game.resample(position, 0, bytes([number])) for number in range(6)]
    assert {other.text(0) for other in others} == {position.text(0)}
    assert any(other.text(1) != position.text(1) for other in others)
    with pytest.raises(TypeError):
        game.resample(find("toc").start(find("toc").settings(), b""), 0, b"")


def test_partners_have_the_same_score() -> None:
    position: Position = start("bridge")
    assert position.standing == (0.0, 0.0)
    for position in last(start("bridge")):
        outcome = position.outcome
        assert outcome
        assert outcome.scores[0] == outcome.scores[2] == outcome.side_scores[0] == -outcome.side_scores[1]
        assert position.standing == outcome.side_scores


def last(position: Any) -> Iterator[Position]:
    rng = random.Random(3)
    while position.owing:
        seat = position.owing[0]
        position = position.play(seat, rng.choice(position.moves(seat)))
    yield position


@pytest.mark.parametrize("value", ["0", "20", "1000000000", "-1", "1e9", "9" * 5000])
def test_a_board_that_is_too_large_is_refused(value: str) -> None:
    with pytest.raises(BadOption, match="a whole number from 3 to 13"):
        start("hex", board_size=value)


def test_parameters_that_are_no_options_are_unknown() -> None:
    with pytest.raises(UnknownOption):
        start("chess", fen="x")


def test_moves_with_the_same_text_get_the_number_of_their_action() -> None:
    class Twins:
        def legal_actions(self, seat: int) -> list[int]:
            return [1, 2, 3]

        def action_to_string(self, seat: int, action: int) -> str:
            return "other" if action == 3 else "same: move"

    assert move_names(Twins(), 0, re.compile("")) == {"other": 3, "same:move~1": 1, "same:move~2": 2}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Offer: Book: 0, Hat: 1", "Offer:Book:0,Hat:1"),
        ("pile:4, take:1;", "pile:4,take:1"),
        ("86 - 9/4/1*", "86-9/4/1*"),
        ("bG3 -wA1", "bG3_-wA1"),
        ("5♦", "5D"),
        ("🂠?", "_!"),
        ("", "_"),
        ("x" * 200, "x" * 88),
    ],
)
def test_texts_of_openspiel_become_moves(text: str, name: str) -> None:
    assert clean_name(text) == name


def test_chance_of_a_game_without_chance_is_a_programming_error() -> None:
    rules = start("pig").rules
    chance = rules.loaded.new_initial_state()
    chance.apply_action(chance.legal_actions()[0])
    with pytest.raises(AssertionError, match="pig has chance"):
        settled(rules, chance, None)
    assert settled(rules, chance, Chance(b"")).owing


def test_a_drawing_shows_the_lines_of_the_state_below_each_other_with_their_blanks() -> None:
    game = find("openspiel_tic_tac_toe")
    drawn = game.svg(game.settings(), play(start("tic_tac_toe"), "x(1,1)").view(0), "x(1,1)")
    assert all(f">{text}</text>" in drawn for text in ("...", ".x.", "state"))
    assert "?" not in game.svg(game.settings(), {"state": None})
    assert f">{BLANK}x{BLANK}{BLANK}o</text>" in game.svg(game.settings(), {"state": [" x  o"]})


def test_a_card_that_is_put_into_the_skat_is_seen_by_its_seat_only() -> None:
    position, rng = start("skat"), random.Random(1)
    while "discarding" not in str(position.view(0)["state"]):
        seat = position.owing[0]
        position = position.play(seat, rng.choice(position.moves(seat))) if position.owing else start("skat", b"2")
    seat = position.owing[0]
    move = position.moves(seat)[0]
    assert {position.visible_move(seat, move, viewer) for viewer in {SPECTATOR, 0, 1, 2} - {seat}} == {"?"}


@pytest.mark.parametrize("name", ["euchre", "oh_hell", "tic_tac_toe"])
def test_a_change_that_is_not_noticed_is_a_position_that_can_be_played(name: str) -> None:
    game = find(f"openspiel_{name}")
    for position in game_path(game, game.settings(), random.Random(3)):
        other = game.resample(position, 0, b"1")
        assert other.text(0) == position.text(0)
        assert game.read(str(other), game.settings()) == other


def test_imagining_stops_after_a_number_of_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imagine, "MAX_PLIES", 3)
    position = play(start("kuhn_poker"), "Pass", "Bet")
    game = game_of(position)
    with pytest.raises(MalformedPosition, match="too much of it is hidden"):
        game.imagine(position.text(0).replace("Bet", "Raise"), game.settings(), b"")


def test_where_nothing_is_hidden_yet_nothing_is_changed() -> None:
    first = start("phantom_ttt")
    assert game_of(first).resample(first, 0, b"") == first


PAGE = Path(__file__).parents[3] / "docs" / "openspiel.md"


def test_weights_are_exactly_the_probabilities() -> None:
    probabilities = [0.1, 0.2, 0.3, 1 / 3]
    weights = exact_weights(probabilities)
    assert [Fraction(weight, weights[0]) for weight in weights] == [
        Fraction(probability) / Fraction(0.1) for probability in probabilities
    ]


def test_outcomes_come_as_often_as_their_probabilities_say() -> None:
    chance, counts = Chance(b"seed"), Counter[int]()
    for _ in range(4_000):
        action, chance = draw_outcome([(7, 0.5), (3, 0.0), (1, 0.125), (2, 0.375)], chance)
        counts[action] += 1
    assert counts.keys() == {7, 1, 2}
    for action, expected in ((7, 2_000), (1, 500), (2, 1_500)):
        assert abs(counts[action] - expected) < 120
    assert chance.drawn == 4_000


def test_more_digits_are_read_until_one_outcome_is_left() -> None:
    first, _ = Chance(b"x").below(1 << 32)
    border = (first + 0.5) / (1 << 32)
    action, chance = draw_outcome([(0, border), (1, 1 - border)], Chance(b"x"))
    second, _ = Chance(b"x", 1).below(1 << 32)
    assert chance.drawn == 2
    assert action == (second >= 1 << 31)


@pytest.mark.parametrize(
    ("seed", "weights", "drawn"),
    re.findall(r"^\| `([0-9a-f]*)` \| ([0-9. ]+) \| ([0-9 ]+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE),
)
def test_a_vector_of_the_page(seed: str, weights: str, drawn: str) -> None:
    chance, found = Chance(bytes.fromhex(seed)), []
    for _ in drawn.split():
        action, chance = draw_outcome(list(enumerate(map(float, weights.split()))), chance)
        found.append(str(action))
    assert found == drawn.split()
