"""A trained policy as a bot."""

import json
import random
from itertools import islice

import numpy as np
import pytest
from referee_client import Turn

from engines.api import Game
from engines.codec import END
from engines.registry import find
from engines.testing.random_games import game_path
from referee.lab.learning import IllegalAction, Observation, PolicyBot, RawEnv
from tests.engines.test_codec import codec_of, every_game
from tests.lab.learning.learning_games import first_action


@every_game
def test_a_bot_gets_the_view_and_the_moves_from_its_turn(game: Game) -> None:
    bot = PolicyBot(first_action, codec_of(game, game.settings()))
    for position in islice(game_path(game, game.settings(), random.Random(2)), 30):
        for seat in position.owing:
            view = json.dumps(position.view(seat))
            moves = tuple(position.moves(seat))
            turn = Turn("", seat, "", game.name, {}, 0, position.text(seat), listed_moves=moves, received_view=view)
            assert bot.choose(turn) in moves


def test_a_policy_observes_as_a_bot_what_it_observes_in_the_environment() -> None:
    in_environment: list[Observation] = []
    in_matches: list[Observation] = []
    environment = RawEnv("toc")
    environment.reset(seed=3)
    game = find("toc")
    position = game.start(game.settings(), np.random.default_rng(3).bytes(32))

    def policy(observation: Observation) -> int:
        in_matches.append(observation)
        return first_action(observation)

    bot = PolicyBot(policy, codec_of(game, game.settings()))
    for _ in range(40):
        seat = position.owing[0]
        turn = Turn("", seat, "", "toc", game.settings().texts(), 0, position.text(seat))
        position = position.play(seat, bot.choose(turn))
    while len(in_environment) < len(in_matches):
        in_environment.append(environment.observe(environment.agent_selection))
        environment.step(first_action(in_environment[-1]))
    for observation, other in zip(in_environment, in_matches, strict=True):
        assert observation["observation"].tolist() == other["observation"].tolist()
        assert observation["action_mask"].tolist() == other["action_mask"].tolist()


def test_a_policy_that_chooses_an_illegal_action_is_an_error() -> None:
    game = find("alquerque")
    bot = PolicyBot(lambda _: END, codec_of(game, game.settings()))
    start = str(game.start(game.settings(), b""))
    with pytest.raises(IllegalAction):
        bot.choose(Turn("", 0, "", "alquerque", {}, 0, start))
