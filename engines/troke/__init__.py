"""Troke, as the game GAME."""

from engines.troke.game import Troke

__all__ = ["GAME"]

GAME = Troke()
