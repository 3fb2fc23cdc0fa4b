"""The bot log recorder: notes are written soon, and only readers wait for that."""

import asyncio
from collections.abc import Sequence

import pytest

from referee.accounts.bot_log import LineFilter, Note, NumberedNote, SessionLostNote
from referee.live.bot_notices import MAX_PENDING_NOTES, BotLogRecorder
from referee.live.ports import LogUnavailable
from referee.storage.memory import MemoryBotLog
from tests.live.fake_time import settled
from tests.live.runner_harness import in_loop


class GatedBotLog(MemoryBotLog):
    """Bot log whose appends can be held, and which can be unavailable."""

    def __init__(self) -> None:
        super().__init__(10 * MAX_PENDING_NOTES)
        self.gate = asyncio.Event()
        self.gate.set()
        self.trouble: LogUnavailable | None = None
        self.appends = 0

    async def append(self, bot: str, notes: Sequence[Note]) -> None:
        self.appends += 1
        await self.gate.wait()
        if self.trouble:
            raise self.trouble
        await super().append(bot, notes)


def note(number: int, match_id: str = "") -> Note:
    return Note(number, "1", SessionLostNote(str(number), "HEARTBEAT_LOST"), match_id)


@in_loop
async def test_who_reads_sees_all_that_was_noted_before() -> None:
    scribe = BotLogRecorder(GatedBotLog())
    for number in range(3):
        scribe.record("ada", note(number, f"m{number}"))
        scribe.record("bob", note(number))
    assert await scribe.read("ada") == [NumberedNote(number + 1, note(number, f"m{number}")) for number in range(3)]
    scribe.record("ada", note(3, "m3"))
    assert await scribe.read("ada", LineFilter(match_id="m3"), after=1, at_most=5) == [NumberedNote(4, note(3, "m3"))]
    assert len(await scribe.read("bob")) == 3


@in_loop
async def test_who_notes_waits_for_nothing_and_what_comes_meanwhile_is_written_together() -> None:
    scribe = BotLogRecorder(log := GatedBotLog())
    log.gate.clear()
    scribe.record("ada", note(0))
    await settled()
    for number in range(1, 9):
        scribe.record("ada", note(number))
    reading = asyncio.create_task(scribe.read("ada"))
    await settled()
    assert not reading.done()
    log.gate.set()
    assert [line.note for line in await reading] == [note(number) for number in range(9)]
    assert log.appends == 2


@in_loop
async def test_of_what_comes_too_fast_the_last_is_kept() -> None:
    scribe = BotLogRecorder(log := GatedBotLog())
    log.gate.clear()
    scribe.record("ada", note(0))
    await settled()
    for number in range(1, 3 * MAX_PENDING_NOTES):
        scribe.record("ada", note(number))
    log.gate.set()
    written = [line.note.at_ms for line in await scribe.read("ada")]
    assert written == [0, *range(2 * MAX_PENDING_NOTES, 3 * MAX_PENDING_NOTES)]


@in_loop
async def test_what_cannot_be_written_is_lost_and_the_next_is_not() -> None:
    scribe = BotLogRecorder(log := GatedBotLog())
    log.trouble = LogUnavailable("the disk is full")
    scribe.record("ada", note(1))
    await scribe.flush()
    log.trouble = None
    scribe.record("ada", note(2))
    assert [line.note for line in await scribe.read("ada")] == [note(2)]


@in_loop
@pytest.mark.parametrize("times", range(2))
async def test_with_nothing_to_write_it_is_written(times: int) -> None:
    scribe = BotLogRecorder(GatedBotLog())
    for _ in range(times):
        scribe.record("ada", note(1))
        await scribe.flush()
    await scribe.flush()
    assert len(await scribe.read("ada")) == times
