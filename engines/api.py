"""Interface between the referee and the games.

A `Game` declares its options and creates positions. A `Position` is an immutable value that tells which seats are to
move, which moves are legal, and what each viewer may see. Positions and moves are text, like FEN and UCI in chess: on
the wire, in logs, in golden files and on the standard input of a bot. The interface is pure: randomness comes from a
seed that is passed in, and nothing depends on time.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, cast

from engines.codec import Codec
from engines.options import Options, Settings, Value
from engines.view_table import view_table

Seat: TypeAlias = int
Viewer: TypeAlias = int
SPECTATOR: Viewer = -1
"""Viewer that sees only what is visible to everyone."""
REFEREE: Viewer = -2
"""Viewer that sees everything; used for the log, and for the record after the end."""

MAX_SCORE: Final = 10**15
"""Limit of a score in both directions. Every integer up to it is exact as a float."""

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"


@dataclass(frozen=True)
class Table:
    """The participants of a game: the name of each seat, and which seats form a side."""

    seats: tuple[str, ...]
    sides: tuple[tuple[Seat, ...], ...]


@dataclass(frozen=True)
class Outcome:
    """How a game ended, with scores in the game's own points (men, chips, or 1, ½ and 0)."""

    reason: str
    """Reason of the end as one word, such as `no_men`; the rules page of the game lists them all."""
    scores: tuple[float, ...]
    """Score of each seat."""
    side_scores: tuple[float, ...]
    """Score of each side, in the order of `Table.sides`. Sides with higher scores rank higher."""

    @property
    def side_ranks(self) -> tuple[int, ...]:
        """Rank of each side, 1 being the best. Sides with equal scores share a rank, and the next ranks are skipped."""
        return tuple(1 + sum(s > mine for s in self.side_scores) for mine in self.side_scores)

    def fault(self, table: Table) -> str:
        """Return why this cannot be the outcome of a game at the table, as a clause; empty if it can."""
        if not (type(self.scores) is type(self.side_scores) is tuple):
            return "the scores of the outcome are not tuples"
        if len(self.scores) != len(table.seats):
            return "the outcome has not one score for each seat"
        if len(self.side_scores) != len(table.sides):
            return "the outcome has not one score for each side"
        if not all(map(is_score, (*self.scores, *self.side_scores))):
            return "a score of the outcome is not a number from -10^15 to 10^15"
        return ""

    def ranks(self, table: Table) -> tuple[int, ...]:
        """Return the rank of each seat, which is the rank of its side."""
        rank = {seat: r for side, r in zip(table.sides, self.side_ranks, strict=True) for seat in side}
        return tuple(rank[seat] for seat in range(len(table.seats)))


def is_score(value: object) -> bool:
    """Return whether a value is an int or a float that every record, log and client can hold; NaN is not."""
    return type(value) in (int, float) and -MAX_SCORE <= cast(float, value) <= MAX_SCORE


class Position(ABC):
    """The state of a game between two moves. It is immutable: `play` returns a new position.

    Two positions are equal if they have the same class, settings and full text. The text contains everything except the
    history that a repetition rule needs.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def settings(self) -> Settings: ...

    @property
    @abstractmethod
    def owing(self) -> tuple[Seat, ...]:
        """The seats that are to move, in ascending order; empty if and only if there is an outcome."""

    @abstractmethod
    def moves(self, seat: Seat) -> Sequence[str]:
        """Return all legal moves of `seat`, sorted and without duplicates; empty if `seat` is not to move."""

    @abstractmethod
    def play(self, seat: Seat, move: str) -> "Position":
        """Return the position after `move`.

        Raises NotYourTurn if `seat` is not to move, MalformedMove if `move` cannot be parsed, and IllegalMove, which
        names the broken rule, if it is not legal here.
        """

    @property
    @abstractmethod
    def outcome(self) -> Outcome | None:
        """How the game ended, or None if it is not over."""

    @property
    @abstractmethod
    def standing(self) -> tuple[float, ...]:
        """The score of each side if the game stopped here. It ranks the remaining sides when a side drops out."""

    @abstractmethod
    def text(self, viewer: Viewer) -> str:
        """Return the position as text, as `viewer` may see it; `?` replaces what the viewer does not know."""

    @abstractmethod
    def view(self, viewer: Viewer) -> Json:
        """Return the position as plain data by the game's `view_schema`, as `viewer` may see it."""

    @abstractmethod
    def visible_move(self, seat: Seat, move: str, viewer: Viewer) -> str:
        """Return the legal `move` of `seat` as `viewer` may see it when it is played; hidden parts are replaced.

        It shows no more than the text after the move: if two moves lead to positions that differ only in what `viewer`
        does not see, both look the same to it.
        """

    def revealed_move(self, seat: Seat, move: str, viewer: Viewer) -> str:
        """Return `move` as `viewer` may see it once all seats that chose at the same time have moved.

        `move` was played by `seat` while other seats were to move too. The method is called on the position after the
        last of these moves. By default it returns the same as `visible_move`.
        """
        return self.visible_move(seat, move, viewer)

    @abstractmethod
    def picture(self, viewer: Viewer) -> str:
        """Return a drawing of the position for a terminal, as `viewer` may see it: lines of text with ANSI colours."""

    def default(self, seat: Seat) -> str:
        """Return the move that replaces a missing one of `seat`, which is to move.

        It is used by matches that let the game choose such moves, and depends only on what `seat` may see. By default
        it is the first legal move.
        """
        return self.moves(seat)[0]

    @property
    def claimable(self) -> str | None:
        """Reason for which a seat that is to move may claim a draw, as one word; None if no draw can be claimed.

        It depends only on what each seat that is to move may see.
        """
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
    """Description of the game's notation for people: grammar and examples of its moves and its positions."""

    move: str
    position: str


