"""A turn, and what the bot says to it: one answer, for good."""

import asyncio
from dataclasses import dataclass, replace

from referee_api.v1 import play_pb2

from referee_client.errors import Refusal
from referee_client.turn import Turn


@dataclass(eq=False)
class Exchange:
    turn: Turn
    said: play_pb2.FromBot | None = None
    """None: it is still thought about."""
    thinking: "asyncio.Task[None] | None" = None

    def forget(self) -> None:
        """There is nothing to answer any more."""
        if self.thinking:
            self.thinking.cancel()

    def after(self, refused: Refusal | None) -> Turn:
        """The turn, as one sees it after that refusal."""
        return replace(self.turn, refused=refused)

    def is_meant(self, verdict: play_pb2.Verdict) -> bool:
        """Is this the verdict on what was said?"""
        if self.said is None:
            return False
        if self.said.HasField("move"):
            return verdict.token == self.turn.token
        return verdict.item_id == self.said.item_id
