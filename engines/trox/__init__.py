"""The game Trox, exported as GAME."""

from engines.trox.game import Trox

__all__ = ["GAME"]

GAME = Trox()
