"""Two small games in a distribution of their own: one with turns, one with sealed choices."""

from .fingers import Fingers
from .nim import Nim

__all__ = ["FINGERS", "NIM"]

NIM = Nim()
FINGERS = Fingers()