class Game(ABC):
    """The rules of one game."""

    name: str
    """Name of the game, as in `referee games`: lower case, without blanks."""
    version: int
    """Version of the rules, incremented when the same moves lead to other positions than before.

    Records contain it.
    """
    title: str
    rules: str
    """The rules in prose, with their source."""
    options: Options
    notation: Notation
    view_schema: Mapping[str, Json]
    """JSON Schema (2020-12) of the data that `Position.view` returns."""
    draws_by_agreement: bool = False
    """Whether the seats may agree on a draw."""
    is_slow: bool = False
    """Whether `start`, `read` and `play` take so long that an event loop must not wait for them.

    What positions say about themselves costs nothing, except pictures.
    """
    drawn_when_stopped: bool = False
    """Whether a match is drawn if its terms end it after a number of plies; by default, the standing decides."""

    def settings(self, chosen: Mapping[str, Value] | None = None, preset: str | None = None) -> Settings:
        """Return the chosen options, completed by those of the preset and then by the defaults.

        Raises UnknownOption, UnknownPreset or BadOption.
        """
        settings = self.options.settings(chosen or {}, preset)
        self.table(settings)
        return settings

    @abstractmethod
    def table(self, settings: Settings) -> Table:
        """Return the seats and sides. Raises BadOption if the settings contradict each other."""

    @abstractmethod
    def start(self, settings: Settings, seed: bytes) -> Position:
        """Return the first position. Equal seeds and equal moves lead to equal games."""

    @abstractmethod
    def read(self, text: str, settings: Settings) -> Position:
        """Parse the full text of a position. Raises MalformedPosition, which says what is wrong."""

    def svg(self, settings: Settings, view: Json, last_move: str | None = None) -> str:
        """Return a drawing of a view as one SVG element.

        `view` is what `Position.view` returned, or the same after it has been JSON. The drawing depends on nothing
        else, so it shows nothing that the viewer of the view may not see. `last_move` is the last move as that viewer
        may see it: the drawing marks where it began and ended, as far as that is visible, and ignores a text that it
        cannot parse. There are no styles, scripts, ids or references in it, which a page may forbid. By default it is
        a readable drawing of the view's data; of a game that does not override it, pages show the picture of the
        position instead if they can read its text, thus if nothing in it is hidden.
        """
        return view_table(self.title, view, last_move)

    def codec(self, settings: Settings) -> Codec | None:
        """Return what converts moves and views to integers for programs that learn; None, by default: nothing does."""
        return None

    def imagine(self, text: str, settings: Settings, seed: bytes) -> Position:
        """Return a full position whose text for a seat or the spectator is `text`, with all that is hidden drawn anew.

        Equal seeds give equal positions. A game that hides something must override it, or nobody can play on from what
        a seat knows: by default, a text with hidden parts cannot be read. Raises MalformedPosition.
        """
        return self.read(text, settings)

    def resample(self, position: Position, viewer: Viewer, seed: bytes) -> Position:
        """Return a full position that `viewer` cannot tell from `position`, with what is hidden from it drawn anew.

        The suite compares the two. By default it is imagined from the text of the viewer; a game overrides it that can
        do this from a full position only.
        """
        return self.imagine(position.text(viewer), position.settings, seed)
