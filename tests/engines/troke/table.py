"""Short ways to set up a position of Troke."""

from engines.options import Value
from engines.troke import GAME
from engines.troke.position import TrokePosition


def start(**options: Value) -> TrokePosition:
    return GAME.start(GAME.settings(options), b"")


def read(text: str, **options: Value) -> TrokePosition:
    """The position of a text that may list its circles in any order."""
    stacks, _, rest = text.partition(" ")
    in_order = sorted(stacks.split(","), key=lambda stack: (int(stack.split(":")[0][1:]), stack))
    return GAME.read(f"{','.join(in_order)} {rest}", GAME.settings(options))


def moves(at: TrokePosition, begins: str = "") -> str:
    """What the seat to move may play, of the moves that begin so."""
    return " ".join(move for move in at.moves(at.owing[0]) if move.startswith(begins))


def played(at: TrokePosition, line: str) -> TrokePosition:
    for move in line.split():
        at = at.play(at.owing[0], move)
    return at


def ended(at: TrokePosition) -> str:
    """The reason and the scores, or nothing while the game goes on."""
    outcome = at.outcome
    return f"{outcome.reason} {' '.join(f'{score:g}' for score in outcome.scores)}" if outcome else ""
