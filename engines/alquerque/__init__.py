"""The game Alquerque, exported as GAME."""

from engines.alquerque.game import Alquerque

__all__ = ["GAME"]

GAME = Alquerque()
