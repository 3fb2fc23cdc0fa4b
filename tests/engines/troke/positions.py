"""Shorthand for positions of Troke."""

from engines.options import Value
from engines.troke import GAME
from engines.troke.position import TrokePosition


def start(**options: Value) -> TrokePosition:
    return GAME.start(GAME.settings(options), b"")


def in_order(text: str) -> str:
    """Return a text whose circles were in any order."""
    stacks, _, rest = text.partition(" ")
    return f"{','.join(sorted(stacks.split(','), key=lambda stack: (int(stack.split(':')[0][1:]), stack)))} {rest}"


def read(text: str, **options: Value) -> TrokePosition:
    """Parse a text whose circles may be in any order."""
    return GAME.read(in_order(text), GAME.settings(options))


def moves(at: TrokePosition, begins: str = "") -> str:
    """Return the moves of the seat to move that start with `begins`."""
    return " ".join(move for move in at.moves(at.owing[0]) if move.startswith(begins))


def played(at: TrokePosition, line: str) -> TrokePosition:
    for move in line.split():
        at = at.play(at.owing[0], move)
    return at


def ended(at: TrokePosition) -> str:
    """Return the reason and the scores, or an empty string while the game is not over."""
    outcome = at.outcome
    return f"{outcome.reason} {' '.join(f'{score:g}' for score in outcome.scores)}" if outcome else ""
