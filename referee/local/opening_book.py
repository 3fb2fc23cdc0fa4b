"""Opening books: files of start positions, or of first moves, from which a contest takes its openings.

A book can be much larger than what a contest can use. So its entries are counted first, and only those that are used
are read by the rules of the game.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Literal, Protocol, TextIO, get_args

from msgspec import Meta, Struct
from msgspec.structs import replace

from engines.api import REFEREE, Game, Position
from engines.chance import Chance
from engines.game_errors import DetailedError, unknown
from engines.options import Settings
from referee.local.toml_validation import BadPlan, read

MAX_OPENINGS = 1_000
MAX_OPENINGS_BYTES = 131_072
"""Limits of the contract for the openings of a contest. Further ones are not used."""
BYTES_AROUND = 8
"""The most bytes that surround a position in an encoded message."""
MAX_BOOK_BYTES = 512 << 20
MAX_ENTRIES = 10_000_000
MAX_LINE_CHARS = 32_768
MAX_PLIES = 2_000
"""Limits of a book, of one of its lines, and of the moves that are played from one of its entries."""
COMMENT = "#"
DEFAULT_SEED = "0"
Order = Literal["sequential", "random"]
ORDERS: tuple[Order, ...] = get_args(Order)
ENDINGS = {".epd": "epd", ".pgn": "pgn", ".moves": "moves"}
"""Formats by the ending of a file's name; that of others is `positions`."""


class OpeningBook(Struct, frozen=True):
    """A book, and which of its entries are used."""

    file: Path
    format: str = ""
    """One of FORMATS; empty: by the file's name."""
    plies: Annotated[int, Meta(ge=0, le=MAX_PLIES)] = 0
    """Number of moves to play of each entry, at most; 0: all."""
    order: Order = "sequential"
    start: Annotated[int, Meta(ge=1, le=MAX_ENTRIES)] = 1
    """Number of the first entry to use, from 1; after the last one follows the first."""
    seed: str = DEFAULT_SEED
    """Seed of a random order."""


class BookLines:
    """The lines of a book. Raises BadPlan if one is too long."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self.name = file.name
        self.number = 0
        """Number of the last line, from 1."""

    def readline(self) -> str:
        """Return the next line with its end; empty at the end of the book."""
        line = self._file.readline(MAX_LINE_CHARS + 1)
        self.number += bool(line)
        if len(line) > MAX_LINE_CHARS:
            raise self.error(f"the line has more than {MAX_LINE_CHARS} characters")
        return line

    def error(self, wrong: str) -> BadPlan:
        return BadPlan(f"{self.name}, line {self.number}", wrong)


class BookReader(Protocol):
    """Reads the entries of a format."""

    def skip(self, lines: BookLines) -> bool:
        """Skip the next entry; return False if there is none."""

    def read(self, lines: BookLines, plies: int) -> Position:
        """Return the position after at most that many moves of the next entry. Raises BadPlan."""


class PlainReader:
    """Reads a format that has one entry in each line. Empty lines and those that start with # are no entries."""

    def __init__(self, position_of: Callable[[str, int], Position]) -> None:
        """`position_of` converts a line. It gets the number of plies, and raises ValueError or a DetailedError."""
        self._position_of = position_of

    def skip(self, lines: BookLines) -> bool:
        return bool(self._next(lines))

    def read(self, lines: BookLines, plies: int) -> Position:
        try:
            return self._position_of(self._next(lines), plies)
        except (DetailedError, ValueError) as wrong:
            raise lines.error(str(wrong)) from None

    @staticmethod
    def _next(lines: BookLines) -> str:
        while line := lines.readline():
            if (text := line.strip()) and not text.startswith(COMMENT):
                return text
        return ""


def read_openings(book: OpeningBook, game: Game, settings: Settings) -> tuple[str, ...]:
    """Return the openings of a book as complete positions, in the order of their use. Raises BadPlan.

    The same book and seed give the same openings.
    """
    reader = _reader(book, game, settings)
    with _opened(book.file) as lines:
        entries = _count(reader, lines)
    if book.start > entries:
        raise BadPlan("start", f"{book.file} has {entries} openings, and none with the number {book.start}")
    wanted = _choose(book, entries)
    places, found = frozenset(wanted), {}
    with _opened(book.file) as lines:
        for place in range(max(wanted) + 1):
            if place in places:
                found[place] = _text(reader, lines, book.plies)
            else:
                reader.skip(lines)
    return _within_limit([found[place] for place in wanted])


