"""Matches for records: short ones by given commands, and whole random ones."""

import random
from collections.abc import Sequence
from functools import cache

from engines import registry
from engines.api import Game
from engines.game_errors import UnknownGame
from referee.live.ports import Entry
from referee.match import clock, commands
from referee.match.clock_charge import TurnMeasurement
from referee.match.decide import decide
from referee.match.events import Event, MatchCreated
from referee.match.setup import Player, Setup
from referee.match.state import create_match
from tests.match.games import BRITTLE, STONES
from tests.match.random_match import RandomMatch, any_setup
from tests.match.setups import make_setup
from tests.third_party_games.third_party_games import FINGERS, NIM

SECOND = 1_000_000


@cache
def all_games() -> dict[str, Game]:
    """Return the games of this distribution, and those for tests. Those of OpenSpiel have records like the others."""
    own = {name: registry.find(name) for name in registry.own_games()}
    return {**own, **{game.name: game for game in (NIM, FINGERS, STONES, BRITTLE)}}


def find_game(name: str) -> Game:
    """Return a registered game, or one of the games for tests."""
    if name not in all_games():
        raise UnknownGame(name, all_games(), "")
    return all_games()[name]


def entries_of(events: Sequence[Event]) -> list[Entry]:
    """Return the events as entries of a log."""
    first = events[0]
    assert isinstance(first, MatchCreated)
    name, first_ms = first.setup.match_id, 1_790_000_000_000
    return [Entry(name, number, first_ms + number, event) for number, event in enumerate(events, 1)]


def nim_setup(**terms: object) -> Setup:
    """Return a match of Nim for two, in which seat 0 begins with a heap of five, but for the fields in `terms`."""
    usual: dict[str, object] = {
        "match_id": "nim-1",
        "game": "nim",
        "game_version": 1,
        "settings": NIM.settings({"heap": 5}),
        "players": (Player("ada", "1"), Player("bob", "2")),
        "controls": (clock.Fischer(10 * SECOND, SECOND),) * 2,
        "seed": bytes(range(32)),
    }
    return make_setup(**{**usual, **terms})


def decided_events(setup: Setup, *asked: tuple[int, commands.Command]) -> list[Event]:
    """Return the events of a match that gets these commands at these times."""
    first = MatchCreated(0, setup)
    events: list[Event] = [first]
    match = create_match(first, find_game(setup.terms.game))
    for at_us, command in asked:
        decided = decide(match, command, at_us)
        events.extend(decided.events)
        match = decided.match
    return events


def short_match(**terms: object) -> list[Event]:
    """Return three moves of Nim, by which seat 0 wins."""
    return decided_events(
        nim_setup(**terms),
        (10, commands.StartPlay()),
        (1_010, commands.SubmitMove(0, "0.0.1", "1", TurnMeasurement(1_010))),
        (3_010, commands.SubmitMove(1, "1.1.1", "2", TurnMeasurement(3_000, 500), "r1")),
        (9_010, commands.SubmitMove(0, "0.2.1", "2", TurnMeasurement(9_000, 0, 200))),
    )


def random_match(game: Game, seed: int, max_answers: int = 60) -> list[Event]:
    """Return a whole random match. It is ended after `max_answers` answers."""
    rng = random.Random(seed)
    return RandomMatch(game, any_setup(game, rng), rng).play(max_answers)
