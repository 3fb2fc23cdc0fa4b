"""Evaluation of unfinished games, for the position at which the random play of a search has stopped.

For most games this is the game's own standing (men, chips, pawns). In Toc the standing changes only once in a hundred
turns, so the progress of every pawn is used instead.
"""

from math import tanh

from engines.api import Position
from engines.toc.places import H1, ON_RING, RING, STARTS, places_in
from engines.toc.position import TocPosition
from referee_client.bots.search_tree import Evaluation

HOME_VALUE = 1.25
"""Value of a pawn at home, in units of a lap: it can no longer be killed."""
START_BONUS = 0.15
"""Bonus for having left the reserve."""


def evaluate_standing(position: Position) -> tuple[float, ...]:
    """Return the value for each side by how far its standing is ahead of the best other side."""
    return _lead(position.standing, scale=4.0)


def evaluate_progress(position: Position) -> tuple[float, ...]:
    """Return the value for each team of Toc by the progress of its pawns."""
    assert isinstance(position, TocPosition)
    progress = [_progress(pawns, start) for pawns, start in zip(position.round.track.pawns, STARTS, strict=True)]
    return _lead((progress[0] + progress[2], progress[1] + progress[3]), scale=1.5)


def _progress(pawns: int, start: int) -> float:
    on_ring = sum(START_BONUS + (cell - start) % RING / RING for cell in places_in(pawns & ON_RING))
    return on_ring + HOME_VALUE * (pawns >> H1).bit_count()


def _lead(scores: tuple[float, ...], scale: float) -> tuple[float, ...]:
    return tuple(
        0.5 + 0.5 * tanh((mine - max(scores[:side] + scores[side + 1 :])) / scale) for side, mine in enumerate(scores)
    )


EVALUATIONS: dict[str, Evaluation] = {"toc": evaluate_progress}
"""Evaluation by game; games that are not listed use their standing."""
