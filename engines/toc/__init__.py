"""The game Toc, exported as GAME."""

from engines.toc.game import Toc
from engines.toc.imagine import imagine

__all__ = ["GAME", "imagine"]

GAME = Toc()
