"""The scribe: what is noted is written soon, and nobody waits for it but who reads."""

import asyncio
from collections.abc import Sequence

import pytest

from referee.app.bot_log import Line, Note, SessionLost, WantedLines
from referee.app.ports import LogUnavailable
from referee.app.scribe import WAITING_AT_MOST, Scribe
from referee.storage.bot_log_memory import MemoryBotLog
from tests.app.scene import in_loop
from tests.app.stopped_time import settled


class GatedBotLog(MemoryBotLog):
    """That can be slow, and away."""

    def __init__(self) -> None:
        super().__init__(10 * WAITING_AT_MOST)
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
    return Note(number, "1", SessionLost(str(number), "HEARTBEAT_LOST"), match_id)


@in_loop
async def test_who_reads_sees_all_that_was_noted_before() -> None:
    scribe = Scribe(GatedBotLog())
    for number in range(3):
        scribe.note("ada", note(number, f"m{number}"))
        scribe.note("bob", note(number))
    assert await scribe.read("ada") == [Line(number + 1, note(number, f"m{number}")) for number in range(3)]
    scribe.note("ada", note(3, "m3"))
    assert await scribe.read("ada", WantedLines(match_id="m3"), after=1, at_most=5) == [Line(4, note(3, "m3"))]
    assert len(await scribe.read("bob")) == 3


@in_loop
async def test_who_notes_waits_for_nothing_and_what_comes_meanwhile_is_written_together() -> None:
    scribe = Scribe(log := GatedBotLog())
    log.gate.clear()
    scribe.note("ada", note(0))
    await settled()
    for number in range(1, 9):
        scribe.note("ada", note(number))
    reading = asyncio.create_task(scribe.read("ada"))
    await settled()
    assert not reading.done()
    log.gate.set()
    assert [line.note for line in await reading] == [note(number) for number in range(9)]
    assert log.appends == 2


@in_loop
async def test_of_what_comes_too_fast_the_last_is_kept() -> None:
    scribe = Scribe(log := GatedBotLog())
    log.gate.clear()
    scribe.note("ada", note(0))
    await settled()
    for number in range(1, 3 * WAITING_AT_MOST):
        scribe.note("ada", note(number))
    log.gate.set()
    written = [line.note.at_ms for line in await scribe.read("ada")]
    assert written == [0, *range(2 * WAITING_AT_MOST, 3 * WAITING_AT_MOST)]


@in_loop
async def test_what_cannot_be_written_is_lost_and_the_next_is_not() -> None:
    scribe = Scribe(log := GatedBotLog())
    log.trouble = LogUnavailable("the disk is full")
    scribe.note("ada", note(1))
    await scribe.written()
    log.trouble = None
    scribe.note("ada", note(2))
    assert [line.note for line in await scribe.read("ada")] == [note(2)]


@in_loop
@pytest.mark.parametrize("times", range(2))
async def test_with_nothing_to_write_it_is_written(times: int) -> None:
    scribe = Scribe(GatedBotLog())
    for _ in range(times):
        scribe.note("ada", note(1))
        await scribe.written()
    await scribe.written()
    assert len(await scribe.read("ada")) == times
