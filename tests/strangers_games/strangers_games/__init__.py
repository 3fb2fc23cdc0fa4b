"""Two small games that join from their own distribution: one of turns, one of sealed choices."""

from .fingers import Fingers
from .nim import Nim

__all__ = ["FINGERS", "NIM"]

NIM = Nim()
FINGERS = Fingers()
