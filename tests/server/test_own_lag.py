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
from referee.storage.memory import MemoryTokens
from referee.transport.guards import authentication as auth
from referee.transport.services.games import Games
from tests.e2e.server import TIMEOUT_S, bearer

COST_US = 100 * MS
"""CPU time of one call."""
CALLS = 4
GRAIN_US = 20 * MS
"""Amount of loop lag that may go unnoticed: the timer that measures it is set every ten milliseconds."""


@dataclass
class Player:
    """A bot that owes a move in a match of its own, in which its opponent never gets to move."""

    channel: grpc.aio.Channel
    secret: str
    stream: Any
    turn: play_pb2.Turn

    async def ask(self) -> None:
        request = game_service_pb2.GetGameRequest(name="alquerque")
        await GameServiceStub(self.channel).GetGame(request, metadata=bearer(self.secret), timeout=TIMEOUT_S)

    async def row(self) -> clock_pb2.ClockCharge:
        """Submit its move, and return the clock charge."""
        token, move = self.turn.turn_token, self.turn.legal_moves[0]
        request = match_service_pb2.SubmitMoveRequest(
            request_id="1", match_id=self.turn.match_id, turn_token=token, move=move
        )
        answer = MatchServiceStub(self.channel).SubmitMove(request, metadata=bearer(self.secret), timeout=TIMEOUT_S)
        row: clock_pb2.ClockCharge = (await answer).clock_charge
        return row


async def listens(channel: grpc.aio.Channel, secret: str) -> Any:
    """Open a Play stream, send Hello and read the answer to it."""
    stream = PlayServiceStub(channel).Play(metadata=bearer(secret))
    hello = play_pb2.Hello(version="1", turn_options=play_pb2.TurnOptions(max_legal_moves=1))
    await stream.write(PlayRequest(items=[play_pb2.BotItem(hello=hello)]))
    await stream.read()
    return stream


async def asked(stream: Any) -> play_pb2.Turn:
    while True:
        for item in (await stream.read()).items:
            if item.HasField("turn"):
                turn: play_pb2.Turn = item.turn
                return turn


async def player(channel: grpc.aio.Channel, admin: str, holder: str) -> Player:
    new = admin_service_pb2.CreateTokenRequest(role=token_pb2.ROLE_ORGANISER, holder=holder)
    owner = bearer((await AdminServiceStub(channel).CreateToken(new, metadata=bearer(admin))).secret)
    names = [f"{holder}-{seat}" for seat in range(2)]
    registering = [bot_service_pb2.RegisterBotRequest(request_id=name, name=name) for name in names]
    secrets = [(await BotServiceStub(channel).RegisterBot(one, metadata=owner)).secret for one in registering]
    streams = [await listens(channel, secret) for secret in secrets]
    hour = clock_pb2.ClockRule(sudden_death=clock_pb2.SuddenDeath(main_ms=3_600_000))
    terms = match_pb2.MatchTerms(rules=game_pb2.Rules(game="alquerque"), time_control=clock_pb2.TimeControl(rule=hour))
    seats = [match_pb2.BotRef(bot=name) for name in names]
    wanted = match_service_pb2.CreateMatchRequest(request_id="match", terms=terms, seats=seats)
    await MatchServiceStub(channel).CreateMatch(wanted, metadata=owner)
    return Player(channel, secrets[0], streams, await asked(streams[0]))


@asynccontextmanager
async def ada_and_bob() -> AsyncIterator[tuple[Player, Player]]:
    """Yield bots of two holders, each with a turn.

    Bob's turn begins first, and the tests end it last: whatever delays Ada's turn delays his too.
    """
    async with embedded(60, patient=True) as opened, grpc.aio.insecure_channel(opened.grpc) as channel:
        bob = await player(channel, opened.admin_token, "bob")
        yield await player(channel, opened.admin_token, "ada"), bob


def costly(monkeypatch: pytest.MonkeyPatch, cost: Callable[[], object]) -> None:
    """Let a call that all roles may make have this cost."""
    answer = Games.GetGame

    async def get_game(self: Games, request: Any, context: Any) -> Any:
        cost()
        return await answer(self, request, context)

    monkeypatch.setattr(Games, "GetGame", get_game)


def computes() -> None:
    until_ns = time.thread_time_ns() + COST_US * 1_000
    while time.thread_time_ns() < until_ns:
        pass


def test_a_bot_that_asks_expensive_things_in_its_own_turn_is_not_given_that_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    costly(monkeypatch, computes)

    async def play() -> None:
        async with ada_and_bob() as (ada, bob):
            for _ in range(CALLS):
                await ada.ask()
            gained, kept = (await ada.row()).stall_us, (await bob.row()).stall_us
            assert kept >= CALLS * (COST_US - GRAIN_US)
            assert kept - gained >= CALLS * (COST_US - GRAIN_US)

    asyncio.run(play())


def test_many_expensive_calls_at_once_gain_nothing_either(monkeypatch: pytest.MonkeyPatch) -> None:
    costly(monkeypatch, computes)

    async def play() -> None:
        async with ada_and_bob() as (ada, bob):
            await asyncio.gather(*(ada.ask() for _ in range(CALLS)))
            gained, kept = (await ada.row()).stall_us, (await bob.row()).stall_us
            assert kept - gained >= CALLS * (COST_US - GRAIN_US)

    asyncio.run(play())


def test_time_in_which_the_process_did_not_run_is_given_back_to_all_whoever_was_served_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    costly(monkeypatch, lambda: time.sleep(COST_US / 1_000_000))

    async def play() -> None:
        async with ada_and_bob() as (ada, bob):
            for _ in range(CALLS):
                await ada.ask()
            rows = await ada.row(), await bob.row()
            assert min(row.stall_us for row in rows) >= CALLS * (COST_US - GRAIN_US)

    asyncio.run(play())


def test_a_submitted_move_does_not_wait_for_a_disk_that_is_busy_with_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auth, "CACHE_US", 0)
    read = MemoryTokens.find_token
    waiting = 0

    async def play() -> None:
        free = asyncio.Event()

        async def slowly(self: MemoryTokens, sha256: bytes) -> Any:
            nonlocal waiting
            waiting += 1
            await free.wait()
            return await read(self, sha256)

        async with ada_and_bob() as (ada, _):
            monkeypatch.setattr(MemoryTokens, "find_token", slowly)
            assert not (await ada.row()).late
            assert waiting == 1
            free.set()

    asyncio.run(play())
