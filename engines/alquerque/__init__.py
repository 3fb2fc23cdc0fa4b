"""Alquerque, as the game GAME."""

from engines.alquerque.game import Alquerque

__all__ = ["GAME"]

GAME = Alquerque()
