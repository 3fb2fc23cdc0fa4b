"""Sessions of bots, their absences, and the order in which items are sent to them."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

import pytest

from referee.accounts.bot_log import NoticeNote
from referee.live.network_path import WINDOW_US
from referee.live.outbox import (
    MAX_ENDS_PER_SESSION,
    EndDelivery,
    MatchEnded,
    MatchStarted,
    Outbox,
    PingNotice,
    TakeoverNotice,
    TurnNotice,
    VerdictNotice,
)
from referee.live.sessions import (
    ABSENCE_DELAY_US,
    MAX_OPEN_PINGS,
    MAX_VERDICT_DELAY_US,
    Absences,
    Hello,
    Session,
    Sessions,
    SessionTakenOver,
)
from referee.match.clock import MS, SECOND, Micros
from referee.match.events import MatchCreated
from referee.match.match_errors import StaleTurn
from referee.match.setup import Player
from tests.live.fake_time import FakeAlarm, FakeTime, settle
from tests.live.runner_harness import match_setup
from tests.storage.examples import END
from tests.storage.memory import MemoryEventLog, MemoryUndeliveredEnds

ONE, TWO, BERT = Player("anna", "1"), Player("anna", "2"), Player("bert", "1")


def run_without_waiting(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine that never waits, because everything it uses is in memory."""
    with suppress(StopIteration):
        work.send(None)


class SessionsHarness:
    def __init__(self) -> None:
        self.time = FakeTime()
        self.changed: list[str] = []
        self.log = MemoryEventLog(self.time.wall_ms)
        ids = iter(range(1000))
        ends = EndDelivery(MemoryUndeliveredEnds(self.log), run_without_waiting)
        self.sessions = Sessions(self.time, lambda: f"s{next(ids)}", self.changed.append, ends)

    async def end_match(self, match_id: str, notify: bool = True) -> MatchEnded:
        """End a match in which ONE had a seat, and notify ONE if `notify` is set."""
        await self.log.append(match_id, 0, [MatchCreated(0, match_setup(match_id=match_id, players=(ONE, BERT))), END])
        ended = MatchEnded(match_id, 0)
        if notify:
            self.sessions.notify_end(ONE, ended)
        return ended

    async def pong(self, session: Session, ping_id: int, round_trip_us: int = 0) -> None:
        session.ping()
        session.outbox.drain(100)
        await self.time.advance(round_trip_us)
        session.pong(ping_id)


@pytest.fixture
def harness() -> SessionsHarness:
    return SessionsHarness()


def test_the_newest_session_of_a_version_owns_its_seats_and_the_newest_of_the_bot_the_other_seats(
    harness: SessionsHarness,
) -> None:
    sessions = harness.sessions
    assert not sessions.is_online(ONE)
    older, newer = sessions.open(ONE), sessions.open(TWO)
    assert sessions.session_for(ONE) is older
    assert sessions.session_for(TWO) is newer
    assert sessions.session_for(Player("anna", "3")) is newer
    assert sessions.session_for(Player("bert", "1")) is None
    sessions.close(newer)
    assert sessions.session_for(TWO) is older
    assert sessions.all() == [older]
    assert sessions.of_bot("anna") == (older,)
    assert harness.changed == ["anna"] * 3
    assert sessions.since_ms("anna") == harness.time.wall_ms()
    assert sessions.since_ms("bert") == 0


def test_a_newer_session_of_the_same_version_takes_over_and_the_older_one_is_notified(harness: SessionsHarness) -> None:
    sessions = harness.sessions
    older = sessions.open(ONE)
    newer = sessions.open(ONE)
    assert older.outbox.drain(10) == [TakeoverNotice(newer.id)]
    assert isinstance(older.outbox.closed, SessionTakenOver)
    assert older.outbox.closed.details == {"bot": "anna", "version": "1", "session_id": newer.id}
    sessions.close(older)
    assert sessions.session_for(ONE) is newer
    assert harness.changed == ["anna"] * 2


def test_another_hello_changes_the_accepted_games(harness: SessionsHarness) -> None:
    sessions = harness.sessions
    session = sessions.open(ONE, Hello(games=frozenset({"nim"})))
    assert session.accepts_game("nim")
    assert not session.accepts_game("toc")
    sessions.update_hello(session, Hello(max_matches=0))
    assert session.accepts_game("toc")
    assert harness.changed == ["anna"] * 2


async def test_the_round_trip_is_the_minimum_over_all_pongs_and_not_claimed_by_the_bot(
    harness: SessionsHarness,
) -> None:
    session = harness.sessions.open(ONE)
    session.pong(1)
    assert session.round_trip_us == 0
    for ping_id, round_trip_us in enumerate((40 * MS, 900 * MS, 30 * MS, 50 * MS), 1):
        await harness.pong(session, ping_id, round_trip_us)
    assert session.round_trip_us == 30 * MS
    assert session.silent_us == 0
    session.pong(1)
    await harness.time.advance(5 * MS)
    assert session.silent_us == 5 * MS
    assert session.round_trip_us == 30 * MS


