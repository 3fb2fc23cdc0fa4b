"""The referee that the bot meets: it does nothing but what the clause of the moment tells it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
from google.rpc.code_pb2 import Code
from grpc_health.v1 import health, health_pb2_grpc
from referee_api.v1 import play_pb2
from referee_api.v1.game_service_pb2_grpc import add_GameServiceServicer_to_server
from referee_api.v1.play_service_pb2 import PlayRequest
from referee_api.v1.play_service_pb2_grpc import PlayServiceServicer, add_PlayServiceServicer_to_server

from engines.registry import games
from referee.conformance.board import LISTED_AT_MOST
from referee.conformance.failed import Failed
from referee.conformance.program import Program
from referee.conformance.visit import PING_EVERY_S, Visit
from referee.transport.games import Games
from referee.transport.refusals import Said

BOT = "bot-on-trial"
FIRST_VERSION = "1"
"""Of a bot that names none."""
GONE_AFTER_MS = 15_000
MESSAGE_AT_MOST_BYTES = 1 << 20
RETRY_AFTER_MS = 100


class Stage(PlayServiceServicer):
    """Serves from `open` to `close`; one bot at a time is expected to come."""

    def __init__(self, program: Program, patience_s: float) -> None:
        self.program = program
        self.patience_s = patience_s
        self._arrivals: asyncio.Queue[Visit] = asyncio.Queue()
        self._visit: Visit | None = None
        self.arrivals = 0
        """Streams that were opened in this clause."""
        self._server = grpc.aio.server(options=[("grpc.max_send_message_length", -1), ("grpc.so_reuseport", 0)])
        add_PlayServiceServicer_to_server(self, self._server)
        add_GameServiceServicer_to_server(Games(games(), LISTED_AT_MOST), self._server)
        health_pb2_grpc.add_HealthServicer_to_server(health.aio.HealthServicer(), self._server)

    async def open(self, address: str, credentials: grpc.ServerCredentials | None) -> int:
        """The port that it became."""
        if credentials:
            port = self._server.add_secure_port(address, credentials)
        else:
            port = self._server.add_insecure_port(address)
        await self._server.start()
        return port

    async def close(self) -> None:
        await self.program.end()
        await self._server.stop(0)

    async def Play(  # type: ignore[override]  # It writes by itself.
        self, request_iterator: AsyncIterator[PlayRequest], context: Any
    ) -> None:
        metadata = {key: str(value) for key, value in context.invocation_metadata() or ()}
        visit = Visit(metadata, context.peer(), self.patience_s)
        self._arrivals.put_nowait(visit)
        await visit.lasts(request_iterator, context)

    async def visit(self) -> Visit:
        """The bot's session: the one that is open, or the next."""
        if self._visit is None or not self._visit.open:
            self._visit = await self.arrival()
            self.welcome(self._visit, await self._visit.hello())
        return self._visit

    async def arrival(self) -> Visit:
        """The next stream that is opened; nothing has been said to it yet."""
        coming = asyncio.create_task(self._next_open())
        ending = asyncio.create_task(self._ends_unasked())
        done, pending = await asyncio.wait({coming, ending}, timeout=self.patience_s, return_when="FIRST_COMPLETED")
        for task in pending:
            task.cancel()
        if coming in done:
            self.arrivals += 1
            return coming.result()
        if ending in done:
            raise Failed(f"the program ended when it should play: {self.program.last_words()}")
        raise Failed(f"no stream was opened within {self.patience_s:g} s: {self.program.last_words()}".rstrip(": "))

    def welcome(self, visit: Visit, hello: play_pb2.Hello, gone_after_ms: int = GONE_AFTER_MS) -> None:
        visit.say(
            welcome=play_pb2.Welcome(
                bot=BOT,
                version=hello.version or FIRST_VERSION,
                session_id="session-on-trial",
                referee_version="conformance",
                matches_at_most=hello.matches_at_most if hello.HasField("matches_at_most") else 1,
                ping_every_ms=round(PING_EVERY_S * 1_000),
                gone_after_ms=gone_after_ms,
                message_at_most_bytes=MESSAGE_AT_MOST_BYTES,
            )
        )

    async def nobody_comes(self, within_s: float) -> None:
        """Raises Failed if somebody does."""
        try:
            async with asyncio.timeout(within_s):
                await self._arrivals.get()
        except TimeoutError:
            return
        raise Failed("the bot came back")

    def send_away(self) -> None:
        """The session of the last clause is over, if one is open."""
        if self._visit and self._visit.open:
            self._visit.end(away("the next clause"))

    async def begin(self) -> None:
        """Another clause begins. Only now is a program started that has ended: within a clause it has to stay."""
        self.arrivals = 0
        if await self.program.begins():
            self._visit = None  # What is left of the last one may not have been noticed yet.
        if self._visit:
            self._visit.begin()

    async def _next_open(self) -> Visit:
        """A stream that was given up before anybody looked at it is no matter."""
        while not (visit := await self._arrivals.get()).open:
            pass
        return visit

    async def _ends_unasked(self) -> None:
        """For ever, where that cannot be seen."""
        try:
            await self.program.exits(self.patience_s + 1)
        except Exception:
            await asyncio.Event().wait()


def away(why: str) -> Said:
    """The referee breaks off, and is back at once."""
    metadata = {"retry_after_ms": str(RETRY_AFTER_MS)}
    return Said("DRAINING", Code.UNAVAILABLE, why, metadata, retry_after_ms=RETRY_AFTER_MS)
