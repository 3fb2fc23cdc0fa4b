"""Drives a Play stream of a front door by callbacks: of its link for what arrives, of its outbox for what is queued.

A message is dispatched when it arrives, and what is queued is sent once in an iteration of the event loop. Only what
must wait runs in a task, for which the rest of the stream waits.
"""

import asyncio
from contextvars import copy_context
from typing import Any

import grpc.aio
from referee_api.v1.play_service_pb2 import PlayRequest, PlayResponse

from referee.transport.door_link import LinkedStream
from referee.transport.play.reader import PlayStream, StreamClosed


class PushedStream:
    def __init__(self, link: LinkedStream, stream: PlayStream) -> None:
        self._link = link
        self._stream = stream
        self._loop = asyncio.get_running_loop()
        self._context = copy_context()
        """That of the call, which callbacks of the link do not have."""
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self._receiving: asyncio.Task[None] | None = None
        """Dispatches the rest of a message. None: the next one can be received."""
        self._composing: asyncio.Task[PlayResponse] | None = None
        """Composes the rest of a message. None: the next one can be composed."""

    async def run(self, first: PlayRequest | None) -> None:
        self._link.push_to(lambda: self._context.run(self._receive_all), self._send_soon)
        if first:
            self._receive(first)
        self._receive_all()
        self._send_all()
        try:
            await self._ended
        finally:
            for task in filter(None, (self._receiving, self._composing)):
                task.cancel()

    def end(self, why: BaseException) -> None:
        if not self._ended.done():
            self._ended.set_exception(why)

    def _receive_all(self) -> None:
        outbox = self._stream.outbox
        try:
            while self._receiving is None and not outbox.closed and (message := self._link.read_now()) is not None:
                if message is grpc.aio.EOF:
                    outbox.close(StreamClosed())
                else:
                    self._receive(message)
        except Exception as why:  # It would end the link, and so the streams of all bots.
            outbox.close(why)

    def _receive(self, message: Any) -> None:
        more = self._stream.receive(message, self._link.arrived_us)
        self._stream.lag.charge_step()
        if more:
            self._receiving = self._loop.create_task(more)
            self._receiving.add_done_callback(self._received)

    def _received(self, receiving: "asyncio.Task[None]") -> None:
        self._receiving = None
        if receiving.cancelled():
            return
        if isinstance(why := receiving.exception(), Exception):
            self._stream.outbox.close(why)
        self._receive_all()

    def _send_soon(self) -> None:
        self._loop.call_soon(self._send_all, context=self._context)

    def _send_all(self) -> None:
        """Send what is queued, as far as there is room; what is queued later, or more room, continues it."""
        outbox = self._stream.outbox
        try:
            while self._composing is None and self._link.has_room and not self._ended.done():
                if outbox.is_due:
                    self._compose()
                elif outbox.closed:
                    self.end(outbox.closed)
                else:
                    outbox.call_when_due(self._send_soon)
                    return
        except Exception as why:
            self.end(why)

    def _compose(self) -> None:
        composed = self._stream.compose()
        self._stream.lag.charge_step()
        if isinstance(composed, PlayResponse):
            self._send(composed)
        else:
            self._composing = self._loop.create_task(composed)
            self._composing.add_done_callback(self._composed)

    def _composed(self, composing: "asyncio.Task[PlayResponse]") -> None:
        self._composing = None
        if self._ended.done():
            return
        try:
            self._send(composing.result())
        except (Exception, asyncio.CancelledError) as why:
            self.end(why)
        self._send_all()

    def _send(self, message: PlayResponse) -> None:
        if message.items:
            self._link.write_now(message)
