"""The choice of one move, action by action."""

from collections.abc import Iterable
from functools import cached_property

from engines.codec import Codec


class IllegalAction(ValueError):
    """Raised if an action leads to no legal move."""


class MoveChoice:
    """The actions chosen so far, as an immutable value, and the moves that still begin with them.

    A single possible action is chosen without asking, except the first one of a move.
    """

    def __init__(self, codec: Codec, moves: Iterable[str]) -> None:
        self._codec = codec
        self._left = [codec.encode(move) for move in moves]
        self.actions: tuple[int, ...] = ()
        """The actions chosen so far."""

    @cached_property
    def legal(self) -> list[int]:
        """The actions that may be chosen next, in order."""
        done = len(self.actions)
        return sorted({actions[done] for actions in self._left if len(actions) > done})

    @property
    def move(self) -> str | None:
        """The chosen move, or None if actions are missing."""
        return self.text if self._left == [self.actions] else None

    @property
    def text(self) -> str:
        """What has been chosen so far."""
        return self._codec.decode(self.actions)

    def choose(self, action: int) -> "MoveChoice":
        """Return the choice after an action and those that follow from it. Raises IllegalAction."""
        if action not in self.legal:
            chunks = self._codec.chunks
            written = self.text + (chunks[action] if 0 <= action < len(chunks) else "?")
            raise IllegalAction(f"action {action} is not legal here: no legal move begins with {written!r}")
        choice = self._after(action)
        while len(choice.legal) == 1:
            choice = choice._after(choice.legal[0])
        return choice

    def _after(self, action: int) -> "MoveChoice":
        done = len(self.actions)
        after = MoveChoice(self._codec, ())
        after._left = [actions for actions in self._left if actions[done] == action]
        after.actions = (*self.actions, action)
        return after
