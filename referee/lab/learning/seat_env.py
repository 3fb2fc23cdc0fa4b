"""Gymnasium environment of one seat; all others are played by an opponent."""

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded

from engines.api import Game, Position, Seat
from engines.options import Value
from referee.lab.learning.learning_game import (
    RENDER_MODES,
    IllegalAction,
    LearningGame,
    MoveChoice,
    Observation,
    Policy,
)

RANDOM = "random"
SEED_BYTES = 32
ILLEGAL_REWARD = -1.0


class SeatEnv(gymnasium.Env[Observation, np.int64]):
    """One seat against an opponent: "random", which chooses among all legal moves alike, or a policy.

    An illegal action ends the episode with a reward of -1; `info["refused"]` says why.
    """

    def __init__(
        self,
        game: Game | str,
        options: Mapping[str, Value] | None = None,
        preset: str | None = None,
        *,
        seat: Seat = 0,
        opponent: str | Policy = RANDOM,
        render_mode: str | None = None,
    ) -> None:
        if opponent != RANDOM if isinstance(opponent, str) else not callable(opponent):
            raise ValueError(f"unknown opponent {opponent!r}; known: {RANDOM!r}, or a function that is a policy")
        self._game = LearningGame(game, options, preset, render_mode)
        if not 0 <= seat < len(self._game.table.seats):
            raise ValueError(f"there is no seat {seat}; the last one is {len(self._game.table.seats) - 1}")
        self.metadata = {"render_modes": list(RENDER_MODES)}
        self.render_mode = render_mode
        self.observation_space, self.action_space = self._game.observer.spaces()
        self._seat = seat
        self._opponent = opponent
        self._started: Position | None = None
        """The present position. None: `reset` was not called."""
        self._choice: MoveChoice | None = None

    @property
    def _position(self) -> Position:
        if self._started is None:
            raise ResetNeeded("call reset before step and render")
        return self._started

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a game and let the opponent play until the seat is to move.

        If the game is over before that, any action ends the episode.
        """
        super().reset(seed=seed)
        self._continue(self._game.start(self.np_random.bytes(SEED_BYTES)))
        return self._observe(), {}

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        if self._choice:
            try:
                self._choice = self._game.choose(self._position, self._seat, self._choice, int(action))
            except IllegalAction as error:
                return self._observe(), ILLEGAL_REWARD, True, False, {"refused": str(error)}
            if self._choice.move is not None:
                self._continue(self._position.play(self._seat, self._choice.move))
        outcome = self._position.outcome
        if outcome is None:
            return self._observe(), 0.0, False, False, {}
        info = {"reason": outcome.reason, "score": outcome.scores[self._seat]}
        return self._observe(), self._game.rewards(outcome)[self._seat], True, False, info

    def render(self) -> str | None:
        """Return a drawing of the position as the seat sees it, if the render mode is "ansi"."""
        return self._position.picture(self._seat) if self.render_mode == "ansi" else None

    def _continue(self, position: Position) -> None:
        """Let the opponent play until the seat is to move or the game is over."""
        while position.owing and self._seat not in position.owing:
            other = position.owing[0]
            position = position.play(other, self._opponents_move(position, other))
        self._started = position
        self._choice = self._game.choice(position, self._seat) if position.owing else None

    def _opponents_move(self, position: Position, seat: Seat) -> str:
        moves = position.moves(seat)
        if isinstance(self._opponent, str):
            return moves[int(self.np_random.integers(len(moves)))]
        return self._game.observer.choose_move(self._opponent, position.view(seat), seat, moves)

    def _observe(self) -> Observation:
        return self._game.observer.observe(self._position.view(self._seat), self._seat, self._choice)
