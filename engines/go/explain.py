"""Finds out why a well-formed move is illegal: the rule it breaks, and a sentence about it."""

from engines.game_errors import IllegalMove
from engines.go.stones import Stones

REPEATED = {
    "positional": "it would repeat an earlier board",
    "situational": "it would repeat an earlier board with the same side to move",
    "simple": "it would take back at once, and repeat the board before the opponent's last stone",
}


def illegal(stones: Stones, move: int, text: str, ko: str) -> IllegalMove:
    """Return the error for `move`, which must not be legal."""
    if not move & stones.empty:
        return IllegalMove(text, "GO-1", f"there is a stone on {text}")
    if not stones.allows(move):
        return IllegalMove(text, "GO-3", "its group would have no liberty, and it captures nothing")
    return IllegalMove(text, "GO-4", REPEATED[ko])
