"""What authors of bots learn: private logs, notices, automatic pauses."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from referee.accounts.bot_log import (
    ForfeitNote,
    LateMoveNote,
    LineFilter,
    Note,
    NoticeNote,
    NumberedNote,
    SessionLostNote,
)
from referee.accounts.bots import Bot, BotPause, MaxNames, PauseCause, paused, returned
from referee.live.bot_notices import (
    MAX_PENDING_NOTES,
    AutoPause,
    BotLogRecorder,
    BotNotifier,
    FaultRecorder,
    QuotaNotifier,
)
from referee.live.ports import LogUnavailable
from referee.live.sessions import Session
from referee.live.submit import AttemptRefused
from referee.match.clock import SECOND, SuddenDeath
from referee.match.events import FlagFell
from referee.match.result import EndCause, Fault, Forfeit
from referee.match.setup import DropoutPolicy, IllegalMovePolicy, LatePolicy, Policies
from referee.storage.memory import MemoryAccounts, MemoryBotLog, MemoryTokens
from tests.live.fake_time import settled
from tests.live.referee_harness import BOTS, Hall, of_kind, told
from tests.live.runner_harness import in_loop
from tests.storage.account_stores import bot_token


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
    assert await scribe.read("ada", LineFilter(match_id="m3"), after=1, limit=5) == [NumberedNote(4, note(3, "m3"))]
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


STRICT = Policies(illegal=IllegalMovePolicy.FORFEIT)
MAX_FAULTS = 3


class GatedAccounts(MemoryAccounts):
    """Account store that can be made unavailable."""

    trouble: LogUnavailable | None = None

    async def bot(self, name: str) -> Bot:
        if self.trouble:
            raise self.trouble
        return await super().bot(name)

    async def change_bot(self, name: str, change: Any) -> Bot:
        if self.trouble:
            raise self.trouble
        return await super().change_bot(name, change)


class House:
    """A `Hall` whose bots are registered and observed by auto-pause."""

    def __init__(self, after: "House | None" = None, hall: Hall | None = None) -> None:
        self.hall = hall or Hall()
        self.accounts: GatedAccounts = after.accounts if after else GatedAccounts(MemoryTokens())
        self.bot_log: MemoryBotLog = after.bot_log if after else MemoryBotLog(1000)
        self.scribe = BotLogRecorder(self.bot_log)
        notices = BotNotifier(self.scribe, self.hall.referee.sessions.of_bot, self.hall.time)
        self.conduct = AutoPause(self.accounts, notices, self.hall.time, lambda _: MAX_FAULTS)
        self.hall.observers += [FaultRecorder(self.scribe), self.conduct]

    @classmethod
    async def opened(cls) -> "House":
        house = cls()
        for player in BOTS:
            token = bot_token(player.bot)
            await house.accounts.register(player.bot, Bot(player.bot, "ann", 0), token, MaxNames(9, 9))
        return house

    async def crashed(self) -> "House":
        await self.closed()
        return House(self, await self.hall.crashed())

    async def closed(self) -> None:
        await self.hall.referee.close()
        await self.conduct.flush()
        await self.scribe.flush()

    async def bot(self, seat: int) -> Bot:
        await settled()
        return await self.accounts.bot(BOTS[seat].bot)

    async def notes(self, seat: int) -> list[Note]:
        return [line.note for line in await self.scribe.read(BOTS[seat].bot)]

    async def forfeited(self) -> tuple[str, list[Session]]:
        """Play a match in which bot0 forfeits by an illegal move."""
        match_id, sessions = await self.hall.begun(policies=STRICT)
        with pytest.raises(AttemptRefused):
            await self.hall.played(match_id, 0, "99")
        await settled()
        return match_id, sessions

    async def won(self, seat: int) -> None:
        """Play a match to its end, which the given seat wins."""
        match_id, _ = await self.hall.begun(chosen={"heap": 1 + seat})
        for mover in range(seat + 1):
            await self.hall.played(match_id, mover, "1")
        await settled()


def noticed(sessions: list[Session], seat: int) -> list[Any]:
    return of_kind(told(sessions[seat]), NoticeNote)


@in_loop
async def test_every_fault_is_told_and_the_last_of_too_many_pauses_the_bot_also_over_a_restart() -> None:
    house = await House.opened()
    for left in (2, 1):
        match_id, sessions = await house.forfeited()
        (notice,) = noticed(sessions, 0)
        assert (notice.about, dict(notice.details)) == (
            "fault_counted",
            {"fault": "illegal_move", "match_id": match_id, "left": str(left)},
        )
        assert noticed(sessions, 1) == []
        house = await house.crashed()
    match_id, sessions = await house.forfeited()
    (notice,) = noticed(sessions, 0)
    assert (notice.about, dict(notice.details)) == ("paused", {"cause": "faults", "faults": "3"})
    pause = (await house.bot(0)).pause
    assert pause
    assert pause.cause is PauseCause.FAULTS
    assert pause.message == notice.message == f"3 faults in a row, the last one in match {match_id}: illegal_move"
    kept = [note.what.about for note in await house.notes(0) if isinstance(note.what, NoticeNote)]
    assert kept == ["fault_counted", "fault_counted", "paused"]
    assert (await house.bot(1)).faults == 0
    await house.closed()


@in_loop
async def test_a_match_without_a_fault_begins_the_count_anew_and_a_void_one_does_nothing() -> None:
    house = await House.opened()
    await house.forfeited()
    match_id, _ = await house.hall.begun()
    await house.hall.referee.void(match_id, EndCause.DECLARED, "a storm")
    assert (await house.bot(0)).faults == 1
    await house.won(1)
    assert (await house.bot(0)).faults == 0
    await house.forfeited()
    match_id, _ = await house.hall.begun()
    await house.hall.referee.resign(match_id, 0)
    assert (await house.bot(0)).faults == 0
    await house.closed()


@in_loop
async def test_who_comes_back_begins_anew_and_further_faults_of_the_paused_say_nothing() -> None:
    house = await House.opened()
    for _ in range(MAX_FAULTS):
        await house.forfeited()
    _, sessions = await house.forfeited()
    assert noticed(sessions, 0) == []
    assert (await house.accounts.change_bot("bot0", returned)).faults == 0
    _, sessions = await house.forfeited()
    (notice,) = noticed(sessions, 0)
    assert dict(notice.details)["left"] == "2"
    await house.closed()


@in_loop
async def test_an_administrators_pause_stays_one() -> None:
    house = await House.opened()
    banned = BotPause(PauseCause.ADMIN, "rude", 0)
    await house.accounts.change_bot("bot0", lambda bot: paused(bot, banned))
    for _ in range(MAX_FAULTS):
        await house.forfeited()
    bot = await house.bot(0)
    assert (bot.pause, bot.faults) == (banned, MAX_FAULTS)
    await house.closed()


@in_loop
async def test_who_lost_a_seat_by_its_fault_has_one_fault_however_the_others_finish() -> None:
    house = await House.opened()
    goes_on = Policies(illegal=IllegalMovePolicy.FORFEIT, dropout=DropoutPolicy.DEFAULT_MOVES)
    match_id, _ = await house.hall.begun("stones", chosen={"heap": 4}, policies=goes_on)
    with pytest.raises(AttemptRefused):
        await house.hall.played(match_id, 0, "99")
    assert (await house.bot(0)).faults == 0  # Only the end counts: the match may still become void.
    while not (await house.hall.match(match_id)).result:
        (turn, *_) = (await house.hall.match(match_id)).owing
        await house.hall.played(match_id, turn.seat, "1")
    assert [(await house.bot(seat)).faults for seat in range(3)] == [1, 0, 0]
    await house.closed()


@in_loop
async def test_what_cannot_be_written_now_is_not_counted_and_breaks_nothing() -> None:
    house = await House.opened()
    house.accounts.trouble = LogUnavailable("the disk is full")
    await house.forfeited()
    await house.won(0)
    house.accounts.trouble = None
    assert (await house.bot(0)).faults == 0
    assert house.hall.noted.faults == []
    await house.closed()


@in_loop
async def test_a_fall_of_the_flag_and_what_it_cost_stand_in_the_log_once_with_the_proof() -> None:
    house = await House.opened()
    match_id, _ = await house.hall.begun()
    await house.hall.played(match_id, 0, "1")
    await house.hall.time.passes(11 * SECOND)
    (fell,) = [entry for entry in await house.hall.stored.read(match_id) if isinstance(entry.event, FlagFell)]
    assert isinstance(fell.event, FlagFell)
    mishaps = [note for note in await house.notes(1) if not isinstance(note.what, NoticeNote)]
    assert mishaps == [
        Note(fell.at_ms, "1", LateMoveNote(fell.event.row, SuddenDeath(10 * SECOND)), match_id, 1, 1),
        Note(fell.at_ms, "1", ForfeitNote(Forfeit(1, Fault.TIME, 1)), match_id, 1, 1),
    ]
    assert await house.notes(0) == []
    house = await house.crashed()
    await house.hall.referee.recover()
    assert len([note for note in await house.notes(1) if not isinstance(note.what, NoticeNote)]) == 2
    await house.closed()


@in_loop
async def test_who_was_late_and_played_for_has_its_lateness_in_the_log_and_no_fault() -> None:
    house = await House.opened()
    await house.hall.begun(chosen={"heap": 1}, policies=Policies(late=LatePolicy.RANDOM_MOVE))
    await house.hall.time.passes(11 * SECOND)
    assert [type(note.what) for note in await house.notes(0)] == [LateMoveNote]
    assert (await house.bot(0)).faults == 0
    await house.closed()


CALLS = "calls_per_minute"


async def scene(*owners: str) -> tuple[QuotaNotifier, list[Session], BotLogRecorder]:
    """Register bots with these owners; all but the last are online."""
    hall, accounts, scribe = Hall(), MemoryAccounts(MemoryTokens()), BotLogRecorder(MemoryBotLog(100))
    for player, owner in zip(BOTS, owners, strict=False):
        await accounts.register(player.bot, Bot(player.bot, owner, 0), bot_token(player.bot), MaxNames(9, 9))
    sessions_of = hall.referee.sessions.of_bot
    near = QuotaNotifier(accounts, BotNotifier(scribe, sessions_of, hall.time), sessions_of)
    return near, hall.come(*BOTS[: len(owners) - 1]), scribe


def notice_details(session: Session) -> list[dict[str, str]]:
    return [dict(item.details) for item in told(session) if isinstance(item, NoticeNote)]


@in_loop
async def test_all_bots_of_the_holder_that_are_here_are_told_and_no_others() -> None:
    near, (one, another, stranger), scribe = await scene("ada", "ada", "bob", "ada")
    await near.check_usage("ada", CALLS, 79, 100)
    assert notice_details(one) == []
    await near.check_usage("ada", CALLS, 80, 100)
    told_now = [{"quota": CALLS, "used": "80", "limit": "100"}]
    assert (notice_details(one), notice_details(another), notice_details(stranger)) == (told_now, told_now, [])
    kept = [line.note.what for line in await scribe.read(BOTS[0].bot)]
    assert [what.about for what in kept if isinstance(what, NoticeNote)] == ["quota_near"]
    assert await scribe.read(BOTS[3].bot) == []


@in_loop
async def test_it_is_told_again_only_when_half_of_it_was_free_in_between() -> None:
    near, (one,), _ = await scene("ada", "ada")
    for used, heard in ((80, 1), (90, 0), (60, 0), (80, 0), (50, 0), (70, 0), (81, 1)):
        await near.check_usage("ada", CALLS, used, 100)
        assert len(notice_details(one)) == heard, used
    await near.check_usage("ada", "max_streams", 4, 5)
    assert len(notice_details(one)) == 1, "another quota"
