"""The game Troke, exported as GAME."""

from engines.troke.game import Troke

__all__ = ["GAME"]

GAME = Troke()
