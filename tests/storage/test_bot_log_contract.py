"""What every private log promises, whatever it is made of."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from referee.app.bot_log import Forfeited, Late, Line, Note, Noticed, Refused, SessionLost, WantedLines, What
from referee.core.clock import SECOND, Fischer
from referee.core.result import Fault, Forfeit
from referee.storage.forms import Malformed
from tests.storage.books import LINES_AT_MOST, NOON_MS, Books, in_sqlite, tell, with_all_books
from tests.storage.examples import ROW

EVERY_WHAT: tuple[What, ...] = (
    Refused("ILLEGAL_MOVE", "a1-b2 is not legal", (("move", "a1-b2"), ("rule", "AQ-3")), "a1-b2"),
    Late(ROW, Fischer(60 * SECOND, SECOND)),
    Forfeited(Forfeit(1, Fault.ILLEGAL_MOVE, 17)),
    SessionLost("s1", "HEARTBEAT_LOST"),
    Noticed("FAULT_COUNTED", "one more and \N{SNOWMAN}", (("left", "1"),)),
)


def note(number: int, version: str = "1", match_id: str = "m1") -> Note:
    return Note(NOON_MS + number, version, SessionLost(str(number), "HEARTBEAT_LOST"), match_id, 0, number)


@with_all_books
async def test_every_kind_of_trouble_is_read_as_it_was_written(books: Books) -> None:
    notes = [Note(NOON_MS, "1.2", what) for what in EVERY_WHAT]
    await books.bot_log.append("ada", notes)
    assert await books.bot_log.read("ada") == [Line(number, note) for number, note in enumerate(notes, 1)]


@with_all_books
async def test_it_knows_match_seat_and_ply_where_there_are_any(books: Books) -> None:
    notes = [note(7), replace(note(8), match_id="", seat=None, ply=None)]
    await books.bot_log.append("ada", notes)
    assert [line.note for line in await books.bot_log.read("ada")] == notes


@with_all_books
async def test_bots_have_logs_of_their_own(books: Books) -> None:
    await books.bot_log.append("ada", [note(1), note(2)])
    await books.bot_log.append("bob", [note(3)])
    assert await books.bot_log.read("ada") == [Line(1, note(1)), Line(2, note(2))]
    assert await books.bot_log.read("bob") == [Line(1, note(3))]
    assert await books.bot_log.read("nobody") == []


@with_all_books
async def test_only_so_many_lines_are_kept_and_no_number_is_given_twice(books: Books) -> None:
    await books.bot_log.append("bob", [note(1)])
    for number in range(1, 10):
        await books.bot_log.append("ada", [note(number)])
    kept = [Line(number, note(number)) for number in range(10 - LINES_AT_MOST, 10)]
    assert await books.bot_log.read("ada") == kept
    await books.bot_log.append("ada", [note(number) for number in range(10, 30)])
    assert [line.number for line in await books.bot_log.read("ada")] == [25, 26, 27, 28, 29]
    assert [line.number for line in await books.bot_log.read("bob")] == [1]


@with_all_books
async def test_nothing_to_write_changes_nothing(books: Books) -> None:
    await books.bot_log.append("ada", [note(1)])
    await books.bot_log.append("ada", [])
    assert await books.bot_log.read("ada") == [Line(1, note(1))]


@with_all_books
async def test_reading_starts_after_a_number_and_stops_when_there_is_enough(books: Books) -> None:
    await books.bot_log.append("ada", [note(number) for number in range(1, 6)])

    async def numbers(after: int = 0, at_most: int | None = None) -> list[int]:
        return [line.number for line in await books.bot_log.read("ada", after=after, at_most=at_most)]

    assert await numbers() == [1, 2, 3, 4, 5]
    assert await numbers(3) == [4, 5]
    assert await numbers(1, 2) == [2, 3]
    assert await numbers(5) == []
    assert await numbers(2**64 - 1) == []
    assert await numbers(at_most=0) == []


@with_all_books
async def test_it_can_be_read_by_version_and_by_match(books: Books) -> None:
    await books.bot_log.append("ada", [note(1), note(2, "2"), note(3, "2", "m2"), note(4, "1", "m2"), note(5, "2")])

    async def numbers(version: str = "", match_id: str = "", after: int = 0, at_most: int | None = None) -> list[int]:
        lines = await books.bot_log.read("ada", WantedLines(version, match_id), after, at_most)
        return [line.number for line in lines]

    assert await numbers("2") == [2, 3, 5]
    assert await numbers("2", after=2, at_most=1) == [3]
    assert await numbers(match_id="m2") == [3, 4]
    assert await numbers("2", "m2") == [3]
    assert await numbers("3") == []


@with_all_books
async def test_many_writers_at_once_lose_nothing(books: Books) -> None:
    await asyncio.gather(*(books.bot_log.append("ada", [note(number)]) for number in range(20)))
    assert [line.number for line in await books.bot_log.read("ada")] == [16, 17, 18, 19, 20]


def test_a_long_move_is_cut() -> None:
    assert Refused("MALFORMED_MOVE", "too long", move="x" * 5000).move == "x" * 1000


def test_the_file_takes_no_note_that_could_not_be_read(tmp_path: Path) -> None:
    async def refused(books: Books) -> None:
        mistake = SessionLost("s", 5)  # type: ignore[arg-type]  # the mistake that is shown
        with pytest.raises(Malformed):
            await books.bot_log.append("ada", [note(1), Note(NOON_MS, "1", mistake)])
        assert await books.bot_log.read("ada") == []

    tell(in_sqlite(tmp_path / "referee.db"), refused)
