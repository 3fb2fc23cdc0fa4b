"""Trox, as the game GAME."""

from engines.trox.game import Trox

__all__ = ["GAME"]

GAME = Trox()
