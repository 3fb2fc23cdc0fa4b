"""Codecs: moves as short sequences of small integers, and views as lists of integers, for programs that learn.

The text of a move is cut into chunks, such as `d4` and `xb2` in Alquerque. Each chunk that a game knows has an index,
which is called an action; the action `END` follows the last chunk. So a game with millions of moves has a few hundred
actions, no move is the beginning of another, and two moves never have the same actions. Indices never change: new
chunks are appended.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engines.game_errors import GameError, MalformedMove

END: Final = 0
"""The action that ends every move. Its chunk is empty."""


class UnknownAction(GameError):
    """Raised for an action that a codec does not have."""

    def __init__(self, action: int, last: int) -> None:
        super().__init__(f"there is no action {action}; they are 0 to {last}", action=str(action), last=str(last))


@dataclass(frozen=True)
class Field:
    """Consecutive numbers of an observation that mean the same."""

    name: str
    size: int
    low: int
    high: int
    meaning: str


class Codec(ABC):
    """Converts the moves and views of one game with certain settings."""

    def __init__(self, chunks: Iterable[str], pattern: str, fields: Sequence[Field]) -> None:
        """`pattern` is a regular expression without groups that finds the next chunk of a move."""
        self.chunks: tuple[str, ...] = ("", *chunks)
        """Text of each action."""
        self.fields = tuple(fields)
        """The parts of an observation, in order."""
        self._actions = {chunk: action for action, chunk in enumerate(self.chunks) if chunk}
        self._pattern = re.compile(pattern, re.ASCII)

    @property
    def size(self) -> int:
        """Number of integers in an observation."""
        return sum(field.size for field in self.fields)

    def encode(self, move: str) -> tuple[int, ...]:
        """Return the actions of a move, legal or not. Raises MalformedMove."""
        chunks = self._pattern.findall(move)
        if "".join(chunks) != move or not self._actions.keys() >= set(chunks) or not chunks:
            raise MalformedMove(move, "no sequence of actions stands for it")
        return (*[self._actions[chunk] for chunk in chunks], END)

    def decode(self, actions: Iterable[int]) -> str:
        """Return the text that actions stand for: a move, or the beginning of one. Raises UnknownAction."""
        found = list(actions)
        for action in found:
            if not 0 <= action < len(self.chunks):
                raise UnknownAction(action, len(self.chunks) - 1)
        return "".join([self.chunks[action] for action in found])

    @abstractmethod
    def observe(self, view: Any, seat: int) -> list[int]:
        """Return a view of `seat`, which may have been JSON, as integers in the order of `fields`."""


def one_hot(size: int, *numbers: int) -> list[int]:
    """Return zeros, with a one at each of the numbers."""
    found = [0] * size
    for number in numbers:
        found[number] = 1
    return found


def from_seat(seats: Sequence[Any], seat: int) -> list[Any]:
    """Return what belongs to the seats, beginning with `seat` and in the order of play."""
    return [*seats[seat:], *seats[:seat]]
