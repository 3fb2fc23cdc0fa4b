"""Toc, as the game GAME."""

from engines.toc.game import Toc
from engines.toc.imagine import imagine

__all__ = ["GAME", "imagine"]

GAME = Toc()
