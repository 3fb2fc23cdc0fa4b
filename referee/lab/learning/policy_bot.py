"""A trained policy as a bot."""

from referee_client import Turn

from engines.codec import Codec
from referee.lab.learning.learning_game import Observer, Policy


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
