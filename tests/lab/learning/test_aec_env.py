"""The environments of PettingZoo, by its own tests and by the rules of the games."""

import random
from typing import Any

import numpy as np
import pytest
from pettingzoo import AECEnv
from pettingzoo.test import api_test, seed_test

from engines.api import Game
from engines.registry import find
from engines.testing.random_games import settings_of
from referee.lab.learning import IllegalAction, Observation, RawEnv, env
from tests.engines.test_codec import INSTALLED, every_game
from tests.lab.learning.learning_games import action_of, first_action
from tests.third_party_games.third_party_games import FINGERS, NIM

Env = AECEnv[str, Observation, int]
# These are true of PettingZoo's own environments of board games, which its test knows by name.
as_board_games = [
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
    pytest.mark.filterwarnings("ignore:Action mask is all zeros"),
]
pytestmark = as_board_games


def play_on(environment: Env, rng: random.Random, steps: int = 100_000) -> dict[str, float]:
    """Take random legal actions, and return the sum of the rewards of each agent."""
    rewards = dict.fromkeys(environment.possible_agents, 0.0)
    for agent in environment.agent_iter(steps):
        observation, reward, over, _, _ = environment.last()
        rewards[agent] += reward
        assert observation
        environment.step(None if over else rng.choice(legal(observation)))  # type: ignore[arg-type]
    return rewards


def seeded(environment: Env) -> Env:
    """Return the environment, so that the actions that are drawn from its spaces are the same in each run."""
    for seat, agent in enumerate(environment.possible_agents):
        environment.action_space(agent).seed(seat)
    return environment


def legal(observation: Observation) -> list[int]:
    return [int(action) for action in np.flatnonzero(observation["action_mask"])]


@every_game
def test_every_game_passes_the_api_test_of_pettingzoo(game: Game) -> None:
    api_test(seeded(env(game)), num_cycles=300)


@pytest.mark.parametrize("game", INSTALLED, ids=lambda game: game.name)
def test_every_variant_passes_the_api_test_of_pettingzoo(game: Game) -> None:
    for settings in settings_of(game, 2, random.Random(game.name)):
        api_test(seeded(env(game, settings.texts())), num_cycles=5)


@every_game
def test_every_game_passes_the_seed_test_of_pettingzoo(game: Game) -> None:
    seed_test(lambda: env(game), num_cycles=100)


@every_game
def test_the_rewards_of_a_game_are_those_of_its_outcome(game: Game) -> None:
    environment = env(game)
    environment.reset(seed=5)
    rewards = play_on(environment, random.Random(5))
    assert not environment.agents
    table = game.table(game.settings())
    of_sides = [{rewards[f"player_{seat}"] for seat in side} for side in table.sides]
    assert all(len(of_side) == 1 for of_side in of_sides)
    assert sum(of_side.pop() for of_side in of_sides) == pytest.approx(0)


def test_the_winner_gets_1_and_the_loser_loses_1() -> None:
    environment = env(NIM, {"heap": 4})
    environment.reset()
    environment.step(action_of(NIM, "1"))
    environment.step(action_of(NIM, "3"))
    assert environment.rewards == {"player_0": -1, "player_1": 1}
    assert environment.infos["player_1"] == {"reason": "last_taken", "score": 1}


def test_with_three_sides_a_reward_is_the_share_beaten_less_the_share_lost_to() -> None:
    environment = env(FINGERS)
    environment.reset()
    for _ in range(3):
        for fingers in "112":
            environment.step(action_of(FINGERS, fingers))
    assert environment.rewards == {"player_0": -0.5, "player_1": -0.5, "player_2": 1}


def test_equal_seeds_deal_equal_cards_and_a_reset_without_a_seed_others() -> None:
    hands = []
    environment = env("toc")
    for seed in (1, None, 1, None, 2):
        environment.reset(seed=seed)
        observation = environment.observe("player_0")
        assert observation
        hands.append(observation["observation"].tobytes())
    assert hands[:2] == hands[2:4]
    assert len(set(hands)) == 3


def test_a_sealed_choice_is_not_observed_by_those_who_choose_after_it() -> None:
    game = find("toc")
    seen = set()
    for number in range(5):
        environment = env(game)
        environment.reset(seed=1)
        first, *_ = environment.last()
        assert first
        environment.step(legal(first)[number])
        assert environment.agent_selection == "player_1"
        for agent in ("player_1", "player_2", "player_3"):
            seen.add((agent, bytes_of(environment.observe(agent))))
    assert len(seen) == 3


def test_a_move_that_is_not_complete_is_observed_by_its_agent_only() -> None:
    environment = env("trox")
    environment.reset()
    others = bytes_of(environment.observe("player_1"))
    own = bytes_of(environment.observe("player_0"))
    environment.step(action_of(find("trox"), "BRN@"))
    assert environment.agent_selection == "player_0"
    assert bytes_of(environment.observe("player_0")) != own
    assert bytes_of(environment.observe("player_1")) == others


def bytes_of(observation: Observation | None) -> bytes:
    assert observation
    return observation["observation"].tobytes() + observation["action_mask"].tobytes()


def test_only_the_agent_that_is_to_move_has_legal_actions() -> None:
    environment = env("alquerque")
    environment.reset()
    masks = [environment.observe(agent)["action_mask"].sum() for agent in environment.agents]  # type: ignore[index]
    assert masks == [4, 0]


def test_an_illegal_action_loses_as_in_the_games_of_pettingzoo() -> None:
    environment = env("alquerque")
    environment.reset()
    environment.step(action_of(find("alquerque"), "!c3"))
    assert environment.rewards == {"player_0": -1, "player_1": 0}
    assert all(environment.terminations.values())


@pytest.mark.parametrize(
    ("chunk", "why"),
    [("!c3", r"!c3 is not legal: .* \(huff\)"), ("a5", "no legal move begins with 'a5'"), ("", "begins with ''")],
)
def test_an_illegal_action_without_wrappers_is_an_error_with_the_reason_of_the_rules(chunk: str, why: str) -> None:
    environment = RawEnv("alquerque")
    environment.reset()
    before = bytes_of(environment.observe("player_0"))
    with pytest.raises(IllegalAction, match=why):
        environment.step(action_of(find("alquerque"), chunk))
    assert bytes_of(environment.observe("player_0")) == before
    assert not any(environment.terminations.values())


def test_an_action_outside_of_the_space_is_an_error() -> None:
    environment = RawEnv("alquerque")
    environment.reset()
    with pytest.raises(IllegalAction, match="action 5000 is not legal here"):
        environment.step(5000)


def test_a_game_without_a_codec_has_no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(NIM), "codec", Game.codec)
    with pytest.raises(ValueError, match="nim has no codec, which environments need to write"):
        env(NIM)


@pytest.mark.parametrize(("mode", "drawn"), [("ansi", True), (None, False)])
def test_the_render_mode_ansi_draws_the_position(mode: str | None, drawn: bool) -> None:
    environment = env("alquerque", render_mode=mode)
    environment.reset()
    picture: Any = environment.render()
    assert ("●" in picture) if drawn else picture is None
    environment.close()


def test_the_presets_of_a_game_can_be_chosen() -> None:
    environment = env("troke", preset="troke_english")
    environment.reset(seed=3)
    for _ in range(5):
        observation, *_ = environment.last()
        assert observation
        environment.step(first_action(observation))
