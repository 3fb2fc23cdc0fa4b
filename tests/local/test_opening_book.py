"""Opening books: positions, moves, EPD and PGN as the openings of a contest."""

from collections.abc import Callable
from pathlib import Path

import pytest

from engines.registry import find
from referee.local import opening_book
from referee.local.opening_book import OpeningBook, read_book, read_openings
from referee.local.toml_validation import BadPlan

ALQUERQUE = find("alquerque")
AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
AFTER_D4 = "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1"
ENDGAME = "4k3/8/8/8/8/8/4P3/4K3 w - - 5 10"

EPD = """\
rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - hmvc 0; fmvn 1; id "King's pawn"; bm e5;

# A comment, then FEN as many books have it, and with a square for en passant on which nothing can be taken.
rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 1
4k3/8/8/8/8/8/4P3/4K3 w - - hmvc 5; fmvn 10;
"""

PGN = """\
[Event "With all that a game can have"]
[White "José (\xe9)"]

{Before the first move} 1. e4 {[%eval 0.3] with 1. d4 ( in a comment} e5 $1 (1... c5 2. Nf3 (2. c3 d5) 2... d6)
2. Nf3! ; the rest of the line: 2. f4
Nc6 1/2-1/2

[Event "From another position"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 5 10"]

10. e4 Kd7 *

[Event "Without a result"]

1. d4
"""

MANY = "".join(f"4k3/8/8/8/8/8/4P3/4K3 w - - 0 {number}\n" for number in range(1, 41))


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    def write(name: str, text: str) -> Path:
        (tmp_path / name).write_text(text, encoding="latin-1")
        return tmp_path / name

    return write


Write = Callable[[str, str], Path]


def openings(book: OpeningBook, game: str = "chess", **options: bool) -> tuple[str, ...]:
    return read_openings(book, find(game), find(game).settings(options))


def numbers(book: OpeningBook) -> list[int]:
    """Return the numbers of the entries of MANY that a book uses."""
    return [int(position.split()[-1]) for position in openings(book)]


def wrong(book: OpeningBook, game: str = "chess") -> str:
    with pytest.raises(BadPlan) as error:
        openings(book, game)
    return str(error.value).replace(f"{book.file.parent}/", "")


# Formats


def test_epd_has_positions_with_or_without_operations(write: Write) -> None:
    assert openings(OpeningBook(write("b.epd", EPD))) == (AFTER_E4, AFTER_D4, ENDGAME)


def test_pgn_has_main_lines_without_comments_variations_and_annotations(write: Write) -> None:
    assert openings(OpeningBook(write("b.PGN", PGN))) == (
        "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
        "8/3k4/8/8/4P3/8/8/4K3 w - - 1 11",
        AFTER_D4,
    )


def test_pgn_can_be_played_up_to_a_number_of_plies(write: Write) -> None:
    assert openings(OpeningBook(write("b.pgn", PGN), plies=1)) == (
        AFTER_E4,
        "4k3/8/8/8/4P3/8/8/4K3 b - - 0 10",
        AFTER_D4,
    )


def test_pgn_of_chess960_begins_from_its_own_positions(write: Write) -> None:
    first = "bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w KQkq - 0 1"
    game = f'[Variant "Chess960"]\n[SetUp "1"]\n[FEN "{first}"]\n\n1. e4 *\n'
    (position,) = openings(OpeningBook(write("b.pgn", game)), chess960=True)
    assert position == "bqnbnrkr/pppppppp/8/8/4P3/8/PPPP1PPP/BQNBNRKR b KQkq - 0 1"


def test_a_plain_book_has_positions_of_any_game(write: Write) -> None:
    book = OpeningBook(write("book", "# Men and the seat to move\n3bb/5/5/5/w4 w 0\n\n  3bb/5/5/5/w4 b 0  \n"))
    assert openings(book, "alquerque") == ("3bb/5/5/5/w4 w 0", "3bb/5/5/5/w4 b 0")


def test_a_book_of_moves_has_moves_of_any_game(write: Write) -> None:
    first = ALQUERQUE.start(ALQUERQUE.settings(), bytes(32))
    move = first.moves(0)[0]
    second = first.play(0, move)
    book = write("b.moves", f"{move}\n{move} {second.moves(1)[0]}\n")
    assert openings(OpeningBook(book), "alquerque") == (str(second), str(second.play(1, second.moves(1)[0])))
    assert openings(OpeningBook(book, plies=1), "alquerque") == (str(second), str(second))


def test_the_format_can_be_given_in_place_of_the_ending(write: Write) -> None:
    assert openings(OpeningBook(write("b.txt", "e2e4\n"), "moves")) == (AFTER_E4,)


# The choice of entries


def test_a_sequential_book_begins_at_its_start_and_continues_with_the_first(write: Write) -> None:
    book = write("b.epd", MANY)
    assert numbers(OpeningBook(book)) == [*range(1, 41)]
    assert numbers(OpeningBook(book, start=39)) == [39, 40, *range(1, 39)]


def test_a_random_order_follows_from_the_seed(write: Write) -> None:
    book = write("b.epd", MANY)
    drawn = numbers(OpeningBook(book, order="random"))
    assert sorted(drawn) == [*range(1, 41)]
    assert drawn != sorted(drawn)
    assert numbers(OpeningBook(book, order="random")) == drawn
    assert numbers(OpeningBook(book, order="random", seed="1")) != drawn
    assert drawn[:4] == [16, 30, 12, 6], "another release chooses other openings"


