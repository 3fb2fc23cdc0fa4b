"""Private logs of bots, notices, and automatic pauses."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from referee_values import IllegalMovePolicy, Policies

from engines.api import Game
from referee.accounts.bot_log import (
    ForfeitNote,
    LateMoveNote,
    LineFilter,
    Note,
    NoticeNote,
    NumberedNote,
    SessionLostNote,
)
from referee.accounts.bots import Bot, MaxNames, PauseCause, returned
from referee.accounts.tokens import BudgetOwner
from referee.live.bot_notices import (
    MAX_PENDING_NOTES,
    AutoPause,
    BotLogRecorder,
    BotNotifier,
    FaultRecorder,
    QuotaNotifier,
)
from referee.live.ports import StoreUnavailable
from referee.live.sessions import Session
from referee.live.submit import AttemptRefused
from referee.match.clock import SECOND, SuddenDeath
from referee.match.events import FlagFell
from referee.match.result import EndCause, Forfeit
from referee.match.state import Match
from referee.storage.stored_accounts import StoredAccounts
from referee.storage.stored_bot_log import StoredBotLog
from tests.live.fake_time import FakeTime, settle
from tests.live.referee_harness import BOTS, RefereeHarness, drain_outbox, filter_by_type
from tests.storage.account_stores import bot_token
from tests.storage.memory import MemoryDatabase


class GatedBotLog(StoredBotLog):
    """Bot log whose appends can be held, and which can be unavailable."""

    def __init__(self) -> None:
        super().__init__(MemoryDatabase(), 10 * MAX_PENDING_NOTES)
        self.gate = asyncio.Event()
        self.gate.set()
        self.error: StoreUnavailable | None = None
        self.appends = 0

    async def append(self, bot: str, notes: Sequence[Note]) -> None:
        self.appends += 1
        await self.gate.wait()
        if self.error:
            raise self.error
        await super().append(bot, notes)


def note(number: int, match_id: str = "") -> Note:
    return Note(number, "1", SessionLostNote(str(number), "HEARTBEAT_LOST"), match_id)


async def test_reading_returns_all_notes_recorded_before() -> None:
    recorder = BotLogRecorder(GatedBotLog())
    for number in range(3):
        recorder.record("ada", note(number, f"m{number}"))
        recorder.record("bob", note(number))
    assert await recorder.read("ada") == [NumberedNote(number + 1, note(number, f"m{number}")) for number in range(3)]
    recorder.record("ada", note(3, "m3"))
    assert await recorder.read("ada", LineFilter(match_id="m3"), after=1, limit=5) == [NumberedNote(4, note(3, "m3"))]
    assert len(await recorder.read("bob")) == 3


async def test_recording_never_waits_and_notes_recorded_during_a_write_are_batched() -> None:
    recorder = BotLogRecorder(log := GatedBotLog())
    log.gate.clear()
    recorder.record("ada", note(0))
    await settle()
    for number in range(1, 9):
        recorder.record("ada", note(number))
    reading = asyncio.create_task(recorder.read("ada"))
    await settle()
    assert not reading.done()
    log.gate.set()
    assert [line.note for line in await reading] == [note(number) for number in range(9)]
    assert log.appends == 2


async def test_a_full_queue_of_notes_keeps_the_latest() -> None:
    recorder = BotLogRecorder(log := GatedBotLog())
    log.gate.clear()
    recorder.record("ada", note(0))
    await settle()
    for number in range(1, 3 * MAX_PENDING_NOTES):
        recorder.record("ada", note(number))
    log.gate.set()
    written = [line.note.at_ms for line in await recorder.read("ada")]
    assert written == [0, *range(2 * MAX_PENDING_NOTES, 3 * MAX_PENDING_NOTES)]


async def test_a_note_that_cannot_be_written_is_dropped_and_later_ones_are_written() -> None:
    recorder = BotLogRecorder(log := GatedBotLog())
    log.error = StoreUnavailable("the disk is full")
    recorder.record("ada", note(1))
    await recorder.flush()
    log.error = None
    recorder.record("ada", note(2))
    assert [line.note for line in await recorder.read("ada")] == [note(2)]


@pytest.mark.parametrize("times", range(2))
async def test_flushing_an_empty_queue_returns_at_once(times: int) -> None:
    recorder = BotLogRecorder(GatedBotLog())
    for _ in range(times):
        recorder.record("ada", note(1))
        await recorder.flush()
    await recorder.flush()
    assert len(await recorder.read("ada")) == times


STRICT = Policies(illegal_move=IllegalMovePolicy(action="forfeit"))
MAX_FAULTS = 3


class GatedAccounts(StoredAccounts):
    """Account store that can be made unavailable."""

    error: StoreUnavailable | None = None

    async def bot(self, name: str) -> Bot:
        if self.error:
            raise self.error
        return await super().bot(name)

    async def change_bot(self, name: str, change: Any) -> Bot:
        if self.error:
            raise self.error
        return await super().change_bot(name, change)


async def register_bots(accounts: StoredAccounts, *owners: str) -> None:
    """Register bots with these owners."""
    for player, owner in zip(BOTS, owners, strict=False):
        await accounts.register(player.bot, Bot(player.bot, owner, 0), bot_token(player.bot), MaxNames(9, 9))


class AutoPauseHarness(RefereeHarness):
    """A referee whose bots are registered and observed by auto-pause."""

    def __init__(self, after: "AutoPauseHarness | None" = None) -> None:
        time = after.time if after else FakeTime()
        self.accounts: GatedAccounts = after.accounts if after else GatedAccounts(MemoryDatabase())
        self.bot_log: StoredBotLog = after.bot_log if after else StoredBotLog(MemoryDatabase(), 1000)
        self.note_recorder = BotLogRecorder(self.bot_log)
        notifier = BotNotifier(self.note_recorder, self._sessions_of, time)
        self.auto_pause = AutoPause(self.accounts, notifier, time, lambda _: MAX_FAULTS, self._counts)
        self.uncounted: set[str] = set()
        """Ids of matches in which bots play without the will of their owner."""
        super().__init__(after, observers=(FaultRecorder(self.note_recorder), self.auto_pause), time=time)

    async def _counts(self, bot: Bot, match: Match) -> bool:
        return match.setup.match_id not in self.uncounted

    def _sessions_of(self, bot: str) -> Sequence[Session]:
        return self.referee.sessions.of_bot(bot)

    @classmethod
    async def open(cls) -> "AutoPauseHarness":
        harness = cls()
        await register_bots(harness.accounts, *("ann" for _ in BOTS))
        return harness

    async def restart(self, games: dict[str, Game] | None = None) -> "AutoPauseHarness":
        await self.close()
        return AutoPauseHarness(self)

    async def close(self) -> None:
        await super().close()
        await self.auto_pause.flush()
        await self.note_recorder.flush()

    async def bot(self, seat: int) -> Bot:
        await settle()
        return await self.accounts.bot(BOTS[seat].bot)

    async def notes(self, seat: int) -> list[Note]:
        return [line.note for line in await self.note_recorder.read(BOTS[seat].bot)]

    async def play_forfeited_match(self) -> tuple[str, list[Session]]:
        """Play a match in which bot0 forfeits by an illegal move."""
        match_id, sessions = await self.start_match(policies=STRICT)
        with pytest.raises(AttemptRefused):
            await self.submit_move(match_id, 0, "99")
        await settle()
        return match_id, sessions

    async def play_match_won_by(self, seat: int) -> None:
        """Play a match to its end, which the given seat wins."""
        match_id, _ = await self.start_match(chosen={"heap": 1 + seat})
        for mover in range(seat + 1):
            await self.submit_move(match_id, mover, "1")
        await settle()


def drain_notices(sessions: list[Session], seat: int) -> list[Any]:
    return filter_by_type(drain_outbox(sessions[seat]), NoticeNote)


async def test_every_fault_sends_a_notice_and_the_last_one_allowed_pauses_the_bot_even_after_restarts() -> None:
    harness = await AutoPauseHarness.open()
    for left in (2, 1):
        match_id, sessions = await harness.play_forfeited_match()
        (notice,) = drain_notices(sessions, 0)
        assert (notice.about, dict(notice.details)) == (
            "fault_counted",
            {"fault": "illegal_move", "match_id": match_id, "left": str(left)},
        )
        assert drain_notices(sessions, 1) == []
        harness = await harness.restart()
    match_id, sessions = await harness.play_forfeited_match()
    (notice,) = drain_notices(sessions, 0)
    assert (notice.about, dict(notice.details)) == ("paused", {"cause": "faults", "faults": "3"})
    pause = (await harness.bot(0)).pause
    assert pause
    assert pause.cause is PauseCause.FAULTS
    faults = f"3 faults in a row, the last one in match {match_id}: illegal_move"
    assert pause.message == notice.message == f"{faults}; resume it by `referee bot return bot0`"
    noted = [note.what.about for note in await harness.notes(0) if isinstance(note.what, NoticeNote)]
    assert noted == ["fault_counted", "fault_counted", "paused"]
    assert (await harness.bot(1)).faults == 0


async def test_a_match_without_a_fault_resets_the_count_and_a_void_match_does_not() -> None:
    harness = await AutoPauseHarness.open()
    await harness.play_forfeited_match()
    match_id, _ = await harness.start_match()
    await harness.referee.void(match_id, EndCause.DECLARED, "a storm")
    assert (await harness.bot(0)).faults == 1
    await harness.play_match_won_by(1)
    assert (await harness.bot(0)).faults == 0
    await harness.play_forfeited_match()
    match_id, _ = await harness.start_match()
    await harness.referee.resign(match_id, 0)
    assert (await harness.bot(0)).faults == 0


async def test_a_paused_bot_gets_no_fault_notices_and_resuming_it_resets_the_count() -> None:
    harness = await AutoPauseHarness.open()
    for _ in range(MAX_FAULTS):
        await harness.play_forfeited_match()
    _, sessions = await harness.play_forfeited_match()
    assert drain_notices(sessions, 0) == []
    assert (await harness.accounts.change_bot("bot0", returned)).faults == 0
    _, sessions = await harness.play_forfeited_match()
    (notice,) = drain_notices(sessions, 0)
    assert dict(notice.details)["left"] == "2"


async def test_a_bot_that_forfeited_its_seat_has_one_fault_however_the_others_finish() -> None:
    harness = await AutoPauseHarness.open()
    continue_without = Policies(illegal_move=IllegalMovePolicy(action="forfeit"), forfeit_effect="default_moves")
    match_id, _ = await harness.start_match("stones", chosen={"heap": 4}, policies=continue_without)
    with pytest.raises(AttemptRefused):
        await harness.submit_move(match_id, 0, "99")
    assert (await harness.bot(0)).faults == 0  # Only the end counts: the match may still become void.
    while not (await harness.match(match_id)).result:
        (turn, *_) = (await harness.match(match_id)).owing
        await harness.submit_move(match_id, turn.seat, "1")
    assert [(await harness.bot(seat)).faults for seat in range(3)] == [1, 0, 0]


async def test_a_fault_that_cannot_be_stored_is_not_counted_and_causes_no_error() -> None:
    harness = await AutoPauseHarness.open()
    harness.accounts.error = StoreUnavailable("the disk is full")
    await harness.play_forfeited_match()
    await harness.play_match_won_by(0)
    harness.accounts.error = None
    assert (await harness.bot(0)).faults == 0
    assert harness.recorder.faults == []


async def test_a_flag_fall_and_its_forfeit_are_noted_once_with_the_clock_charge() -> None:
    harness = await AutoPauseHarness.open()
    match_id, _ = await harness.start_match()
    await harness.submit_move(match_id, 0, "1")
    await harness.time.advance(11 * SECOND)
    (flag_fall,) = [entry for entry in await harness.stored.read(match_id) if isinstance(entry.event, FlagFell)]
    assert isinstance(flag_fall.event, FlagFell)
    failures = [note for note in await harness.notes(1) if not isinstance(note.what, NoticeNote)]
    assert failures == [
        Note(flag_fall.at_ms, "1", LateMoveNote(flag_fall.event.row, SuddenDeath(10 * SECOND)), match_id, 1, 1),
        Note(flag_fall.at_ms, "1", ForfeitNote(Forfeit(1, "time", 1)), match_id, 1, 1),
    ]
    assert await harness.notes(0) == []
    harness = await harness.restart()
    await harness.referee.recover()
    assert len([note for note in await harness.notes(1) if not isinstance(note.what, NoticeNote)]) == 2


async def test_a_late_move_replaced_by_a_policy_is_noted_and_is_no_fault() -> None:
    harness = await AutoPauseHarness.open()
    await harness.start_match(chosen={"heap": 1}, policies=Policies(timeout="random_move"))
    await harness.time.advance(11 * SECOND)
    assert [type(note.what) for note in await harness.notes(0)] == [LateMoveNote]
    assert (await harness.bot(0)).faults == 0


CALLS = "calls_per_minute"


async def quota_notifier_for(*owners: str) -> tuple[QuotaNotifier, list[Session], BotLogRecorder]:
    """Register bots with these owners; all but the last are online."""
    database = MemoryDatabase()
    harness, accounts, recorder = (
        RefereeHarness(),
        StoredAccounts(database),
        BotLogRecorder(StoredBotLog(database, 100)),
    )
    await register_bots(accounts, *owners)
    sessions_of = harness.referee.sessions.of_bot
    quota_notifier = QuotaNotifier(accounts, BotNotifier(recorder, sessions_of, harness.time), sessions_of)
    return quota_notifier, harness.connect(*BOTS[: len(owners) - 1]), recorder


def notice_details(session: Session) -> list[dict[str, str]]:
    return [dict(item.details) for item in drain_outbox(session) if isinstance(item, NoticeNote)]


async def test_a_quota_notice_is_sent_to_all_online_bots_of_the_holder_and_no_others() -> None:
    quota_notifier, (first, second, other_holders_bot), recorder = await quota_notifier_for("ada", "ada", "bob", "ada")
    await quota_notifier.check_usage(BudgetOwner("ada"), CALLS, 79, 100)
    assert notice_details(first) == []
    await quota_notifier.check_usage(BudgetOwner("ada"), CALLS, 80, 100)
    expected = [{"quota": CALLS, "used": "80", "limit": "100"}]
    assert (notice_details(first), notice_details(second), notice_details(other_holders_bot)) == (
        expected,
        expected,
        [],
    )
    noted = [line.note.what for line in await recorder.read(BOTS[0].bot)]
    assert [what.about for what in noted if isinstance(what, NoticeNote)] == ["quota_nearly_exhausted"]
    assert await recorder.read(BOTS[3].bot) == []


async def test_a_notice_of_the_quota_of_one_bot_is_sent_to_this_bot_only() -> None:
    quota_notifier, (first, second), _ = await quota_notifier_for("ada", "ada", "ada")
    await quota_notifier.check_usage(BudgetOwner("ada", BOTS[0].bot), CALLS, 80, 100)
    assert notice_details(first) == [{"quota": CALLS, "used": "80", "limit": "100"}]
    assert notice_details(second) == []


async def test_a_quota_notice_is_repeated_only_after_usage_fell_below_half() -> None:
    quota_notifier, (first,), _ = await quota_notifier_for("ada", "ada")
    for used, count in ((80, 1), (90, 0), (60, 0), (80, 0), (50, 0), (70, 0), (81, 1)):
        await quota_notifier.check_usage(BudgetOwner("ada"), CALLS, used, 100)
        assert len(notice_details(first)) == count, used
    await quota_notifier.check_usage(BudgetOwner("ada"), "max_streams", 4, 5)
    assert len(notice_details(first)) == 1, "another quota"


async def test_matches_that_the_owner_did_not_want_neither_count_nor_reset_the_count() -> None:
    harness = await AutoPauseHarness.open()
    await harness.play_forfeited_match()
    match_id, _ = await harness.start_match(policies=STRICT)
    harness.uncounted.add(match_id)
    with pytest.raises(AttemptRefused):
        await harness.submit_move(match_id, 0, "99")
    assert (await harness.bot(0)).faults == 1
    match_id, _ = await harness.start_match()
    harness.uncounted.add(match_id)
    await harness.referee.resign(match_id, 0)
    assert (await harness.bot(0)).faults == 1
