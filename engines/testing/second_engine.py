"""Interface of second engines: what another implementation of the rules of a game must tell to be compared.

It is smaller than that of a game. What an engine does not know, such as a text in the notation of the game, it leaves
out, and that is not compared. Positions and moves are text in the notation of the first engine.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection

from engines.api import REFEREE, Outcome, Seat, Viewer
from engines.options import Settings


class SecondPosition(ABC):
    """The state of a game between two moves, as the second engine knows it. `play` returns a new one."""

    @property
    @abstractmethod
    def owing(self) -> tuple[Seat, ...]:
        """The seats that are to move, in ascending order; empty if the game is over."""

    @abstractmethod
    def moves(self, seat: Seat) -> Collection[str]:
        """Return all legal moves of a seat that is to move, in any order."""

    @abstractmethod
    def play(self, seat: Seat, move: str, after: str) -> "SecondPosition":
        """Return the position after a legal move.

        `after` is the full text of the position that the first engine has reached. Only what is drawn by lot may be
        taken from it.
        """

    @property
    @abstractmethod
    def outcome(self) -> Outcome | None:
        """How the game ended, or None if it is not over.

        An empty reason and empty scores are unknown. The ranks of the sides are always known.
        """

    @abstractmethod
    def text(self, viewer: Viewer) -> str | None:
        """Return the text of the position for a viewer. None: the engine does not know it."""


class SecondEngine(ABC):
    """A second implementation of the rules of one game."""

    def refusal(self, settings: Settings) -> str:
        """Return why it cannot play by these settings; empty: it can."""
        return ""

    @abstractmethod
    def start(self, settings: Settings, text: str) -> SecondPosition:
        """Return the position of that full text, which is the first one of a match."""


class OpenPosition(SecondPosition):
    """A position of a game without hidden information, of which all viewers see the same text."""

    @abstractmethod
    def full_text(self) -> str:
        """Return the full text of the position."""

    def text(self, viewer: Viewer) -> str | None:
        return self.full_text() if viewer == REFEREE else None
