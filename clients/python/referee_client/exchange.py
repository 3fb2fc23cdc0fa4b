"""A turn and the bot's answer to it; each turn gets only one answer."""

import asyncio
from dataclasses import dataclass, replace

from referee_api.v1 import play_pb2

from referee_client.errors import Refusal
from referee_client.turn import Turn


@dataclass(eq=False)
class Exchange:
    turn: Turn
    said: play_pb2.BotItem | None = None
    """The answer that was sent; None while the bot is thinking."""
    thinking: "asyncio.Task[None] | None" = None

    def forget(self) -> None:
        """Stop thinking, because no answer is needed any more."""
        if self.thinking:
            self.thinking.cancel()

    def after(self, refused: Refusal | None) -> Turn:
        """Return the turn with the error of the previous answer."""
        return replace(self.turn, refused=refused)

    def is_meant(self, verdict: play_pb2.Verdict) -> bool:
        """Return whether this is the verdict on the answer."""
        if self.said is None:
            return False
        if self.said.HasField("move"):
            return verdict.turn_token == self.turn.token
        return verdict.item_id == self.said.item_id
