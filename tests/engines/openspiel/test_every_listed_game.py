"""Every listed game passes the suite, with fewer compared positions than a game of this distribution."""

import random
from itertools import islice

import pytest

from engines.api import SPECTATOR, Game
from engines.openspiel.catalogue import LISTED
from engines.openspiel.game import find_listed
from engines.openspiel.position import SpielPosition
from engines.testing import hidden_checks, suite
from engines.testing.random_games import any_choice, game_path
from engines.testing.suite import CHECKS, Suspect, run_checks

every_game = pytest.mark.parametrize("name", LISTED)

HIDDEN_GAMES = 1
HIDDEN_PLIES = 12
PUBLIC_BY_RULE = {"dou_dizhu": "Bid"}
"""Moves that the rules of a game make public, although OpenSpiel does not show them at once."""


def listed(name: str) -> Game:
    game = find_listed(name)
    assert game
    return game


@every_game
def test_a_listed_game_passes_the_suite(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hidden_checks, "GAMES", HIDDEN_GAMES)
    monkeypatch.setattr(hidden_checks, "PLIES", HIDDEN_PLIES)
    monkeypatch.setattr(suite, "SHORT_PLIES", 12)
    for result in run_checks(Suspect(listed(name)), CHECKS):
        if result.failure:
            raise result.failure


@every_game
def test_a_public_move_is_seen_by_the_other_seats(name: str) -> None:
    game, rng = listed(name), random.Random(name)
    for position in islice(game_path(game, game.settings(), rng), 30):
        assert isinstance(position, SpielPosition)
        if not position.rules.hides:
            return
        for seat in position.owing:
            moves = [move for move in position.moves(seat) if not move.startswith(PUBLIC_BY_RULE.get(name, " "))]
            first, second = rng.choices(moves, k=2) if moves else ("", "")
            if first != second:
                check_public(position, seat, first, second)


def check_public(position: SpielPosition, seat: int, first: str, second: str) -> None:
    """Check that every other seat can tell two moves apart if it is shown one of them."""
    actions = position.actions(seat)
    after, twin = (
        SpielPosition(position.rules, position.state.child(actions[move]), position.chance, ())
        for move in (first, second)
    )
    for viewer in set(range(position.rules.seats)) - {seat}:
        if position.visible_move(seat, first, viewer) == first:
            assert after.text(viewer) != twin.text(viewer), f"{seat} plays {first}, {viewer} does not see it"


@every_game
def test_options_can_be_combined_in_any_way(name: str) -> None:
    game, rng = listed(name), random.Random(name)
    for _ in range(4 if game.options.declared else 0):
        settings = game.settings(any_choice(game, rng))
        for position in islice(game_path(game, settings, rng), 3):
            assert isinstance(position, SpielPosition)
            assert position.rules.seats == len(game.table(settings).seats)
            assert position.text(SPECTATOR)
