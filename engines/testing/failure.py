"""The error that a failed check raises, with the position and the move that show it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from engines.api import Position, Seat
from engines.game_errors import GameError, shortened
from engines.options import Settings


class CheckFailure(AssertionError):
    """A property that a game lacks: a sentence, and where it showed, as far as that is known."""

    def __init__(self, wrong: str) -> None:
        super().__init__(wrong)
        self.wrong = wrong
        self.settings: Settings | None = None
        self.position: str | None = None
        self.seat: Seat | None = None
        self.move: str | None = None

    def __str__(self) -> str:
        return "\n".join([self.wrong, *self.place])

    @property
    def place(self) -> list[str]:
        """The options, the position, the seat and the move, each as one line."""
        options = self.settings.texts() if self.settings else {}
        lines = [f"options: {' '.join(f'{name}={value}' for name, value in options.items())}"] if options else []
        lines += [] if self.position is None else [f"position: {self.position}"]
        lines += [] if self.seat is None else [f"seat: {self.seat}"]
        lines += [] if self.move is None else [f"move: {shortened(self.move)!r}"]
        return lines


@contextmanager
def locate(
    settings: Settings | None = None,
    position: Position | str | None = None,
    seat: Seat | None = None,
    move: str | None = None,
) -> Iterator[None]:
    """Add a place to a CheckFailure of the block; any other exception of the block becomes a CheckFailure."""
    try:
        yield
    except Exception as error:
        failure = error if isinstance(error, CheckFailure) else CheckFailure(f"the game raises {describe(error)}")
        if isinstance(position, Position) and failure.settings is None:
            failure.settings = position.settings
        failure.settings = failure.settings or settings
        failure.position = _text(position) if failure.position is None else failure.position
        failure.seat = seat if failure.seat is None else failure.seat
        failure.move = move if failure.move is None else failure.move
        if failure is error:
            raise
        raise failure from error


def require(holds: object, wrong: str) -> None:
    """Raise a CheckFailure with the sentence `wrong` unless something holds."""
    if not holds:
        raise CheckFailure(wrong)


def require_error(kinds: tuple[type[GameError], ...], action: Callable[[], object], wrong: str) -> GameError:
    """Return the error of one of these classes that the action raises. Raises CheckFailure if it raises none."""
    try:
        action()
    except kinds as error:
        require(str(error) and str(error).isprintable(), f"the sentence of an error is not printable: {str(error)!r}")
        return error
    raise CheckFailure(wrong)


def describe(error: Exception) -> str:
    return f"{type(error).__name__}: {shortened(str(error))}"


def _text(position: Position | str | None) -> str | None:
    """Return the text of a position, which may be what fails."""
    try:
        return None if position is None else str(position)
    except Exception as error:
        return f"(no text: {describe(error)})"
