"""The game chess, exported as GAME. It needs python-chess, which `referee[chess]` installs."""

from engines.chess.game import Chess

__all__ = ["GAME"]

GAME = Chess()
