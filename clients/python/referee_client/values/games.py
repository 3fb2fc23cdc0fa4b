"""Games, their rules and positions."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from referee_client.values.results import Result


@dataclass(frozen=True, kw_only=True)
class Notation:
    """Notation of a game for people: grammar and examples."""

    move_grammar: str = ""
    """Grammar of moves, as plain text."""
    position_grammar: str = ""
    """Grammar of positions, as plain text."""


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A named set of rule options: a well-known variant."""

    name: str = ""
    """Name of the preset, such as `tock_common`."""
    description: str = ""
    """Description in one sentence."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Options that it sets, with values as text; all others keep their defaults."""


@dataclass(frozen=True, kw_only=True)
class Game:
    """A game that this server supports."""

    name: str = ""
    """Its name in requests, such as `toc`: lower case without spaces."""
    version: int = 0
    """Version of the rules; it increases when the same moves would have another outcome. Records contain it."""
    title: str = ""
    """Display name."""
    rules_text: str = ""
    """The rules as plain text, with their source."""
    notation: Notation = field(default_factory=Notation)
    """Notation of moves and positions."""
    options_schema_json: str = ""
    """JSON Schema (2020-12) of an object with the rule options: names, values, defaults and descriptions."""
    presets: tuple[Preset, ...] = ()
    """Named sets of options."""
    view_schema_json: str = ""
    """JSON Schema (2020-12) of every `view_json` of this game."""
    draws_by_agreement: bool = False
    """Whether the seats can agree on a draw."""


@dataclass(frozen=True, kw_only=True)
class Rules:
    """A game and its rule options."""

    game: str = ""
    """Name of the game. Required in requests."""
    preset: str = ""
    """Preset to start from. Default: none. Empty in responses, where `options` is complete."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Option values as text (`true`, `3`, `max`), which override the preset.

    Requests need only the options that differ; responses contain all.
    """
    version: int = 0
    """Version of the game's rules. Set by the server; ignored in requests."""


@dataclass(frozen=True, kw_only=True)
class Side:
    """Seats that win and lose together. In games without partners, one seat."""

    seats: tuple[int, ...] = ()
    """Numbers of the seats, from 0."""


@dataclass(frozen=True, kw_only=True)
class SeatLayout:
    """Seats and sides of a game under given rules."""

    seat_names: tuple[str, ...] = ()
    """Name of each seat, such as `white`, from seat 0."""
    sides: tuple[Side, ...] = ()
    """Sides, in the order in which they are scored."""


@dataclass(frozen=True, kw_only=True)
class SeatMove:
    """A move and the seat that made it."""

    seat: int = 0
    """The seat, from 0."""
    move: str = ""
    """The move in the game's notation, as the reader can see it."""


@dataclass(frozen=True, kw_only=True)
class Opening:
    """Start of a game other than the game's initial position."""

    position: str = ""
    """A complete position in the game's notation. Default: the game's initial position."""
    moves: tuple[SeatMove, ...] = ()
    """Moves played from there before any clock runs. Default: none."""


@dataclass(frozen=True, kw_only=True)
class SeatToMove:
    """A seat that has to move, and its legal moves."""

    seat: int = 0
    """The seat, from 0."""
    legal_moves: tuple[str, ...] = ()
    """Legal moves in order, up to the limit.

    Empty unless requested, and for a seat whose moves the viewer must not see.
    """
    legal_moves_truncated: bool = False
    """Whether there are more legal moves than listed."""
    legal_move_count: int | None = None
    """Number of legal moves. None if legal moves were not requested, or are too many to count quickly."""


@dataclass(frozen=True, kw_only=True)
class PositionReading:
    """What the rules say of a position."""

    rules: Rules = field(default_factory=Rules)
    """The rules with the values of all options."""
    seat_layout: SeatLayout = field(default_factory=SeatLayout)
    """Seats and sides under these rules."""
    position: str = ""
    """The position in canonical form, as the viewer can see it."""
    view_json: str = ""
    """The position as JSON in the game's view schema. Empty unless requested."""
    seats_to_move: tuple[SeatToMove, ...] = ()
    """Seats that have to move, in order, with their legal moves. Empty if the game is over."""
    result: Result | None = None
    """Result of the game. None while it continues."""
