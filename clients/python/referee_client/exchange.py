"""A turn, and what the bot says to it: one answer, for good."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field, replace

from referee_api.v1 import play_pb2

from referee_client.errors import Refusal
from referee_client.turn import Turn

VERDICT_WITHIN_S = 0.2
"""So long a new turn waits for the verdict on the answer before it, which may be a refusal that the bot wants to
see. They come together, but not always in this order."""


@dataclass(eq=False)
class Exchange:
    turn: Turn
    said: play_pb2.FromBot | None = None
    """None: it is still thought about."""
    thinking: "asyncio.Task[None] | None" = None
    judged: asyncio.Event = field(default_factory=asyncio.Event)
    """The verdict on what was said has come, or cannot come any more."""

    def forget(self) -> None:
        """There is nothing to answer any more."""
        if self.thinking:
            self.thinking.cancel()

    async def settled(self) -> None:
        """The verdict on what was said is there, if one is to come."""
        if self.said:
            with suppress(TimeoutError):
                async with asyncio.timeout(VERDICT_WITHIN_S):
                    await self.judged.wait()

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
