"""A turn and the bot's answer to it; each turn gets only one answer."""

import asyncio
from dataclasses import dataclass

from referee_api.v1 import play_pb2

from referee_client.errors import Refusal
from referee_client.turn import Turn


@dataclass(eq=False)
class OpenTurn:
    turn: Turn
    session: int
    """The session in which the turn has last arrived. In later ones the answer waits for the turn."""
    answer: play_pb2.BotItem | None = None
    """The answer; None while the bot is thinking."""
    task: "asyncio.Task[None] | None" = None
    """Computes and sends the answer."""
    rejection: Refusal | None = None
    """The error of the answer, for the next turn of the seat."""

    def cancel(self) -> None:
        """Stop the computation, because the answer is no longer needed."""
        if self.task:
            self.task.cancel()

    def matches(self, verdict: play_pb2.Verdict) -> bool:
        """Return whether this is the verdict on the answer. Only verdicts on moves have the token."""
        if verdict.turn_token:
            # Turns of different matches can have the same token.
            return (verdict.match_id, verdict.turn_token) == (self.turn.match_id, self.turn.token)
        return self.answer is not None and verdict.item_id == self.answer.item_id
