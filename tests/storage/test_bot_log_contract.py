"""Contract of all stores of bot logs."""

import asyncio

import pytest
from msgspec.structs import replace

from referee.accounts.bot_log import (
    ForfeitNote,
    LateMoveNote,
    LineFilter,
    Note,
    NoteKind,
    NoticeNote,
    NumberedNote,
    RefusedNote,
    SessionLostNote,
)
from referee.match.clock import SECOND, Fischer
from referee.match.result import Forfeit
from referee.storage.value_codec import MalformedValue
from tests.storage.account_stores import MAX_LINES, NOON_MS, AccountStores
from tests.storage.examples import ROW

EVERY_NOTE_KIND: tuple[NoteKind, ...] = (
    RefusedNote("ILLEGAL_MOVE", "a1-b2 is not legal", (("move", "a1-b2"), ("rule", "AQ-3")), "a1-b2"),
    LateMoveNote(ROW, Fischer(60 * SECOND, SECOND)),
    ForfeitNote(Forfeit(1, "illegal_move", 17)),
    SessionLostNote("s1", "HEARTBEAT_LOST"),
    NoticeNote("fault_counted", "one more and \N{SNOWMAN}", (("left", "1"),)),
)


def note(number: int, version: str = "1", match_id: str = "m1") -> Note:
    return Note(NOON_MS + number, version, SessionLostNote(str(number), "HEARTBEAT_LOST"), match_id, 0, number)


async def test_every_kind_of_note_is_read_as_it_was_written(stores: AccountStores) -> None:
    notes = [Note(NOON_MS, "1.2", kind) for kind in EVERY_NOTE_KIND]
    await stores.bot_log.append("ada", notes)
    assert await stores.bot_log.read("ada") == [NumberedNote(number, note) for number, note in enumerate(notes, 1)]


async def test_match_seat_and_ply_of_a_note_are_optional(stores: AccountStores) -> None:
    notes = [note(7), replace(note(8), match_id="", seat=None, ply=None)]
    await stores.bot_log.append("ada", notes)
    assert [line.note for line in await stores.bot_log.read("ada")] == notes


async def test_each_bot_has_its_own_log(stores: AccountStores) -> None:
    await stores.bot_log.append("ada", [note(1), note(2)])
    await stores.bot_log.append("bob", [note(3)])
    assert await stores.bot_log.read("ada") == [NumberedNote(1, note(1)), NumberedNote(2, note(2))]
    assert await stores.bot_log.read("bob") == [NumberedNote(1, note(3))]
    assert await stores.bot_log.read("nobody") == []


async def test_a_limited_number_of_lines_is_stored_and_no_number_is_reused(stores: AccountStores) -> None:
    await stores.bot_log.append("bob", [note(1)])
    for number in range(1, 10):
        await stores.bot_log.append("ada", [note(number)])
    expected = [NumberedNote(number, note(number)) for number in range(10 - MAX_LINES, 10)]
    assert await stores.bot_log.read("ada") == expected
    await stores.bot_log.append("ada", [note(number) for number in range(10, 30)])
    assert [line.number for line in await stores.bot_log.read("ada")] == [25, 26, 27, 28, 29]
    assert [line.number for line in await stores.bot_log.read("bob")] == [1]


async def test_appending_no_notes_changes_nothing(stores: AccountStores) -> None:
    await stores.bot_log.append("ada", [note(1)])
    await stores.bot_log.append("ada", [])
    assert await stores.bot_log.read("ada") == [NumberedNote(1, note(1))]


async def test_reading_starts_after_a_number_and_stops_at_the_limit(stores: AccountStores) -> None:
    await stores.bot_log.append("ada", [note(number) for number in range(1, 6)])

    async def numbers(after: int = 0, limit: int | None = None) -> list[int]:
        return [line.number for line in await stores.bot_log.read("ada", after=after, limit=limit)]

    assert await numbers() == [1, 2, 3, 4, 5]
    assert await numbers(3) == [4, 5]
    assert await numbers(1, 2) == [2, 3]
    assert await numbers(5) == []
    assert await numbers(2**64 - 1) == []
    assert await numbers(limit=0) == []


async def test_lines_can_be_filtered_by_version_and_match(stores: AccountStores) -> None:
    await stores.bot_log.append("ada", [note(1), note(2, "2"), note(3, "2", "m2"), note(4, "1", "m2"), note(5, "2")])

    async def numbers(version: str = "", match_id: str = "", after: int = 0, limit: int | None = None) -> list[int]:
        lines = await stores.bot_log.read("ada", LineFilter(version, match_id), after, limit)
        return [line.number for line in lines]

    assert await numbers("2") == [2, 3, 5]
    assert await numbers("2", after=2, limit=1) == [3]
    assert await numbers(match_id="m2") == [3, 4]
    assert await numbers("2", "m2") == [3]
    assert await numbers("3") == []


async def test_concurrent_appends_lose_nothing(stores: AccountStores) -> None:
    await asyncio.gather(*(stores.bot_log.append("ada", [note(number)]) for number in range(20)))
    assert [line.number for line in await stores.bot_log.read("ada")] == [16, 17, 18, 19, 20]


def test_a_long_move_is_truncated() -> None:
    assert RefusedNote("MALFORMED_MOVE", "too long", move="x" * 5000).move == "x" * 1000


async def test_a_note_that_could_not_be_decoded_is_not_written(stores: AccountStores) -> None:
    invalid_note = SessionLostNote("s", 5)  # type: ignore[arg-type]  # the mistake that is shown
    with pytest.raises(MalformedValue):
        await stores.bot_log.append("ada", [note(1), Note(NOON_MS, "1", invalid_note)])
    assert await stores.bot_log.read("ada") == []
