"""A real server whose event loop is delayed: the bot that causes the delay gains no time, and all others lose none.

The simulated requests use CPU time instead of elapsed time, so a busy machine does not affect the results.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import grpc
import pytest
from referee_api.v1 import (
    admin_service_pb2,
    bot_service_pb2,
    clock_pb2,
    game_pb2,
    game_service_pb2,
    match_pb2,
    match_service_pb2,
    play_pb2,
    token_pb2,
)
from referee_api.v1.admin_service_pb2_grpc import AdminServiceStub
from referee_api.v1.bot_service_pb2_grpc import BotServiceStub
from referee_api.v1.game_service_pb2_grpc import GameServiceStub
from referee_api.v1.match_service_pb2_grpc import MatchServiceStub
from referee_api.v1.play_service_pb2 import PlayRequest
from referee_api.v1.play_service_pb2_grpc import PlayServiceStub

from referee.local.embedded_server import embedded
from referee.match.clock import MS
from referee.storage.memory_accounts import MemoryTokens
from referee.transport.guards import authentication as auth
from referee.transport.services.games import Games
from tests.e2e.server import TIMEOUT_S, bearer

COST_US = 100 * MS
"""CPU time of one call."""
CALLS = 4
TOLERANCE_US = 20 * MS
"""Amount of loop lag that may go unnoticed: the timer that measures it is set every ten milliseconds."""


@dataclass
class BotWithTurn:
    """A bot that owes a move in a match of its own, in which its opponent never gets to move."""

    channel: grpc.aio.Channel
    secret: str
    stream: Any
    turn: play_pb2.Turn

    async def make_call(self) -> None:
        request = game_service_pb2.GetGameRequest(name="alquerque")
        await GameServiceStub(self.channel).GetGame(request, metadata=bearer(self.secret), timeout=TIMEOUT_S)

    async def submit_and_read_charge(self) -> clock_pb2.ClockCharge:
        """Submit its move, and return the clock charge."""
        token, move = self.turn.turn_token, self.turn.legal_moves[0]
        request = match_service_pb2.SubmitMoveRequest(
            request_id="1", match_id=self.turn.match_id, turn_token=token, move=move
        )
        answer = MatchServiceStub(self.channel).SubmitMove(request, metadata=bearer(self.secret), timeout=TIMEOUT_S)
        row: clock_pb2.ClockCharge = (await answer).clock_charge
        return row


async def open_play_stream(channel: grpc.aio.Channel, secret: str) -> Any:
    """Open a Play stream, send Hello and read the answer to it."""
    stream = PlayServiceStub(channel).Play(metadata=bearer(secret))
    hello = play_pb2.Hello(version="1", turn_options=play_pb2.TurnOptions(max_legal_moves=1))
    await stream.write(PlayRequest(items=[play_pb2.BotItem(hello=hello)]))
    await stream.read()
    return stream


async def read_turn(stream: Any) -> play_pb2.Turn:
    while True:
        for item in (await stream.read()).items:
            if item.HasField("turn"):
                turn: play_pb2.Turn = item.turn
                return turn


async def start_match_for(channel: grpc.aio.Channel, admin: str, holder: str) -> BotWithTurn:
    token_request = admin_service_pb2.CreateTokenRequest(role=token_pb2.ROLE_ORGANISER, holder=holder)
    owner = bearer((await AdminServiceStub(channel).CreateToken(token_request, metadata=bearer(admin))).secret)
    names = [f"{holder}-{seat}" for seat in range(2)]
    registrations = [bot_service_pb2.RegisterBotRequest(request_id=name, name=name) for name in names]
    secrets = [(await BotServiceStub(channel).RegisterBot(request, metadata=owner)).secret for request in registrations]
    streams = [await open_play_stream(channel, secret) for secret in secrets]
    time_rule = clock_pb2.ClockRule(sudden_death=clock_pb2.SuddenDeath(main_ms=3_600_000))
    terms = match_pb2.MatchTerms(
        rules=game_pb2.Rules(game="alquerque"), time_control=clock_pb2.TimeControl(rule=time_rule)
    )
    seats = [match_pb2.BotRef(bot=name) for name in names]
    match_request = match_service_pb2.CreateMatchRequest(request_id="match", terms=terms, seats=seats)
    await MatchServiceStub(channel).CreateMatch(match_request, metadata=owner)
    return BotWithTurn(channel, secrets[0], streams, await read_turn(streams[0]))


@asynccontextmanager
async def two_bots_with_turns() -> AsyncIterator[tuple[BotWithTurn, BotWithTurn]]:
    """Yield bots of two holders, each with a turn.

    Bob's turn begins first, and the tests end it last: whatever delays Ada's turn delays his too.
    """
    async with embedded(60, patient=True) as server, grpc.aio.insecure_channel(server.grpc) as channel:
        bob = await start_match_for(channel, server.admin_token, "bob")
        yield await start_match_for(channel, server.admin_token, "ada"), bob


def set_call_cost(monkeypatch: pytest.MonkeyPatch, cost: Callable[[], object]) -> None:
    """Add this cost to a call that all roles may make."""
    answer = Games.GetGame

    async def get_game(self: Games, request: Any, context: Any) -> Any:
        cost()
        return await answer(self, request, context)

    monkeypatch.setattr(Games, "GetGame", get_game)


def use_cpu_time() -> None:
    until_ns = time.thread_time_ns() + COST_US * 1_000
    while time.thread_time_ns() < until_ns:
        pass


def test_the_cost_of_its_own_calls_is_not_credited_to_a_bot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    set_call_cost(monkeypatch, use_cpu_time)

    async def check() -> None:
        async with two_bots_with_turns() as (ada, bob):
            for _ in range(CALLS):
                await ada.make_call()
            ada_delay_us, bob_delay_us = (
                (await ada.submit_and_read_charge()).stall_us,
                (await bob.submit_and_read_charge()).stall_us,
            )
            assert bob_delay_us >= CALLS * (COST_US - TOLERANCE_US)
            assert bob_delay_us - ada_delay_us >= CALLS * (COST_US - TOLERANCE_US)

    asyncio.run(check())


def test_the_cost_of_its_own_concurrent_calls_is_not_credited_to_a_bot(monkeypatch: pytest.MonkeyPatch) -> None:
    set_call_cost(monkeypatch, use_cpu_time)

    async def check() -> None:
        async with two_bots_with_turns() as (ada, bob):
            await asyncio.gather(*(ada.make_call() for _ in range(CALLS)))
            ada_delay_us, bob_delay_us = (
                (await ada.submit_and_read_charge()).stall_us,
                (await bob.submit_and_read_charge()).stall_us,
            )
            assert bob_delay_us - ada_delay_us >= CALLS * (COST_US - TOLERANCE_US)

    asyncio.run(check())


def test_time_without_cpu_is_credited_to_all_bots(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    set_call_cost(monkeypatch, lambda: time.sleep(COST_US / 1_000_000))

    async def check() -> None:
        async with two_bots_with_turns() as (ada, bob):
            for _ in range(CALLS):
                await ada.make_call()
            rows = await ada.submit_and_read_charge(), await bob.submit_and_read_charge()
            assert min(row.stall_us for row in rows) >= CALLS * (COST_US - TOLERANCE_US)

    asyncio.run(check())


def test_a_submitted_move_does_not_wait_for_reading_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auth, "CACHE_US", 0)
    read = MemoryTokens.find_token
    waiting = 0

    async def check() -> None:
        disk_is_free = asyncio.Event()

        async def wait_and_read(self: MemoryTokens, sha256: bytes) -> Any:
            nonlocal waiting
            waiting += 1
            await disk_is_free.wait()
            return await read(self, sha256)

        async with two_bots_with_turns() as (ada, _):
            monkeypatch.setattr(MemoryTokens, "find_token", wait_and_read)
            assert not (await ada.submit_and_read_charge()).late
            assert waiting == 1
            disk_is_free.set()

    asyncio.run(check())
