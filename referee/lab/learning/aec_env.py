"""PettingZoo environments (AEC) of all games that have a codec.

An agent chooses a move action by action, and is selected until the move is complete. If several seats are to move at
the same time, they are selected one after another; what they choose is hidden from the others, as the rules say.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from engines.api import REFEREE, Game, Position, Seat
from engines.options import Value
from referee.lab.learning.learning_game import RENDER_MODES, LearningGame, MoveChoice, Observation

SEED_BYTES = 32


def env(
    game: Game | str,
    options: Mapping[str, Value] | None = None,
    preset: str | None = None,
    render_mode: str | None = None,
    illegal_reward: float = -1,
) -> AECEnv[str, Observation, int]:
    """Return an environment in which an illegal action ends the game.

    The agent that chose it gets `illegal_reward`, and the others 0. Raises ValueError if the game has no codec.
    """
    raw = RawEnv(game, options, preset, render_mode)
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrappers.TerminateIllegalWrapper(raw, illegal_reward))
    return wrappers.OrderEnforcingWrapper(wrapped)


class RawEnv(AECEnv[str, Observation, int]):
    """Environment in which an illegal action raises IllegalAction and changes nothing."""

    def __init__(
        self,
        game: Game | str,
        options: Mapping[str, Value] | None = None,
        preset: str | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._game = LearningGame(game, options, preset, render_mode)
        name = f"{self._game.game.name}_v{self._game.game.version}"
        self.metadata = {"render_modes": list(RENDER_MODES), "name": name, "is_parallelizable": False}
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(len(self._game.table.seats))]
        both = [self._game.observer.spaces() for _ in self.possible_agents]
        self._observation_spaces = dict(
            zip(self.possible_agents, (observations for observations, _ in both), strict=True)
        )
        self._action_spaces = dict(zip(self.possible_agents, (actions for _, actions in both), strict=True))
        self._random: np.random.Generator | None = None
        self._choice: MoveChoice | None = None

    def observation_space(self, agent: str) -> spaces.Space[Observation]:
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game. Equal seeds and equal actions give equal games; without a seed, the next game begins."""
        if seed is not None or self._random is None:
            self._random, _ = seeding.np_random(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._set_position(self._game.start(self._random.bytes(SEED_BYTES)))

    def observe(self, agent: str) -> Observation:
        seat = self._seat(agent)
        choice = self._choice if agent == self.agent_selection else None
        return self._game.observer.observe(self._position.view(seat), seat, choice)

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)  # type: ignore[arg-type]  # It wants None.
            return
        assert action is not None, "None is for agents whose game is over"
        assert self._choice is not None
        seat = self._seat(agent)
        self._choice = self._game.choose(self._position, seat, self._choice, int(action))
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if self._choice.move is not None:
            self._set_position(self._position.play(seat, self._choice.move))
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Return a drawing of the position with everything that is hidden, if the render mode is "ansi"."""
        return self._position.picture(REFEREE) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def _set_position(self, position: Position) -> None:
        """Select the next agent, which chooses a move, or give the rewards if the game is over."""
        self._position = position
        self._choice = None
        if position.outcome is None:
            seat = position.owing[0]
            self.agent_selection = self.possible_agents[seat]
            self._choice = self._game.choice(position, seat)
            return
        self.agent_selection = self.agents[0]
        for agent, reward, score in zip(
            self.agents, self._game.rewards(position.outcome), position.outcome.scores, strict=True
        ):
            self.rewards[agent] = reward
            self.terminations[agent] = True
            self.infos[agent] = {"reason": position.outcome.reason, "score": score}

    def _seat(self, agent: str) -> Seat:
        return self.possible_agents.index(agent)
