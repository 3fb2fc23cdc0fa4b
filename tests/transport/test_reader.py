"""The reader of a Play stream."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, cast

import grpc.aio
from referee_api.v1 import play_pb2
from referee_api.v1.play_service_pb2 import PlayRequest

from referee.accounts.tokens import BudgetOwner, Quota
from referee.live.bot_notices import BotLogRecorder
from referee.live.sessions import Session
from referee.match.clock import SECOND
from referee.storage.stored_bot_log import StoredBotLog
from referee.transport.guards.error_interceptor import count_errors
from referee.transport.guards.rate_limit import RateLimiter
from referee.transport.play.pulled_stream import PulledStream
from referee.transport.play.reader import ITEMS_PER_YIELD, HeartbeatConfig, PlayStream, StreamClosed, StreamHost
from referee.transport.services.bot_requests import RejectionRecorder
from referee.transport.wire.matches import MatchContext
from tests.live.fake_time import settle
from tests.live.referee_harness import BOTS, RefereeHarness
from tests.storage.memory import MemoryDatabase
from tests.transport.rate_limiters import create_rate_limiter

CHUNKS = 50
HEARTBEAT = HeartbeatConfig(64, 5_000, 15 * SECOND)
ADA = BudgetOwner("ada")
HIGH_QUOTA = Quota(10, 10, 10**9, 10, 10)
PONGS = [play_pb2.BotItem(pong=play_pb2.Pong(id=0))] * CHUNKS * ITEMS_PER_YIELD


class FakeStreamContext:
    """Context of a stream in which the bot sends one message and closes."""

    def __init__(self, message: PlayRequest) -> None:
        self._messages = [message]

    async def read(self) -> Any:
        return self._messages.pop() if self._messages else grpc.aio.EOF

    async def write(self, message: Any) -> None:
        """Discard the message."""


def play_stream(
    harness: RefereeHarness,
    session: Session,
    rate_limiter: RateLimiter | None = None,
    recorder: BotLogRecorder | None = None,
    count_repeated: Callable[[], None] | None = None,
) -> PlayStream:
    host = SimpleNamespace(
        map_error=count_errors(lambda _: None),
        match_context=MatchContext(lambda _: True),
        count_repeated=count_repeated,
    )
    rejections = RejectionRecorder(recorder or BotLogRecorder(StoredBotLog(MemoryDatabase(), 10)), harness.time)
    limiter = rate_limiter or create_rate_limiter(harness.time, HIGH_QUOTA)
    return PlayStream(
        harness.referee, session, ADA, cast(StreamHost, host), limiter, rejections, harness.time, HEARTBEAT
    )


async def read_all(stream: PlayStream, *items: play_pb2.BotItem) -> None:
    """Read a message of these items and the end of the stream."""
    await PulledStream(FakeStreamContext(PlayRequest(items=items)), stream).read(None)


async def test_a_message_of_many_items_does_not_block_the_event_loop() -> None:
    harness = RefereeHarness()
    (session,) = harness.connect(BOTS[0])
    stream = play_stream(harness, session)
    reading = asyncio.create_task(read_all(stream, *PONGS))
    turns = 0
    while not reading.done():
        await asyncio.sleep(0)
        turns += 1
    assert isinstance(reading.exception(), StreamClosed)
    assert turns >= CHUNKS


async def test_all_moves_of_a_message_arrived_when_it_was_read() -> None:
    harness = RefereeHarness()
    match_id, (session, _) = await harness.start_match()
    token = harness.turn_due(match_id, 0).turn.token
    stream = play_stream(harness, session)
    await harness.time.advance(SECOND)
    move = play_pb2.BotItem(move=play_pb2.Move(match_id=match_id, turn_token=token, move="1"))
    reading = asyncio.create_task(read_all(stream, *PONGS, move))
    while not reading.done():
        await asyncio.sleep(0)
        harness.time.us += SECOND // 10
    with suppress(StreamClosed):
        await reading
    await settle()
    (row,) = await harness.move_rows(match_id)
    assert (row.arrived_us, row.charged_us) == (SECOND, SECOND)
    assert (await harness.match(match_id)).at_us > SECOND


async def counts_of_a_repeated_move(text: str) -> tuple[int, int, int]:
    """Return the numbers of counted calls, of notes in the bot log and of repeated items.

    The bot has sent the same move twice.
    """
    harness = RefereeHarness()
    match_id, (session, _) = await harness.start_match()
    rate_limiter, recorder = (
        create_rate_limiter(harness.time, HIGH_QUOTA),
        BotLogRecorder(StoredBotLog(MemoryDatabase(), 10)),
    )
    repeated: list[None] = []
    stream = play_stream(harness, session, rate_limiter, recorder, lambda: repeated.append(None))
    token = harness.turn_due(match_id, 0).turn.token
    move = play_pb2.BotItem(move=play_pb2.Move(match_id=match_id, turn_token=token, move=text))
    for _ in range(2):
        with suppress(StreamClosed):
            await read_all(stream, move)
        await settle()
    notes = await recorder.read(session.player.bot)
    return rate_limiter.usage_of(ADA).calls, len(notes), len(repeated)


async def test_a_move_costs_no_call_and_its_repetition_does() -> None:
    assert await counts_of_a_repeated_move("1") == (1, 0, 1)


async def test_a_rejected_move_that_is_repeated_is_noted_once() -> None:
    assert await counts_of_a_repeated_move("nonsense") == (2, 1, 1)


async def test_a_bot_whose_nonce_was_late_is_waited_for_again() -> None:
    harness = RefereeHarness()
    session, _ = harness.connect(*BOTS[:2])
    match_id = await harness.create(nonce_timeout_us=SECOND)
    await harness.time.advance(SECOND)
    missed = session.misses_nonces
    stream = play_stream(harness, session)
    late = play_pb2.BotItem(nonce=play_pb2.Nonce(match_id=match_id, seat=0, nonce=b"late"))
    with suppress(StreamClosed):
        await read_all(stream, late)
    await settle()
    assert (missed, session.misses_nonces) == (True, False)
