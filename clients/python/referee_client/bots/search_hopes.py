"""Evaluation of unfinished games: how a search judges the position where its random play has stopped.

For most games this is the game's own standing (men, chips, pawns). In Toc the standing changes only once in a hundred
turns, so the progress of every pawn is used instead.
"""

from math import tanh

from engines.api import Position
from engines.toc.places import H1, ON_RING, RING, STARTS, places_in
from engines.toc.position import TocPosition
from referee_client.bots.search_tree import Hope

AT_HOME = 1.25
"""Value of a pawn at home, in units of a lap: it can no longer be killed."""
ON_ITS_WAY = 0.15
"""Bonus for having left the reserve."""


def by_standing(position: Position) -> tuple[float, ...]:
    """Return the value for each side by how far its standing is ahead of the best other side."""
    return _ahead(position.standing, scale=4.0)


def by_way(position: Position) -> tuple[float, ...]:
    """Return the value for each team of Toc by the progress of its pawns."""
    assert isinstance(position, TocPosition)
    come = [_way(pawns, start) for pawns, start in zip(position.round.track.pawns, STARTS, strict=True)]
    return _ahead((come[0] + come[2], come[1] + come[3]), scale=1.5)


def _way(pawns: int, start: int) -> float:
    on_ring = sum(ON_ITS_WAY + (cell - start) % RING / RING for cell in places_in(pawns & ON_RING))
    return on_ring + AT_HOME * (pawns >> H1).bit_count()


def _ahead(scores: tuple[float, ...], scale: float) -> tuple[float, ...]:
    return tuple(
        0.5 + 0.5 * tanh((mine - max(scores[:side] + scores[side + 1 :])) / scale) for side, mine in enumerate(scores)
    )


HOPES: dict[str, Hope] = {"toc": by_way}
"""Evaluation by game; games that are not listed use their standing."""
