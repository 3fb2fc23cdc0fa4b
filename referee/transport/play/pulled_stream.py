"""Drives a Play stream with two tasks, as gRPC needs it: one reads its messages, and one writes to it."""

import asyncio
from typing import Any

import grpc.aio
from referee_api.v1.play_service_pb2 import PlayRequest, PlayResponse

from referee.transport.play.reader import PlayStream, StreamClosed


class PulledStream:
    def __init__(self, context: Any, stream: PlayStream) -> None:
        self._context = context
        self._stream = stream
        self._ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def run(self, first: PlayRequest | None) -> None:
        # Not created by the loop: they charge their steps themselves, which costs less.
        writing, reading = asyncio.Task(self._write()), asyncio.Task(self.read(first))
        reading.add_done_callback(self._close_outbox)
        writing.add_done_callback(self._end_with)
        try:
            await self._ended
        finally:
            writing.cancel()
            reading.cancel()

    def end(self, why: Exception) -> None:
        if not self._ended.done():
            self._ended.set_exception(why)

    def _end_with(self, writing: "asyncio.Task[None]") -> None:
        if writing.cancelled():
            self._ended.cancel()
        elif isinstance(why := writing.exception(), Exception):
            self.end(why)

    def _close_outbox(self, reading: "asyncio.Task[None]") -> None:
        why = None if reading.cancelled() else reading.exception()
        if isinstance(why, Exception):
            self._stream.outbox.close(why)

    async def read(self, first: PlayRequest | None) -> None:
        """Dispatch all messages. Raises StreamClosed after the last one."""
        read = self._context.read  # Looked up once, since the context delegates it.
        message = first or await read()
        while message is not grpc.aio.EOF:
            more = self._stream.receive(message, getattr(self._context, "arrived_us", None))
            self._stream.lag.charge_step()
            if more:
                await more
            message = await read()
        raise StreamClosed

    async def _write(self) -> None:
        outbox = self._stream.outbox
        while True:
            await outbox.wait()
            composed = self._stream.compose()
            response = composed if isinstance(composed, PlayResponse) else await composed
            self._stream.lag.charge_step()
            if response.items:
                await self._context.write(response)
            if outbox.closed and not outbox:
                raise outbox.closed
