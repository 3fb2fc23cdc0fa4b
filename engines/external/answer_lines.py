"""The answers of an engine, and their checks. An answer that breaks the protocol raises BrokenEngine."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, TypeVar

import msgspec
from msgspec import Struct

from engines.api import Outcome, Seat, Table
from engines.external.engine_connection import BrokenEngine
from engines.game_errors import BadOption, IllegalMove, MalformedMove, MalformedPosition, shortened
from engines.options import Choice, Count, Flag, Option, Options, Preset, Text

T = TypeVar("T")

PROTOCOL = 1
MAX_POSITION_CHARS = 65_536
MAX_MOVE_CHARS = 1_024
MAX_SEATS = 64
MAX_OPTIONS = 64
MAX_SENTENCE_CHARS = 1_000
NAME = re.compile("[a-z][a-z0-9_]{0,39}", re.ASCII)
WORD = re.compile("[A-Za-z][A-Za-z_]{0,39}", re.ASCII)


class Line(Struct, frozen=True, forbid_unknown_fields=True):
    """Base of the objects in an answer: a field that is not known is an error."""


class ChoiceOption(Line, frozen=True, tag_field="kind", tag="choice"):
    name: str
    default: str
    meaning: str
    choices: tuple[str, ...]
    late: bool = False

    def option(self) -> Option:
        return Choice(self.name, self.default, self.meaning, late=self.late, choices=self.choices)


class FlagOption(Line, frozen=True, tag_field="kind", tag="flag"):
    name: str
    default: bool
    meaning: str
    late: bool = False

    def option(self) -> Option:
        return Flag(self.name, self.default, self.meaning, late=self.late)


class CountOption(Line, frozen=True, tag_field="kind", tag="count"):
    name: str
    default: int
    meaning: str
    least: int
    most: int
    late: bool = False

    def option(self) -> Option:
        return Count(self.name, self.default, self.meaning, late=self.late, least=self.least, most=self.most)


class TextOption(Line, frozen=True, tag_field="kind", tag="text"):
    name: str
    default: str
    meaning: str
    takes: str
    max_chars: int
    late: bool = False

    def option(self) -> Option:
        return Text(self.name, self.default, self.meaning, late=self.late, takes=self.takes, most_chars=self.max_chars)


class PresetLine(Line, frozen=True):
    name: str
    meaning: str
    chosen: dict[str, str | int | bool]


class NotationLine(Line, frozen=True):
    move: str
    position: str


class Description(Line, frozen=True):
    """What an engine says about its game."""

    protocol: int
    name: str
    version: int
    title: str
    rules: str
    notation: NotationLine
    view_schema: dict[str, Any]
    options: tuple[ChoiceOption | FlagOption | CountOption | TextOption, ...] = ()
    presets: tuple[PresetLine, ...] = ()
    draws_by_agreement: bool = False
    hides: bool = False
    """Whether a viewer may not see all of a position."""
    hides_moves: bool = False
    """Whether a viewer may not see all of a move."""
    can: tuple[str, ...] = ()
    """Optional requests that it answers: `imagine`, `picture`, `svg`."""
    max_position_chars: int = 4_096
    max_move_chars: int = 64


class TableLine(Line, frozen=True):
    seats: tuple[str, ...]
    sides: tuple[tuple[Seat, ...], ...]


class OutcomeLine(Line, frozen=True):
    reason: str
    scores: tuple[float, ...]
    side_scores: tuple[float, ...]


class Seen(Line, frozen=True):
    """A position as a viewer may see it."""

    text: str
    view: Any


class SeenBy(Line, frozen=True):
    """A position as the spectator and each seat may see it."""

    spectator: Seen
    seats: tuple[Seen, ...]


class ShownTo(Line, frozen=True):
    """A move as the spectator and each seat may see it."""

    spectator: str
    seats: tuple[str, ...]


class State(Line, frozen=True):
    """Everything that the referee needs to know of a position."""

    position: str
    owing: tuple[Seat, ...]
    moves: tuple[tuple[str, ...], ...]
    """The legal moves of each seat in `owing`."""
    standing: tuple[float, ...]
    view: Any
    """The view of a viewer who may see everything."""
    outcome: OutcomeLine | None = None
    defaults: tuple[str, ...] | None = None
    """The default move of each seat in `owing`."""
    claimable: str | None = None
    seen: SeenBy | None = None
    """None: everybody sees everything."""
    shown: ShownTo | None = None
    """The move that led here, as it was seen when it was played."""


class ErrorLine(Line, frozen=True):
    kind: str
    sentence: str = ""
    rule: str = ""
    option: str = ""


class Answer(Line, frozen=True):
    id: int
    ok: msgspec.Raw = msgspec.Raw()
    error: ErrorLine | None = None


def read_answer(line: bytes, asked: int, kind: type[T]) -> T | ErrorLine:
    """Return the content of the answer to the request with that id. Raises BrokenEngine."""
    answer = _decode(line, Answer)
    if answer.id != asked:
        raise BrokenEngine(f"it answers request {answer.id} instead of {asked}")
    content = bytes(answer.ok)
    if bool(content) == bool(answer.error):
        raise BrokenEngine("its answer has not one of ok and error")
    if answer.error:
        if len(answer.error.sentence) > MAX_SENTENCE_CHARS or not answer.error.sentence.isprintable():
            raise BrokenEngine(
                f"the sentence of an error is not printable, or too long: {answer.error.sentence[:80]!a}"
            )
        return answer.error
    return _decode(content, kind)


def _decode(line: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.DecodeError, RecursionError) as error:
        raise BrokenEngine(f"its answer is not valid: {error}: {shortened(line.decode(errors='replace'))!a}") from None


def raise_move_error(error: ErrorLine, move: str) -> NoReturn:
    """Raise MalformedMove or IllegalMove, or BrokenEngine if it is no error of a move."""
    if error.kind == "malformed_move":
        raise MalformedMove(move, _sentence(error))
    if error.kind == "illegal_move" and error.rule:
        raise IllegalMove(move, error.rule, _sentence(error))
    raise_failure(error)


def raise_position_error(error: ErrorLine, text: str) -> NoReturn:
    """Raise MalformedPosition, or BrokenEngine if it is no error of a position."""
    if error.kind == "malformed_position":
        raise MalformedPosition(text, _sentence(error))
    raise_failure(error)


def raise_option_error(error: ErrorLine, values: Mapping[str, object]) -> NoReturn:
    """Raise BadOption, or BrokenEngine if it is no error of an option."""
    if error.kind == "bad_option" and error.option in values:
        raise BadOption(error.option, values[error.option], _sentence(error))
    raise_failure(error)


def raise_failure(error: ErrorLine) -> NoReturn:
    raise BrokenEngine(f"it answers with the error {error.kind!a}: {error.sentence!a}")


def _sentence(error: ErrorLine) -> str:
    return error.sentence or error.kind


def check_description(said: Description, name: str) -> Options:
    """Check what an engine says about the game of that name, and return its options. Raises BrokenEngine."""
    _require(said.protocol == PROTOCOL, f"it speaks protocol {said.protocol}, not {PROTOCOL}")
    _require(said.name == name, f"its game is called {said.name!a}, not {name!a}")
    _require(said.version >= 1, "its version is not a number from 1 on")
    _require(not set(said.can) - {"imagine", "picture", "svg"}, f"it can do what is not known: {said.can}")
    _require(1 <= said.max_position_chars <= MAX_POSITION_CHARS, f"max_position_chars exceeds {MAX_POSITION_CHARS}")
    _require(1 <= said.max_move_chars <= MAX_MOVE_CHARS, f"max_move_chars exceeds {MAX_MOVE_CHARS}")
    _require(len(said.options) <= MAX_OPTIONS, f"it has more than {MAX_OPTIONS} options")
    names = [option.name for option in said.options]
    _require(len(set(names)) == len(names), "two options have the same name")
    options = Options(
        tuple(line.option() for line in said.options),
        tuple(Preset(line.name, line.meaning, line.chosen) for line in said.presets),
    )
    try:
        for option in options.declared:
            _require(NAME.fullmatch(option.name), f"{option.name!a} is no name of an option")
            option.parse(option.default)
        for preset in options.presets:
            options.settings(preset.chosen)
    except ValueError as error:
        raise BrokenEngine(f"its options contradict each other: {error}") from None
    return options


def check_table(said: TableLine) -> Table:
    """Return the table. Raises BrokenEngine."""
    seats = sorted(seat for side in said.sides for seat in side)
    _require(1 <= len(said.seats) <= MAX_SEATS, f"a table has 1 to {MAX_SEATS} seats")
    _require(seats == list(range(len(said.seats))), f"the sides do not contain each seat once: {said.sides}")
    return Table(said.seats, said.sides)


def check_state(state: State, game: Description, table: Table) -> State:
    """Return a position with its moves in order. Raises BrokenEngine if it contradicts itself."""
    seats, sides = len(table.seats), len(table.sides)
    _check_text(state.position, game.max_position_chars, "the position")
    _require(
        list(state.owing) == sorted(set(state.owing)), f"the seats to move are not in ascending order: {state.owing}"
    )
    _require(set(state.owing) <= set(range(seats)), f"a seat to move is not at the table: {state.owing}")
    _require(len(state.moves) == len(state.owing), "there is not one list of moves for each seat that is to move")
    _require(all(state.moves), "a seat is to move and has no legal move")
    _require((state.outcome is None) == bool(state.owing), "there is an outcome and a seat to move, or neither")
    _require(len(state.standing) == sides, "the standing has not one number for each side")
    if state.outcome:
        _require(not (wrong := outcome_of(state.outcome).fault(table)), wrong)
        _check_word(state.outcome.reason)
    if state.claimable is not None:
        _check_word(state.claimable)
    moves = tuple(_sorted_moves(listed, game.max_move_chars) for listed in state.moves)
    _check_defaults(state.defaults, moves)
    _check_seen(state.seen, game, seats)
    return msgspec.structs.replace(state, moves=moves)


def check_shown(shown: ShownTo | None, game: Description, seats: int) -> ShownTo:
    """Return a move as all may see it. Raises BrokenEngine if it is missing."""
    if shown is None or len(shown.seats) != seats:
        raise BrokenEngine("the game hides moves, and the answer says not what each seat may see of this one")
    for text in (shown.spectator, *shown.seats):
        _check_text(text, game.max_move_chars, "a move")
    return shown


def outcome_of(line: OutcomeLine) -> Outcome:
    return Outcome(line.reason, line.scores, line.side_scores)


def _sorted_moves(moves: Sequence[str], max_chars: int) -> tuple[str, ...]:
    for move in moves:
        _check_text(move, max_chars, "a move")
    _require(len(set(moves)) == len(moves), "a move is listed twice")
    return tuple(sorted(moves))


def _check_defaults(defaults: Sequence[str] | None, moves: Sequence[Sequence[str]]) -> None:
    if defaults is not None:
        _require(len(defaults) == len(moves), "there is not one default move for each seat that is to move")
        legal = all(move in listed for move, listed in zip(defaults, moves, strict=True))
        _require(legal, "a default move is not legal")


def _check_seen(seen: SeenBy | None, game: Description, seats: int) -> None:
    _require((seen is not None) == game.hides, "it says what viewers see if and only if the game hides something")
    if seen:
        _require(len(seen.seats) == seats, "it says not what each seat sees")
        for each in (seen.spectator, *seen.seats):
            _check_text(each.text, game.max_position_chars, "the text for a viewer")


def _check_text(text: str, max_chars: int, what: str) -> None:
    _require(text and text.isprintable(), f"{what} is empty or not printable: {shortened(text)!a}")
    _require(len(text) <= max_chars, f"{what} has {len(text)} characters; its own limit is {max_chars}")


def _check_word(text: str) -> None:
    _require(WORD.fullmatch(text), f"a reason is one word, not {shortened(text)!a}")


def _require(holds: object, wrong: str) -> None:
    if not holds:
        raise BrokenEngine(wrong)
