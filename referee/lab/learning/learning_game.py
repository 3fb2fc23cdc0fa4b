"""What environments and bots of one game share: the choice of a move, observations, spaces and rewards."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias, cast

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from referee_client import Turn

from engines.api import Game, Outcome, Position, Seat
from engines.codec import Codec
from engines.game_errors import IllegalMove, MalformedMove, unknown
from engines.options import Value
from engines.registry import find

Observation: TypeAlias = dict[str, NDArray[Any]]
"""`observation` and `action_mask`."""
Policy: TypeAlias = Callable[[Observation], int]
"""A function that returns an action whose mask is 1."""

MAX_ACTIONS = 64
"""More actions than any move has."""


RENDER_MODES = ("ansi",)
"""Ways to draw positions: as text."""


class IllegalAction(ValueError):
    """Raised if an action leads to no legal move."""


class MoveChoice:
    """The actions chosen so far, as an immutable value, and the moves that still begin with them.

    A single possible action is chosen without asking, except the first one of a move.
    """

    def __init__(self, codec: Codec, moves: Iterable[str]) -> None:
        self._codec = codec
        self._left = [codec.encode(move) for move in moves]
        self.actions: tuple[int, ...] = ()
        """The actions chosen so far."""

    @cached_property
    def legal(self) -> list[int]:
        """The actions that may be chosen next, in order."""
        done = len(self.actions)
        return sorted({actions[done] for actions in self._left if len(actions) > done})

    @property
    def move(self) -> str | None:
        """The chosen move, or None if actions are missing."""
        return self.text if self._left == [self.actions] else None

    @property
    def text(self) -> str:
        """What has been chosen so far."""
        return self._codec.decode(self.actions)

    def choose(self, action: int) -> "MoveChoice":
        """Return the choice after an action and those that follow from it. Raises IllegalAction."""
        if action not in self.legal:
            chunks = self._codec.chunks
            written = self.text + (chunks[action] if 0 <= action < len(chunks) else "?")
            raise IllegalAction(f"action {action} is not legal here: no legal move begins with {written!r}")
        choice = self._after(action)
        while len(choice.legal) == 1:
            choice = choice._after(choice.legal[0])
        return choice

    def _after(self, action: int) -> "MoveChoice":
        done = len(self.actions)
        after = MoveChoice(self._codec, ())
        after._left = [actions for actions in self._left if actions[done] == action]
        after.actions = (*self.actions, action)
        return after


class Observer:
    """Turns the views of a game into the observations of its environments.

    An observation is what the codec observes, then one number for each action: 0, or where in the move it was chosen
    last, counted from 1. The latter are 0 except for the seat that is choosing a move.
    """

    def __init__(self, codec: Codec) -> None:
        self.codec = codec
        low = [field.low for field in codec.fields for _ in range(field.size)]
        high = [field.high for field in codec.fields for _ in range(field.size)]
        actions = len(codec.chunks)
        self._low = np.array([*low, *[0] * actions], np.float32)
        self._high = np.array([*high, *[MAX_ACTIONS] * actions], np.float32)

    def spaces(self) -> tuple[spaces.Space[Observation], spaces.Space[Any]]:
        """Return new spaces of observations and actions."""
        actions = len(self.codec.chunks)
        observations = spaces.Dict(
            {
                "observation": spaces.Box(self._low, self._high, dtype=np.float32),
                "action_mask": spaces.Box(0, 1, (actions,), np.int8),
            }
        )
        return cast(spaces.Space[Observation], observations), spaces.Discrete(actions)

    def observe(self, view: Any, seat: Seat, choice: MoveChoice | None) -> Observation:
        """Return what `seat` observes; `choice` is its choice of a move, or None if it is not to move."""
        numbers = self.codec.observe(view, seat)
        observation = np.zeros(len(self._low), np.float32)
        observation[: len(numbers)] = numbers
        mask = np.zeros(len(self.codec.chunks), np.int8)
        if choice:
            mask[choice.legal] = 1
            for number, action in enumerate(choice.actions, 1):
                observation[len(numbers) + action] = number
        return {"observation": observation, "action_mask": mask}

    def choose_move(self, policy: Policy, view: Any, seat: Seat, moves: Sequence[str]) -> str:
        """Return the move that a policy chooses. Raises IllegalAction."""
        choice = MoveChoice(self.codec, moves)
        while (move := choice.move) is None:
            choice = choice.choose(int(policy(self.observe(view, seat, choice))))
        return move


class LearningGame:
    """A game with its settings."""

    def __init__(
        self, game: Game | str, options: Mapping[str, Value] | None, preset: str | None, render_mode: str | None
    ) -> None:
        """Raises ValueError for a game without a codec, and for an unknown render mode."""
        if render_mode not in (None, *RENDER_MODES):
            raise ValueError(unknown("render mode", render_mode, RENDER_MODES))
        self.game = find(game) if isinstance(game, str) else game
        self.settings = self.game.settings(options, preset)
        self.table = self.game.table(self.settings)
        codec = self.game.codec(self.settings)
        if codec is None:
            raise ValueError(
                f"{self.game.name} has no codec, which environments need to write moves and views as numbers: games of"
                " OpenSpiel and games in other languages have none, and a game in Python overrides Game.codec"
            )
        self.observer = Observer(codec)

    def start(self, seed: bytes) -> Position:
        return self.game.start(self.settings, seed)

    def choice(self, position: Position, seat: Seat) -> MoveChoice:
        """Return the choice of a move that `seat`, which is to move, has to make."""
        return MoveChoice(self.observer.codec, position.moves(seat))

    def choose(self, position: Position, seat: Seat, choice: MoveChoice, action: int) -> MoveChoice:
        """Return the choice after an action. Raises IllegalAction, with the reason of the rules if they have one."""
        try:
            return choice.choose(action)
        except IllegalAction as error:
            chunks = self.observer.codec.chunks
            move = choice.text + (chunks[action] if 0 <= action < len(chunks) else "")
            try:
                position.play(seat, move)
            except IllegalMove as refusal:
                raise IllegalAction(f"action {action} is not legal here: {refusal}") from None
            except MalformedMove:
                pass  # It is the beginning of a move at most, on which the rules have no opinion.
            raise error from None

    def rewards(self, outcome: Outcome) -> list[float]:
        """Return the reward of each seat: the share of other sides that its side beat, less the share that beat it."""
        scores = outcome.side_scores
        found = [0.0] * len(self.table.seats)
        for side, mine in zip(self.table.sides, scores, strict=True):
            beaten = sum((mine > theirs) - (mine < theirs) for theirs in scores)
            for seat in side:
                found[seat] = beaten / (len(scores) - 1)
        return found


class PolicyBot:
    """Bot for `referee_client.play` and `run` that asks a policy for every action of its moves.

    It plays the game and the settings whose codec it has. The policy gets the same observations as in an environment.
    """

    def __init__(self, policy: Policy, codec: Codec) -> None:
        self._policy = policy
        self._observer = Observer(codec)

    def choose(self, turn: Turn) -> str:
        """Return the move that the policy chooses. Raises IllegalAction if the policy chooses an illegal action."""
        return self._observer.choose_move(self._policy, turn.view, turn.seat, turn.legal_moves)
