"""Actions and policies that tests of environments share."""

import numpy as np

from engines.api import Game
from referee.lab.learning import Observation
from tests.engines.test_codec import codec_of


def first_action(observation: Observation) -> int:
    """Return the legal action with the lowest index."""
    return int(np.flatnonzero(observation["action_mask"])[0])


def action_of(game: Game, chunk: str) -> int:
    return codec_of(game, game.settings()).chunks.index(chunk)
