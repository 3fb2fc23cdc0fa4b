"""What a game that goes on is worth: how a search judges where its random play has led.

Most games say it themselves, by their standing (men, chips, pawns). In Toc the standing moves once in a hundred
turns, so there the way that every pawn has come counts.
"""

from math import tanh

from engines.api import Position
from engines.toc.places import H1, ON_RING, RING, STARTS, places_in
from engines.toc.position import TocPosition
from referee_client.bots.search_tree import Hope

AT_HOME = 1.25
"""Of the way of a pawn: it can be killed no more."""
ON_ITS_WAY = 0.15
"""It is worth something to have left the reserve."""


def by_standing(position: Position) -> tuple[float, ...]:
    """Who stands how far ahead of the best of the others."""
    return _ahead(position.standing, scale=4.0)


def by_way(position: Position) -> tuple[float, ...]:
    """Toc: how far the pawns of each team have come."""
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
"""By game; the others go by their standing."""
