"""All that the referee knows of games.

A `Game` names its options and opens positions; a `Position` is a value that says who owes a move,
which moves there are, and what each viewer may see of it. Positions and moves are text, as FEN and
UCI are for chess: on the wire, in the log, in the golden files, on a bot's stdin. Everything here
is told, never asked for: chance comes in as a seed, time does not come in at all.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from engines.options import Options, Settings, Value

Seat: TypeAlias = int
Viewer: TypeAlias = int
SPECTATOR: Viewer = -1
"""Sees what lies open on the table."""
REFEREE: Viewer = -2
"""Sees everything. For the log, and for a record after the end."""

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"


@dataclass(frozen=True)
class Table:
    """Who sits down to a game: a name for each seat, and which seats stand together."""

    seats: tuple[str, ...]
    sides: tuple[tuple[Seat, ...], ...]


@dataclass(frozen=True)
class Outcome:
    """How a game ended, in the game's own points (men, chips, or 1, ½ and 0)."""

    reason: str
    """One word of the game's own, such as `no_men`; its rules page lists them."""
    scores: tuple[float, ...]
    """One a seat."""
    side_scores: tuple[float, ...]
    """One a side, in the order of `Table.sides`. Who has more stands higher."""

    @property
    def side_ranks(self) -> tuple[int, ...]:
        """1 is best; sides with equal scores share a rank, and the next rank is left out."""
        return tuple(1 + sum(s > mine for s in self.side_scores) for mine in self.side_scores)

    def ranks(self, table: Table) -> tuple[int, ...]:
        """The rank of each seat: its side's."""
        rank = {seat: r for side, r in zip(table.sides, self.side_ranks, strict=True) for seat in side}
        return tuple(rank[seat] for seat in range(len(table.seats)))


class Position(ABC):
    """One moment of a game. It never changes: `play` gives another.

    Two positions are equal when their games, settings and full texts are. The text holds everything
    but the history that a rule of repetition needs.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def settings(self) -> Settings: ...

    @property
    @abstractmethod
    def owing(self) -> tuple[Seat, ...]:
        """The seats that owe a move, in order. Nobody owes one exactly when there is an outcome."""

    @abstractmethod
    def moves(self, seat: Seat) -> Sequence[str]:
        """What `seat` may play now: sorted, complete, nothing twice. Empty if it owes no move."""

    @abstractmethod
    def play(self, seat: Seat, move: str) -> "Position":
        """The position after it. Raises NotYourTurn, MalformedMove or IllegalMove, and says why."""

    @property
    @abstractmethod
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""

    @property
    @abstractmethod
    def standing(self) -> tuple[float, ...]:
        """The score of each side if the game stopped here: how the rest rank when a side drops out."""

    @abstractmethod
    def text(self, viewer: Viewer) -> str:
        """The position as `viewer` may see it: what is unknown to it is `?`."""

    @abstractmethod
    def view(self, viewer: Viewer) -> Json:
        """The same as plain data, by the game's `view_schema`."""

    @abstractmethod
    def told(self, seat: Seat, move: str, viewer: Viewer) -> str:
        """A legal `move` of `seat` as `viewer` may hear of it."""

    def opened(self, seat: Seat, move: str, viewer: Viewer) -> str:
        """A `move` that `seat` made while others owed one too, as `viewer` may hear of it when all have been made.

        It is asked of the position to which the last of them has led.
        """
        return self.told(seat, move, viewer)

    @abstractmethod
    def picture(self, viewer: Viewer) -> str:
        """The same for a person at a terminal: lines of text, coloured by ANSI codes."""

    def default(self, seat: Seat) -> str:
        """What is played for a seat that owes a move and gives none, where a match wants the game's own choice."""
        return self.moves(seat)[0]

    @property
    def claimable(self) -> str | None:
        """The reason for which a seat that owes a move may claim a draw, in one word; None: it may not."""
        return None

    def __str__(self) -> str:
        return self.text(REFEREE)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self!s})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._whole() == other._whole()

    def __hash__(self) -> int:
        return hash(self._whole())

    def _whole(self) -> tuple[Settings, str]:
        return self.settings, str(self)


@dataclass(frozen=True)
class Notation:
    """How a game is written, for a person: grammar and examples of its moves and positions."""

    move: str
    position: str


class Game(ABC):
    """The rules of one game, and nothing else."""

    name: str
    """As in `referee games`: lower case, no blanks."""
    version: int
    """Grows when the same moves would lead elsewhere than before; records name it."""
    title: str
    rules: str
    """The rules in prose, with their source."""
    options: Options
    notation: Notation
    view_schema: Mapping[str, Json]
    """A JSON Schema (2020-12) of what `Position.view` gives."""
    draws_by_agreement: bool = False
    """May the seats agree on a draw?"""

    def settings(self, chosen: Mapping[str, Value] | None = None, preset: str | None = None) -> Settings:
        """Options as chosen, over a preset, over the defaults.

        Raises UnknownOption, UnknownPreset or BadOption.
        """
        settings = self.options.settings(chosen or {}, preset)
        self.table(settings)
        return settings

    @abstractmethod
    def table(self, settings: Settings) -> Table:
        """Seats and sides. Raises BadOption where two settings cannot go together."""

    @abstractmethod
    def start(self, settings: Settings, seed: bytes) -> Position:
        """The first position. Equal seeds and equal moves give equal games."""

    @abstractmethod
    def read(self, text: str, settings: Settings) -> Position:
        """The position that a full text describes. Raises MalformedPosition, and says where."""
