"""The games of OpenSpiel are either listed or excluded, and the page and the registry have the same list."""

import random
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pyspiel
import pytest

from engines import registry
from engines.api import Game
from engines.game_errors import UnknownGame
from engines.openspiel import game as spiel_game
from engines.openspiel.catalogue import EXCLUDED, LISTED
from engines.openspiel.game import PREFIX, find_listed
from engines.openspiel.position import SpielPosition
from engines.openspiel.rules import load_rules
from engines.testing import hidden_checks, suite
from engines.testing.random_games import game_path
from engines.testing.suite import CHECKS, Suspect, run_checks
from referee.live.match_request import find_game

PAGE = Path(__file__).parents[3] / "docs" / "openspiel.md"
HEAD = "| chance | hidden | at once | games |\n| --- | --- | --- | --- |\n"


def kind_of(name: str) -> tuple[str, str, str]:
    """Return the cells of a game before its name: what of chance, hidden and simultaneous moves it has."""
    game = find_listed(name)
    assert game
    rules = load_rules(name, game.settings())
    hidden = "" if not rules.hides else "recalled" if rules.recalls else "seen now"
    return "x" * rules.has_chance, hidden, "x" * rules.is_simultaneous


def name_with_seats(name: str) -> str:
    game = find_listed(name)
    assert game
    known = [option.known for option in game.options.declared if option.name == "players"]
    seats = known[0].removeprefix("a whole number from ") if known else str(load_rules(name, game.settings()).seats)
    return f"`{name}`" if seats == "2" else f"`{name}` ({seats.replace(' | ', ', ')})"


def table() -> str:
    """Return the rows of the page: the games by their kind."""
    names: dict[tuple[str, str, str], list[str]] = {}
    for name in LISTED:
        names.setdefault(kind_of(name), []).append(name_with_seats(name))
    rows = (f"| {' | '.join((*kind, ', '.join(games)))} |\n" for kind, games in sorted(names.items()))
    return "".join(rows).replace("  ", " ")


def test_the_page_lists_exactly_the_games_of_the_registry(renewing: bool) -> None:
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(HEAD)
    now, rest = rest.split("\n\n", maxsplit=1)
    if renewing:
        PAGE.write_text(f"{before}{HEAD}{table()}\n{rest}", encoding="utf-8")
    else:
        assert f"{now}\n" == table()
    assert list(LISTED) == registry.OPENSPIEL == sorted(LISTED)
    assert PREFIX == registry.PREFIX


def test_every_game_of_openspiel_is_listed_or_excluded() -> None:
    assert not LISTED.keys() & EXCLUDED.keys()
    assert {*LISTED, *EXCLUDED} >= set(pyspiel.registered_names())


def test_no_listed_game_samples_its_chance_itself() -> None:
    for name in LISTED:
        game = find_listed(name)
        assert game
        kind = load_rules(name, game.settings()).loaded.get_type()
        assert kind.chance_mode != pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC
        assert kind.dynamics != pyspiel.GameType.Dynamics.MEAN_FIELD
        assert kind.utility != pyspiel.GameType.Utility.IDENTICAL


def test_a_game_that_a_release_of_openspiel_does_not_have_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = tuple(kind for kind in pyspiel.registered_games() if kind.short_name != "hex")
    find_listed.cache_clear()
    monkeypatch.setattr(spiel_game, "_kinds", lambda: kinds)
    try:
        assert "openspiel_hex" not in registry.games()
        with pytest.raises(UnknownGame, match="openspiel_NAME"):
            registry.find("openspiel_hex")
        assert registry.find("openspiel_y").title == "Y Connection Game (OpenSpiel)"
    finally:
        find_listed.cache_clear()


def test_a_game_that_openspiel_does_not_have_is_unknown() -> None:
    with pytest.raises(UnknownGame, match=r"alquerque.*openspiel_NAME \(\d+ games of OpenSpiel\)$"):
        registry.find(f"openspiel_{'0' * 30}")


@pytest.mark.parametrize("find", [registry.find, lambda name: find_game(registry.games(), name)])
def test_the_error_for_an_excluded_game_says_why(find: Callable[[str], Game]) -> None:
    """Both on the command line and in a call to the server."""
    assert find_listed("hanabi") is None
    with pytest.raises(UnknownGame, match=f"; openspiel_hanabi is excluded: {EXCLUDED['hanabi']}$"):
        find("openspiel_hanabi")


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
