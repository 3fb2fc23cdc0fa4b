"""The suite, over each game of this distribution and over two third-party games.

The games of OpenSpiel pass it in tests/engines/openspiel.
"""

import random
from itertools import islice

import pytest

from engines.api import Game
from engines.game_errors import NotYourTurn
from engines.registry import find, own_games
from engines.testing.game_checks import check_long_texts
from engines.testing.position_checks import Checker
from engines.testing.random_games import game_path, is_endless, settings_of, some_positions
from engines.testing.suite import CHECKS, Check, Suspect, run_checks
from tests.third_party_games.third_party_games import FINGERS, NIM

GAMES = [*map(find, own_games()), NIM, FINGERS]
SUSPECTS = {game.name: Suspect(game) for game in GAMES}
every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)


@every_game
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_a_game_passes_each_check_of_the_suite(game: Game, check: Check) -> None:
    (result,) = run_checks(SUSPECTS[game.name], [check])
    if result.failure:
        raise result.failure


@every_game
def test_a_first_position_passes_all_checks(game: Game) -> None:
    settings = game.settings()
    Checker(game, settings).check(game.start(settings, bytes(32)), random.Random(game.name))


def test_a_game_that_hides_nothing_imagines_what_it_reads() -> None:
    settings = NIM.settings()
    assert NIM.imagine("3 1", settings, b"1") == NIM.read("3 1", settings)


@every_game
def test_a_seat_that_is_not_to_move_is_told_whose_turn_it_is(game: Game) -> None:
    *_, before, over = game_path(game, game.settings(), random.Random(game.name))
    due, move = before.owing[0], before.moves(before.owing[0])[0]
    others = set(range(len(game.table(game.settings()).seats))).difference(before.owing)
    for seat in others:
        with pytest.raises(NotYourTurn, match=f"it is not the turn of seat {seat}; to move: seat {due}"):
            before.play(seat, move)
    with pytest.raises(NotYourTurn, match="the game is over"):
        over.play(due, move)
    assert (over.owing, over.moves(due)) == ((), [])


@pytest.mark.slow
@every_game
def test_random_combinations_of_options_pass_all_checks(game: Game, rng: random.Random) -> None:
    check_all(game, 6, rng)


@pytest.mark.soak
@every_game
def test_many_random_combinations_of_options_pass_all_checks(game: Game, rng: random.Random) -> None:
    check_all(game, 60, rng)


def check_all(game: Game, random_combinations: int, rng: random.Random) -> None:
    for settings in settings_of(game, random_combinations, rng):
        checker = Checker(game, settings)
        # A game need not end if all limits are switched off.
        path = list(islice(game_path(game, settings, rng), 400 if is_endless(settings) else None))
        for position in some_positions(path, 12, rng):
            checker.check(position, rng)


PIECES = {
    "chess": ("e2e4", "8/", "K", "-", " 1"),
    "alquerque": ("a1", "xc3", "b", "/5", "1,"),
    "go": ("D4", "9/", "b", "ko=A1", ",B2"),
    "trox": ("NBR@0.0u/0.-1d", ",NBR@0.0u/0.-1d", "-", "0.0u,", "N"),
    "troke": ("Tb1", "-c2", "b1:TrWrMr", ",d1:TrMr", "x9"),
    "toc": ("7D:30>33", ",50>54", "R,", "?", "00"),
}
"""Beginnings and continuations of moves and positions, combined in all ways."""


@pytest.mark.parametrize("name", PIECES)
def test_a_far_too_long_text_is_rejected_in_linear_time(name: str) -> None:
    game = find(name)
    check_long_texts(game.start(game.settings(), bytes(32)), game, PIECES[name])