async def test_late_pongs_do_not_raise_the_round_trip_and_a_new_session_keeps_it(harness: SessionsHarness) -> None:
    session = harness.sessions.open(ONE)
    await harness.pong(session, 1, 20 * MS)
    for ping_id in range(2, 40):
        await harness.pong(session, ping_id, 150 * MS)
    assert session.round_trip_us == 20 * MS
    harness.sessions.close(session)
    another = harness.sessions.open(ONE)
    await harness.pong(another, 1, 150 * MS)
    assert another.round_trip_us == 20 * MS


async def test_a_quick_answer_lowers_the_round_trip(harness: SessionsHarness) -> None:
    session = harness.sessions.open(ONE)
    session.record_answer_time(30 * MS)
    assert session.round_trip_us == 0, "no ping was answered yet"
    await harness.pong(session, 1, 150 * MS)
    session.record_answer_time(SECOND)
    assert session.round_trip_us == 150 * MS
    session.record_answer_time(30 * MS)
    assert session.round_trip_us == 30 * MS
    session.record_answer_time(-MS)
    assert session.round_trip_us == 0


async def test_a_longer_round_trip_is_accepted_after_a_time_window(harness: SessionsHarness) -> None:
    session = harness.sessions.open(ONE)
    await harness.pong(session, 1, 20 * MS)
    await harness.time.advance(WINDOW_US)
    await harness.pong(session, 2, 50 * MS)
    assert session.round_trip_us == 20 * MS
    await harness.time.advance(WINDOW_US)
    await harness.pong(session, 3, 60 * MS)
    assert session.round_trip_us == 50 * MS
    await harness.time.advance(3 * WINDOW_US)
    await harness.pong(session, 4, 90 * MS)
    assert session.round_trip_us == 90 * MS


def test_old_unanswered_pings_are_dropped(harness: SessionsHarness) -> None:
    session = harness.sessions.open(ONE)
    for _ in range(MAX_OPEN_PINGS + 1):
        session.ping()
        session.outbox.drain(10)
    session.pong(1)
    assert session.round_trip_us == 0
    session.ping()
    session.ping()
    assert session.outbox.drain(10) == [PingNotice(MAX_OPEN_PINGS + 3, 0)]


async def test_an_end_is_sent_in_every_session_until_a_later_pong_confirms_it(harness: SessionsHarness) -> None:
    end = await harness.end_match("m", notify=False)
    first = harness.sessions.open(ONE)
    first.ping()
    assert first.outbox.drain(1) == [end]
    second = harness.sessions.open(ONE)
    second.ping()
    assert end in second.outbox.drain(1)
    second.ping()
    second.outbox.drain(10)
    second.pong(2)
    third = harness.sessions.open(ONE)
    assert third.outbox.drain(10) == []


async def test_a_pong_to_an_earlier_ping_confirms_nothing(harness: SessionsHarness) -> None:
    session = harness.sessions.open(ONE)
    session.ping()
    session.outbox.drain(10)
    end = await harness.end_match("m")
    assert session.outbox.drain(10) == [end]
    session.pong(1)
    assert harness.sessions.open(ONE).outbox.drain(10) == [end]


async def test_the_newest_undelivered_ends_are_sent_first_and_the_others_in_the_next_session(
    harness: SessionsHarness,
) -> None:
    ends = [await harness.end_match(f"m{number}") for number in range(MAX_ENDS_PER_SESSION + 2)]
    first = harness.sessions.open(ONE)
    first.ping()
    sent = first.outbox.drain(2 * MAX_ENDS_PER_SESSION)
    assert sent == [*ends[2:], PingNotice(1, 0)]
    first.pong(1)
    assert harness.sessions.open(ONE).outbox.drain(10) == ends[:2]


async def test_an_item_replaces_the_one_with_the_same_key_and_moves_to_the_end() -> None:
    outbox = Outbox()
    for number in range(1000):
        outbox.put("turn", MatchEnded("m", number))
        outbox.put(None, NoticeNote("resumed", str(number))) if number < 2 else None
    assert outbox.drain(2) == [NoticeNote("resumed", "0"), NoticeNote("resumed", "1")]
    assert len(outbox) == 1
    assert outbox.drain(2) == [MatchEnded("m", 999)]


