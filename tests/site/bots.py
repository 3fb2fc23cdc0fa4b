"""Bots that play random moves in one process; in matches with much time they wait for a file, and take their time.

    python -m tests.site.bots ADDRESS GATE TOKEN...

A bot captures whenever it can, so that matches end.
"""

import asyncio
import random
import sys
from pathlib import Path

from referee_client import Turn, play

SLOW_FROM_S = 300.0
"""Time left from which on a bot is slow."""
PAUSE_S = 0.1
HELD_PLY = 6
"""Move at which slow matches are held until the gate exists. A number in it is the next such move."""


class RandomBot:
    def __init__(self, gate: Path) -> None:
        self._gate = gate

    async def choose(self, turn: Turn) -> str:
        if turn.time_left and turn.time_left > SLOW_FROM_S:
            await asyncio.sleep(PAUSE_S)
            while turn.ply >= self._held_ply():
                await asyncio.sleep(PAUSE_S)
        captures = [move for move in turn.legal_moves if "x" in move]
        return random.choice(captures or turn.legal_moves)

    def _held_ply(self) -> float:
        if not self._gate.exists():
            return HELD_PLY
        return float(self._gate.read_text() or "inf")


async def play_all(address: str, gate: Path, tokens: list[str]) -> None:
    bot = RandomBot(gate)
    await asyncio.gather(*(play(bot.choose, address, token, max_matches=12) for token in tokens))


if __name__ == "__main__":
    asyncio.run(play_all(sys.argv[1], Path(sys.argv[2]), sys.argv[3:]))
