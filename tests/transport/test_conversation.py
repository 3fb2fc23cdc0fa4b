"""How a bot is listened to."""

import asyncio
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, cast

from referee_api.v1 import play_pb2
from referee_api.v1.play_service_pb2 import PlayRequest

from referee.app.quotas import Quota
from referee.app.scribe import Scribe
from referee.core.clock import SECOND
from referee.core.events import MovePlayed
from referee.storage.accounts_memory import MemoryQuotas
from referee.storage.bot_log_memory import MemoryBotLog
from referee.transport.conversation import HEARD_AT_ONCE, Conversation, Host, HungUp, Pace
from referee.transport.noting import Noting
from referee.transport.quota import Allowances
from tests.app.hall import BOTS, Hall
from tests.app.scene import in_loop
from tests.app.stopped_time import settled

PARTS = 50
PACE = Pace(64, 5_000, 15 * SECOND)
ENOUGH = Quota(10, 10, 10**9, 10, 10)
NOBODY = cast(Host, SimpleNamespace(say=None, aside=None))
"""Is asked for anything."""
PONGS = [play_pb2.FromBot(pong=play_pb2.Pong(id=0))] * PARTS * HEARD_AT_ONCE


class Wire:
    """What grpc hands a stream over as: one message, and then the bot hangs up."""

    def __init__(self, message: PlayRequest) -> None:
        self._messages = [message]

    async def read(self) -> Any:
        return self._messages.pop() if self._messages else None

    async def write(self, message: Any) -> None:
        """Nobody reads it."""


@in_loop
async def test_who_says_much_in_one_message_leaves_turns_of_the_loop_to_others() -> None:
    hall = Hall()
    (session,) = hall.come(BOTS[0])
    allowances = Allowances(MemoryQuotas(), ENOUGH, 100, hall.time)
    noting = Noting(Scribe(MemoryBotLog(10)), hall.time)
    talk = Conversation(hall.referee, session, "ada", NOBODY, allowances, noting, hall.time, PACE)
    listening = asyncio.create_task(talk._listen(Wire(PlayRequest(items=PONGS)), []))
    turns = 0
    while not listening.done():
        await asyncio.sleep(0)
        turns += 1
    assert isinstance(listening.exception(), HungUp)
    assert turns >= PARTS
    await hall.referee.close()


@in_loop
async def test_all_moves_of_a_message_arrived_when_it_was_read() -> None:
    hall = Hall()
    match_id, (session, _) = await hall.begun()
    token = hall.due(match_id, 0).turn.token
    allowances = Allowances(MemoryQuotas(), ENOUGH, 100, hall.time)
    noting = Noting(Scribe(MemoryBotLog(10)), hall.time)
    talk = Conversation(hall.referee, session, "ada", NOBODY, allowances, noting, hall.time, PACE)
    await hall.time.passes(SECOND)
    move = play_pb2.FromBot(move=play_pb2.Move(match_id=match_id, token=token, move="1"))
    listening = asyncio.create_task(talk._listen(Wire(PlayRequest(items=[*PONGS, move])), []))
    while not listening.done():
        await asyncio.sleep(0)
        hall.time.us += SECOND // 10
    with suppress(HungUp):
        await listening
    await settled()
    (played,) = [entry.event for entry in await hall.stored.read(match_id) if isinstance(entry.event, MovePlayed)]
    assert played.row
    assert (played.row.arrived_us, played.row.charged_us) == (SECOND, SECOND)
    assert played.at_us > SECOND
    await hall.referee.close()