def test_no_more_entries_are_read_than_a_contest_can_use(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    book = write("b.epd", MANY.replace("w - - 0 9\n", "this is no position\n"))
    assert "line 9" in wrong(OpeningBook(book))
    monkeypatch.setattr(opening_book, "MAX_OPENINGS", 8)
    assert numbers(OpeningBook(book)) == [*range(1, 9)]
    assert len(set(numbers(OpeningBook(book, order="random", seed="3")))) == 8


def test_openings_end_before_the_limit_of_their_bytes(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening_book, "MAX_OPENINGS_BYTES", 2 * (len(ENDGAME) + 8))
    book = write("b.epd", MANY)
    assert numbers(OpeningBook(book)) == [1, 2]
    monkeypatch.setattr(opening_book, "MAX_OPENINGS_BYTES", 5)
    assert numbers(OpeningBook(book)) == [1]


# Errors


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        ("b.epd", f"{AFTER_E4}\nthis is no position at all\n", "b.epd, line 2: "),
        ("b.epd", "4k3/8/8/8/8/8/4P3/4K3 w - - bm Qxh9;\n", "b.epd, line 1: "),
        ("b.epd", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\n", "b.epd, line 1: the game is over in this position"),
        ("b.txt", "4k3/8/8/8/8/8/4P3/4K3 w\n", "b.txt, line 1: "),
        ("b.moves", "e2e4\ne2e5\n", "b.moves, line 2: "),
        ("b.moves", "f2f3 e7e5 g2g4 d8h4 a2a3", "b.moves, line 1: the game is over before a2a3"),
        ("b.pgn", '[Event "a"]\n\n1. e4 *\n\n[Event "b"]\n\n1. e4 e4 *\n', "in the game that begins in line"),
        ("b.pgn", "1. e4 -- 2. d4 *\n", "passing is no move"),
        ("b.pgn", '[SetUp "1"]\n[FEN "nonsense"]\n\n1. e4 *\n', "b.pgn, line "),
        ("b.pgn", '[Variant "Atomic"]\n\n1. Nf3 *\n\n[Variant "Nonsense"]\n\n1. e4 *\n', "Nonsense"),
        ("b.epd", "\n# nothing\n", "b.epd: it has no openings"),
        ("b.pgn", "", "b.pgn: it has no openings"),
        ("b.epd", "x" * 32_769, "b.epd, line 1: the line has more than 32768 characters"),
        ("b.pgn", "1. e4 {" + "x" * 32_769, "b.pgn, line 1: the line has more than 32768 characters"),
    ],
)
def test_a_bad_line_is_named_with_the_file_and_the_reason(write: Write, name: str, text: str, error: str) -> None:
    assert error in wrong(OpeningBook(write(name, text)))


def test_lines_are_limited_in_their_moves(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.local.chess_book.MAX_PLIES", 3)
    monkeypatch.setattr(opening_book, "MAX_PLIES", 3)
    assert "more than 3 moves" in wrong(OpeningBook(write("b.pgn", "1. e4 e5 2. d4 d5 *\n")))
    assert "4 moves; 3 are the most" in wrong(OpeningBook(write("b.moves", "e2e4 e7e5 d2d4 d7d5\n")))
    assert len(openings(OpeningBook(write("b.pgn", "1. e4 e5 2. d4 d5 *\n"), plies=3))) == 1


def test_a_book_is_limited_in_its_size_and_entries(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    book = OpeningBook(write("b.epd", MANY))
    monkeypatch.setattr(opening_book, "MAX_ENTRIES", 39)
    assert "more than 39 openings" in wrong(book)
    monkeypatch.setattr(opening_book, "MAX_BOOK_BYTES", 100)
    assert "bytes; 100 are the most" in wrong(book)


def test_other_errors_say_what_would_be_right(write: Write, tmp_path: Path) -> None:
    book = write("b.epd", MANY)
    assert wrong(OpeningBook(tmp_path / "none.epd")) == "none.epd: cannot be read: No such file or directory"
    assert wrong(OpeningBook(book, start=41)) == "start: b.epd has 40 openings, and none with the number 41"
    assert "known: positions, moves, epd, pgn" in wrong(OpeningBook(book, "polyglot"))
    assert "only for books with moves (moves, pgn), and this one is epd" in wrong(OpeningBook(book, plies=2))
    assert "EPD is a notation of chess, and this is alquerque" in wrong(OpeningBook(book), "alquerque")
    assert "PGN is a notation of chess" in wrong(OpeningBook(write("b.pgn", PGN)), "alquerque")
    assert "drawn by lot" in wrong(OpeningBook(write("b.moves", "a")), "toc")


# In plans


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({}, "openings: `file` is missing"),
        ({"file": "b", "order": "best"}, "known: random, sequential"),
        ({"file": "b", "seed": "1"}, 'is only for order = "random"'),
        ({"file": "b", "plies": -1}, "openings.plies: expected an integer from 0 to 2000"),
        ({"file": "b", "start": 0}, "expected an integer from 1"),
        ({"file": "b", "name": "c"}, "known: file, format, plies, order, start, seed"),
    ],
)
def test_a_table_that_is_no_book_is_an_error(given: dict[str, object], error: str) -> None:
    with pytest.raises(BadPlan) as wrong:
        read_book("openings", given, Path())
    assert error in str(wrong.value)


def test_a_table_has_all_words_of_a_book(tmp_path: Path) -> None:
    given = {"file": "b", "format": "pgn", "plies": 8, "order": "random", "start": 3, "seed": "x"}
    assert read_book("openings", given, tmp_path) == OpeningBook(tmp_path / "b", "pgn", 8, "random", 3, "x")
