"""Our engines and the second ones agree in random matches over all options; chess agrees with OpenSpiel."""

import json
import random
from pathlib import Path

import pytest

from engines.api import Game, Position
from engines.game_errors import BadOption
from engines.options import Settings, Value
from engines.registry import find
from engines.second.checked_game import CheckedGame
from engines.second.second_registry import find_second
from engines.second.toc_reference import Deal, TocReference, deal_in, gathered
from engines.second.troke_reference import BOARDS
from engines.testing.random_games import any_choice

GOLDEN = Path(__file__).parents[1] / "golden"
COMPARED = {"alquerque": 40, "toc": 30, "troke": 5, "trox": 3}
"""Plies of each match that are compared: their product with the time of the second engine is about the same."""
MAX_BEFORE = 400
"""Plies that are played by the first engine alone before that, at most."""


def no_time() -> int:
    return 0


def some_settings(game: Game, rng: random.Random) -> Settings:
    """Return the defaults, a preset, or random options."""
    presets = [preset.name for preset in game.options.presets]
    if rng.random() < 0.2:
        return game.settings({}, rng.choice([None, *presets]))
    while True:
        try:
            return game.settings({**any_choice(game, rng)})
        except BadOption:
            continue  # The game does not allow this combination.


def random_play(at: Position, plies: int, rng: random.Random) -> Position:
    for _ in range(plies):
        if not at.owing:
            break
        seat = rng.choice(at.owing)
        at = at.play(seat, rng.choice(at.moves(seat)))
    return at


def compare_parts(name: str, matches: int, rng: random.Random) -> None:
    """Compare a part of each match, which begins at any ply of it, or at its first one."""
    game = find(name)
    checked = CheckedGame(game, find_second(name, "reference"), no_time)
    for _ in range(matches):
        settings, seed = some_settings(game, rng), rng.randbytes(8)
        if rng.random() < 0.3:
            random_play(checked.start(settings, seed), COMPARED[name], rng)
            continue
        at = random_play(game.start(settings, seed), rng.randrange(MAX_BEFORE), rng)
        if at.owing:
            random_play(checked.read(str(at), settings), COMPARED[name], rng)


@pytest.mark.parametrize("name", COMPARED)
def test_parts_of_matches_agree_with_the_reference(name: str) -> None:
    compare_parts(name, 12, random.Random(f"parts of {name}"))


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPARED)
def test_parts_of_many_matches_agree_with_the_reference(name: str, rng: random.Random) -> None:
    compare_parts(name, 60, rng)


@pytest.mark.soak
@pytest.mark.parametrize("name", COMPARED)
def test_whole_matches_agree_with_the_reference(name: str, rng: random.Random) -> None:
    game = find(name)
    checked = CheckedGame(game, find_second(name, "reference"), no_time)
    for _ in range(40):
        random_play(checked.start(some_settings(game, rng), rng.randbytes(8)), 2000, rng)


OFTEN: dict[str, dict[str, Value]] = {
    "alquerque": {"repetition": 2, "no_capture_plies": 30, "on_draw": "count", "stalemate": "draw"},
    "toc": {"max_turns": 60, "leader": "rotate"},
    "troke": {"repetition": 2, "max_plies": 30, "seats": 4, "teams": True, "start_chips": 6},
    "trox": {"repetition": 1, "max_plies": 30, "tileset": "identical"},
}
"""Options by which matches end early and for seldom reasons."""


@pytest.mark.parametrize("name", OFTEN)
def test_ends_agree_with_the_reference(name: str) -> None:
    game, rng = find(name), random.Random(f"ends of {name}")
    checked = CheckedGame(game, find_second(name, "reference"), no_time)
    for _ in range(3):
        last = random_play(checked.start(game.settings(OFTEN[name]), rng.randbytes(8)), 200, rng)
        assert last.outcome


def test_a_side_that_cannot_move_draws_by_option() -> None:
    game = find("alquerque")
    checked = CheckedGame(game, find_second("alquerque", "reference"), no_time)
    for stalemate, scores in (("draw", (0.5, 0.5)), ("loss", (1.0, 0.0))):
        settings = game.settings({"no_backward": "all", "stalemate": stalemate})
        outcome = checked.read("5/5/5/5/bww2 b 0", settings).outcome
        assert outcome
        assert (outcome.reason, outcome.scores) == ("no_moves", scores)


def test_the_boards_of_troke_are_those_of_the_golden_file() -> None:
    assert json.loads((GOLDEN / "troke" / "boards.json").read_text()) == BOARDS


def test_a_shuffled_deck_that_lacks_a_card_is_not_taken() -> None:
    text = str(find("toc").start(find("toc").settings(), b"seed"))
    deal = Deal("0", 52, 3, ((),) * 4, ("-",) * 4, (), (), "00:51")
    assert gathered(deal, text).dealer == 0
    deck = deal_in(text).deck
    assert gathered(deal, text.replace("".join(deck), "".join(deck[1:]))) is deal
    assert TocReference().refusal(find("toc").settings()) == ""
