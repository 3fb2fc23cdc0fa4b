"""Games and policies that tests of environments share."""

import numpy as np
import pytest

from engines.registry import find, own_games
from referee.lab.learning import Observation
from tests.third_party_games.third_party_games import FINGERS, NIM

INSTALLED = [game for game in map(find, own_games()) if game.codec(game.settings())]
"""Not every game has a codec."""
GAMES = [*INSTALLED, NIM, FINGERS]
every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)


def first_action(observation: Observation) -> int:
    """Return the legal action with the lowest index."""
    return int(np.flatnonzero(observation["action_mask"])[0])
