"""Long work in small pieces: however many do some, one of them goes on in each turn of the loop.

Each alone may leave the loop to others often enough; many together would still hold it up for all matches.
"""

import asyncio


class TakingTurns:
    """For one event loop."""

    def __init__(self) -> None:
        self._mine = asyncio.Lock()

    async def my_turn(self) -> None:
        """Come back in a turn of the loop in which nobody else of these goes on."""
        async with self._mine:
            await asyncio.sleep(0)
