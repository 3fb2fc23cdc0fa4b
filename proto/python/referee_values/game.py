"""Games, and the terms in which positions, moves and rules are expressed.

Positions and moves are text in the notation of the game, as FEN and UCI are for chess. Everything else that depends
on the game (schemas, views) is JSON text, so that a new game needs no change of this contract.
"""

from collections.abc import Mapping

from referee_values.value import EMPTY, Count, Value


class Notation(Value, frozen=True, kw_only=True):
    """Notation of a game for people: grammar and examples."""

    move_grammar: str = ""
    """Grammar of moves, as plain text."""
    position_grammar: str = ""
    """Grammar of positions, as plain text."""


class Side(Value, frozen=True, kw_only=True):
    """Seats that win and lose together. In games without partners, one seat."""

    seats: tuple[Count, ...] = ()
    """Numbers of the seats, from 0."""


class SeatMove(Value, frozen=True, kw_only=True):
    """A move and the seat that made it."""

    seat: Count = 0
    """The seat, from 0."""
    move: str = ""
    """The move in the game's notation, as the reader can see it."""


class Preset(Value, frozen=True, kw_only=True):
    """A named set of rule options: a well-known variant."""

    name: str = ""
    """Name of the preset, such as `tock_common`."""
    description: str = ""
    """Description in one sentence."""
    options: Mapping[str, str] = EMPTY
    """Options that it sets, with values as text; all others keep their defaults."""


class Rules(Value, frozen=True, kw_only=True):
    """A game and its rule options."""

    game: str = ""
    """Name of the game. Required in requests."""
    preset: str = ""
    """Preset to start from. Default: none. Empty in responses, where `options` is complete."""
    options: Mapping[str, str] = EMPTY
    """Option values as text (`true`, `3`, `max`), which override the preset. Requests need only the options that
    differ; responses contain all.
    """
    version: Count = 0
    """Version of the game's rules. Set by the server; ignored in requests."""


class SeatLayout(Value, frozen=True, kw_only=True):
    """Seats and sides of a game under given rules."""

    seat_names: tuple[str, ...] = ()
    """Name of each seat, such as `white`, from seat 0."""
    sides: tuple[Side, ...] = ()
    """Sides, in the order in which they are scored."""


class Opening(Value, frozen=True, kw_only=True):
    """Start of a game other than the game's initial position."""

    position: str = ""
    """A complete position in the game's notation. Default: the game's initial position."""
    moves: tuple[SeatMove, ...] = ()
    """Moves played from there before any clock runs. Default: none."""


class Game(Value, frozen=True, kw_only=True):
    """A game that this server supports."""

    name: str = ""
    """Its name in requests, such as `toc`: lower case without spaces."""
    version: Count = 0
    """Version of the rules; it increases when the same moves would have another outcome. Records contain it."""
    title: str = ""
    """Display name."""
    rules_text: str = ""
    """The rules as plain text, with their source."""
    notation: Notation = Notation()
    """Notation of moves and positions."""
    options_schema_json: str = ""
    """JSON Schema (2020-12) of an object with the rule options: names, values, defaults and descriptions."""
    presets: tuple[Preset, ...] = ()
    """Named sets of options."""
    view_schema_json: str = ""
    """JSON Schema (2020-12) of every `view_json` of this game."""
    draws_by_agreement: bool = False
    """Whether the seats can agree on a draw."""
