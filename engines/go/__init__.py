"""The game Go, exported as GAME."""

from engines.go.game import Go

__all__ = ["GAME"]

GAME = Go()
