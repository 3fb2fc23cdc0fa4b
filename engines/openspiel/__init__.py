"""Games of OpenSpiel, one attribute for each name of `catalogue.LISTED`. They need pyspiel: `referee[openspiel]`.

Games are made when they are asked for. A name that this release of OpenSpiel does not have is no attribute.
"""

from typing import TYPE_CHECKING

from engines.openspiel.game import OpenSpielGame, find_listed

if TYPE_CHECKING:
    from engines.api import Game

__all__ = ["OpenSpielGame"]


def __getattr__(name: str) -> "Game":
    game = find_listed(name)
    if game is None:
        raise AttributeError(f"OpenSpiel has no game {name!r}, or it is not listed", name=name)
    return game