async def test_waiting_ends_with_a_new_item_or_when_the_outbox_closes() -> None:
    outbox = Outbox()
    waiting = asyncio.create_task(outbox.wait())
    await settle()
    assert not waiting.done()
    outbox.put(None, NoticeNote("resumed", "y"))
    await waiting
    outbox.drain(5)
    waiting = asyncio.create_task(outbox.wait())
    await settle()
    outbox.put(None, NoticeNote("resumed", "y"))
    outbox.close(KeyError("why"))
    outbox.close(KeyError("another"))
    await waiting
    outbox.put(None, NoticeNote("paused", "late"))
    assert outbox.drain(5) == [NoticeNote("resumed", "y")]
    await outbox.wait()
    assert repr(outbox.closed) == "KeyError('why')"


async def test_a_verdict_waits_for_another_item_or_300_milliseconds_if_the_bot_asks_for_that(
    harness: SessionsHarness,
) -> None:
    session = harness.sessions.open(ONE, Hello(verdicts_with_turns=True))
    verdicts = [VerdictNotice(number, "m", "0.0.1", StaleTurn("m", "")) for number in range(3)]
    waiting = asyncio.create_task(session.outbox.wait())
    session.accept_move(verdicts[0])
    await harness.time.advance(MAX_VERDICT_DELAY_US - 1)
    assert not waiting.done()
    await harness.time.advance(1)
    assert waiting.done()
    assert session.outbox.drain(9) == [verdicts[0]]

    waiting = asyncio.create_task(session.outbox.wait())
    session.accept_move(verdicts[1])
    session.outbox.put(("turn", "m", 0), TurnNotice("m", 0))
    await waiting
    assert session.outbox.drain(9) == [verdicts[1], TurnNotice("m", 0)]

    waiting = asyncio.create_task(session.outbox.wait())
    await harness.time.advance(MAX_VERDICT_DELAY_US)
    assert not waiting.done(), "the timer has nothing to send"
    harness.sessions.update_hello(session, Hello())
    session.accept_move(verdicts[2])
    await waiting
    assert session.outbox.drain(9) == [verdicts[2]]


async def test_a_full_outbox_blocks_the_reader_of_its_stream() -> None:
    outbox = Outbox()
    await outbox.room(1)
    outbox.put(None, NoticeNote("resumed", "y"))
    reading = asyncio.create_task(outbox.room(1))
    await settle()
    assert not reading.done()
    outbox.drain(1)
    await reading
    outbox.put(None, NoticeNote("resumed", "y"))
    reading = asyncio.create_task(outbox.room(1))
    await settle()
    outbox.close(KeyError())
    await reading


class EarlyAlarmTime(FakeTime):
    """Clock whose alarms run slightly early, as on an event loop with a timer resolution of one millisecond."""

    EARLY_US = 900

    def call_at(self, at_us: Micros, ring: Callable[[], None]) -> FakeAlarm:
        return super().call_at(at_us - self.EARLY_US, ring)


@pytest.mark.parametrize("kind", [FakeTime, EarlyAlarmTime])
def test_an_absence_is_written_even_if_its_alarm_runs_early(kind: type[FakeTime]) -> None:
    time = kind()
    written: list[Micros | None] = []
    absences = Absences(time, lambda bot: written.append(absences.absent_since_us(bot)))
    began_us = time.monotonic_us()
    absences.update("anna", online=False)
    asyncio.run(time.advance(ABSENCE_DELAY_US))
    assert written == [began_us]


VERDICT = VerdictNotice(1, "m", "0.0.1", StaleTurn("m", ""))


def test_a_verdict_is_sent_before_the_turn_that_follows_it() -> None:
    outbox = Outbox()
    outbox.put(("turn", "m", 0), TurnNotice("m", 0))
    outbox.put(("turn", "n", 0), TurnNotice("n", 0))
    outbox.put(("began", "o", 0), MatchStarted("o", 0))
    outbox.put(None, VERDICT)

    assert len(outbox) == 4
    assert outbox.drain(3) == [MatchStarted("o", 0), VERDICT, TurnNotice("m", 0)]
    assert outbox.drain(3) == [TurnNotice("n", 0)]
    assert outbox.drain(3) == []


def test_an_item_that_waits_is_sent_before_everything_that_is_queued_after_it() -> None:
    outbox = Outbox()
    outbox.put(("began", "n", 0), MatchStarted("n", 0))
    outbox.put_waiting(VERDICT)
    outbox.put(("began", "o", 0), MatchStarted("o", 0))
    outbox.put(("turn", "m", 0), TurnNotice("m", 0))

    assert len(outbox) == 4
    assert outbox.drain(2) == [MatchStarted("n", 0), VERDICT]
    assert outbox.drain(9) == [MatchStarted("o", 0), TurnNotice("m", 0)]


def test_a_newer_turn_of_a_seat_replaces_the_older_one() -> None:
    outbox = Outbox()
    for match in ("m", "n", "m"):
        outbox.put(("turn", match, 0), TurnNotice(match, 0))

    assert outbox.drain(9) == [TurnNotice("n", 0), TurnNotice("m", 0)]
