"""Errors that a game raises for bad input: what is wrong, and what would be right.

Each error has a class, a sentence, and `details`, which maps the name of each variable in the sentence to its value, so
that programs need not parse the sentence. An error changes nothing.
"""

from collections.abc import Collection
from difflib import get_close_matches

SHOWN_CHARS = 80


def quoted(text: object) -> str:
    """Return bad input in a form that error messages can contain: quoted, ASCII only, and shortened."""
    return ascii(shortened(str(text)))


def shortened(text: str) -> str:
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}..."


def nearest(given: object, names: Collection[str]) -> str:
    """Return the name that was probably meant; empty if none is similar."""
    return "".join(get_close_matches(shortened(str(given)), names, 1))


def unknown(what: str, given: object, names: Collection[str], known: str = "") -> str:
    """Return the sentence about a name that is not known: `unknown WHAT 'GIVEN'; known: NAMES; did you mean NAME?`.

    `known`: the names in another form.
    """
    near = nearest(given, names)
    meant = f"; did you mean {near}?" if near else ""
    return f"unknown {what} {quoted(given)}; known: {known or ', '.join(names) or 'none'}{meant}"


class DetailedError(ValueError):
    """Base class of the errors with details, here and in the referee. `str()` returns one sentence for people."""

    def __init__(self, sentence: str, **details: str) -> None:
        super().__init__(sentence)
        self.details = details

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle what was computed, since the arguments of a subclass are others than those of its base class."""
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[DetailedError], arguments: tuple[object, ...], attributes: dict[str, object]) -> DetailedError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(attributes)
    return error


class GameError(DetailedError):
    """Base class of the errors that a game raises for bad input."""


class UnknownGame(GameError):
    def __init__(self, name: str, names: Collection[str], known: str) -> None:
        super().__init__(unknown("game", name, names, known), game=shortened(name), known=known)


class UnknownOption(GameError):
    def __init__(self, option: str, names: Collection[str]) -> None:
        super().__init__(unknown("option", option, names), option=shortened(option), known=", ".join(names))


class UnknownPreset(GameError):
    def __init__(self, preset: str, names: Collection[str], known: str) -> None:
        super().__init__(unknown("preset", preset, names, known), preset=shortened(preset), known=known)


class BadOption(GameError):
    """Raised if an option cannot have this value, either at all or together with the other options."""

    def __init__(self, option: str, value: object, known: str) -> None:
        sentence = f"invalid value {quoted(value)} for option {option}; it must be {known}"
        super().__init__(sentence, option=option, value=shortened(str(value)), known=known)


class MalformedPosition(GameError):
    """Raised if a text does not describe a position of this game under these settings."""

    def __init__(self, text: str, wrong: str) -> None:
        super().__init__(f"cannot read the position {quoted(text)}: {wrong}", position=shortened(text), wrong=wrong)


class MalformedMove(GameError):
    """Raised if a text is not a move in the notation of this game."""

    def __init__(self, move: str, right: str) -> None:
        super().__init__(f"cannot read the move {quoted(move)}: {right}", move=shortened(move), right=right)


class IllegalMove(GameError):
    """Raised if a well-formed move cannot be played in this position."""

    def __init__(self, move: str, rule: str, why: str) -> None:
        shown = shortened(move)
        super().__init__(f"{shown} is not legal: {why} ({rule})", move=shown, rule=rule, why=why)


class NotYourTurn(GameError):
    def __init__(self, seat: int, owing: tuple[int, ...]) -> None:
        who = f"to move: seat {', '.join(map(str, owing))}" if owing else "the game is over"
        super().__init__(f"it is not the turn of seat {seat}; {who}", seat=str(seat), owing=",".join(map(str, owing)))
