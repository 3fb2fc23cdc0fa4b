"""Matches that run beside a second engine: which engine that is, and the game that compares itself with it."""

import time

from engines.api import Game
from engines.game_errors import DetailedError
from engines.options import Settings
from engines.second.checked_game import CheckedGame
from engines.second.second_registry import find_second
from referee.match.match_errors import BadSetup
from referee.match.match_terms import MatchTerms


def check_second_engine(game: str, settings: Settings, name: str) -> None:
    """Raise BadSetup if no second engine of that name is installed, or if it cannot play by these settings."""
    try:
        refusal = find_second(game, name).refusal(settings)
    except DetailedError as unknown:
        raise BadSetup("second_engine", f"must be one that is installed: {unknown}") from None
    if refusal:
        raise BadSetup("second_engine", f"must fit the options: {refusal}")


def checked(game: Game, second: str) -> CheckedGame:
    """Return a game beside a second engine of that name. Raises UnknownSecondEngine."""
    return CheckedGame(game, find_second(game.name, second), time.thread_time_ns)


def game_of_match(game: Game, terms: MatchTerms) -> Game:
    """Return the game by which a match is played: beside its second engine, if it has one.

    Raises UnknownSecondEngine.
    """
    return checked(game, terms.checked_by) if terms.checked_by else game