def read_book(where: str, given: object, folder: Path) -> OpeningBook:
    """Read the table of a book in a plan in that folder. Raises BadPlan."""
    book: OpeningBook = read(where, given, OpeningBook)
    if book.seed != DEFAULT_SEED and book.order != "random":
        raise BadPlan(f"{where}.seed", 'is only for order = "random"')
    return replace(book, file=folder / book.file)


def _reader(book: OpeningBook, game: Game, settings: Settings) -> BookReader:
    name = book.format or ENDINGS.get(book.file.suffix.lower(), "positions")
    if name not in FORMATS:
        raise BadPlan("format", unknown("value", name, FORMATS))
    if book.plies and name not in WITH_MOVES:
        raise BadPlan("plies", f"is only for books with moves ({', '.join(WITH_MOVES)}), and this one is {name}")
    return FORMATS[name](game, settings)


def _moves(game: Game, settings: Settings) -> BookReader:
    first = game.start(settings, bytes(32))
    if first != game.start(settings, bytes([1]) * 32):
        raise BadPlan("openings", f"moves are no openings of {game.name}, whose first position is drawn by lot")

    def position_of(line: str, plies: int) -> Position:
        moves = line.split()
        if not plies and len(moves) > MAX_PLIES:
            raise ValueError(f"it has {len(moves)} moves; {MAX_PLIES} are the most")
        position = first
        for move in moves[: plies or None]:
            if position.outcome:
                raise ValueError(f"the game is over before {move}")
            position = position.play(position.owing[0], move)
        return position

    return PlainReader(position_of)


def _epd(game: Game, settings: Settings) -> BookReader:
    _require_chess("EPD", game)
    from referee.local.chess_book import fen_of_epd  # noqa: PLC0415  # It imports python-chess, which is an extra.

    return PlainReader(lambda line, _: game.read(fen_of_epd(line), settings))


def _pgn(game: Game, settings: Settings) -> BookReader:
    _require_chess("PGN", game)
    from referee.local.chess_book import PgnReader  # noqa: PLC0415  # It imports python-chess, which is an extra.

    return PgnReader(game, settings)


def _require_chess(notation: str, game: Game) -> None:
    """Raise BadPlan for another game. Whoever has chess has python-chess, too."""
    if game.name != "chess":
        raise BadPlan("openings", f"{notation} is a notation of chess, and this is {game.name}")


FORMATS: Mapping[str, Callable[[Game, Settings], BookReader]] = {
    "positions": lambda game, settings: PlainReader(lambda line, _: game.read(line, settings)),
    "moves": _moves,
    "epd": _epd,
    "pgn": _pgn,
}
WITH_MOVES = ("moves", "pgn")


@contextmanager
def _opened(path: Path) -> Iterator[BookLines]:
    """Open a book. Raises BadPlan."""
    try:
        size = path.stat().st_size
        if size > MAX_BOOK_BYTES:
            raise BadPlan(str(path), f"it has {size} bytes; {MAX_BOOK_BYTES} are the most")
        # Names of players may be in any encoding.
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            yield BookLines(file)
    except OSError as error:
        raise BadPlan(str(path), f"cannot be read: {error.strerror or error}") from None


def _count(reader: BookReader, lines: BookLines) -> int:
    entries = 0
    while reader.skip(lines):
        entries += 1
        if entries > MAX_ENTRIES:
            raise lines.error(f"the book has more than {MAX_ENTRIES} openings")
    if not entries:
        raise BadPlan(lines.name, "it has no openings")
    return entries


def _choose(book: OpeningBook, entries: int) -> list[int]:
    """Return the places of the entries to use, from 0, in the order of their use."""
    used = min(entries, MAX_OPENINGS)
    if book.order == "random":
        return [(place + book.start - 1) % entries for place in _drawn(entries, used, book.seed)]
    return [(book.start - 1 + place) % entries for place in range(used)]


def _drawn(entries: int, used: int, seed: str) -> Iterator[int]:
    """Yield the first places of a random order, without the rest of it."""
    chance = Chance(sha256(seed.encode()).digest())
    moved: dict[int, int] = {}
    for place in range(used):
        offset, chance = chance.below(entries - place)
        other = place + offset
        yield moved.get(other, other)
        moved[other] = moved.get(place, place)


def _text(reader: BookReader, lines: BookLines, plies: int) -> str:
    position = reader.read(lines, plies)
    if position.outcome:
        raise lines.error("the game is over in this position")
    return position.text(REFEREE)


def _within_limit(openings: Sequence[str]) -> tuple[str, ...]:
    """Return as many of the first openings as a contest can have, at least one."""
    used, left = 0, MAX_OPENINGS_BYTES
    for opening in openings:
        left -= len(opening.encode()) + BYTES_AROUND
        if left < 0:
            break
        used += 1
    return tuple(openings[: max(1, used)])
