"""The door behind which servicers raise refusals, and know nothing of status codes.

Whether a call is admitted, and its message, were settled by `admission`.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from secrets import token_hex
from typing import Any

import grpc
import structlog
from google.protobuf.message import DecodeError, Message

from referee.app.lag import Lag
from referee.app.refusals import BadField
from referee.transport.admission import PACKAGE, Unreadable, need_admission, readable
from referee.transport.auth import ARRIVAL, CALLER
from referee.transport.field_limits import check_fields
from referee.transport.long_moves import is_large_by_moves
from referee.transport.refusals import Said, Say, fault, said, status_of
from referee.transport.refused import MessageTooLarge

CODES = {code.value[0]: code for code in grpc.StatusCode}
DETAILS = "grpc-status-details-bin"

log = structlog.get_logger("referee.transport")


async def _each_readable(messages: AsyncIterator[Any]) -> AsyncIterator[Any]:
    async for message in messages:
        yield readable(message)


class Door(grpc.aio.ServerInterceptor):
    def __init__(self, lag: Lag, message_at_most_bytes: int, say: Say) -> None:
        self._say = say
        self._lag = lag
        self._message_at_most_bytes = message_at_most_bytes
        self._handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = {}

    async def intercept_service(self, continuation: Any, handler_call_details: Any) -> Any:
        path = handler_call_details.method
        if path not in self._handlers:
            handler = await continuation(handler_call_details)
            if handler is None:
                return None
            ours = path.startswith(f"/{PACKAGE}")
            self._handlers[path] = self._ours(handler) if ours else self._open(handler)
        return self._handlers[path]

    def _ours(self, handler: Any) -> Any:
        inner = handler.unary_unary or handler.unary_stream or handler.stream_stream

        async def behaviour(request: Any, context: Any) -> Any:
            # The message has just been read: nothing is waited for between that and here. A moment earlier would not
            # do, for a caller could send its headers and go on thinking.
            need_admission()
            ARRIVAL.set(self._lag.arrival(CALLER.get().holder))
            return await inner(readable(request), context)

        return self._made(handler, behaviour)

    def _open(self, handler: Any) -> Any:
        """Others wrote it, and it would break down over what cannot be read."""

        async def behaviour(request: Any, context: Any) -> Any:
            need_admission()
            if not handler.request_streaming:
                return await (handler.unary_unary or handler.unary_stream)(readable(request), context)
            async for answer in handler.stream_stream(_each_readable(request), context):
                await context.write(answer)
            return None

        return self._made(handler, behaviour)

    def _made(self, handler: Any, behaviour: Callable[[Any, Any], Awaitable[Any]]) -> Any:
        """A handler of the same kind that behaves so, and says no in our words."""

        async def answering(request: Any, context: Any) -> Any:
            try:
                return await behaviour(request, context)
            except (grpc.aio.AbortError, asyncio.CancelledError):
                raise
            except grpc.aio.InternalError:  # So it is said that the caller has gone while it was written to.
                raise asyncio.CancelledError from None
            except Exception as why:
                await refuse(context, self._say(why, getattr(request, "match_id", "")))

        make = {
            (False, False): grpc.unary_unary_rpc_method_handler,
            (False, True): grpc.unary_stream_rpc_method_handler,
            (True, True): grpc.stream_stream_rpc_method_handler,
        }[handler.request_streaming, handler.response_streaming]
        return make(
            answering,
            self._reader(handler.request_deserializer, handler.request_streaming),
            handler.response_serializer,
        )

    def _reader(self, read: Callable[[bytes], Message], streaming: bool) -> Callable[[bytes], Message | Unreadable]:
        """`streaming`: of our own services, that is `Play`."""

        def reader(data: bytes) -> Message | Unreadable:
            if len(data) > self._message_at_most_bytes and not (streaming and is_large_by_moves(data)):
                return Unreadable(MessageTooLarge(len(data), self._message_at_most_bytes))
            try:
                message = read(data)
                check_fields(message)
            except DecodeError:
                return Unreadable(BadField("message", "it cannot be read as this request"))
            except BadField as why:
                return Unreadable(why)
            return message

        return reader


def counted(refused: Callable[[str], None]) -> Say:
    """How refusals are said: `refused` is told the reason of each that goes out."""

    def say(why: Exception, match_id: str) -> Said:
        told = said(why, match_id) or _fault(why)
        refused(told.reason)
        return told

    return say


def _fault(why: Exception) -> Said:
    """A bug of ours goes to the log, and its number to the caller."""
    fault_id = token_hex(8)
    log.error("the referee broke down", fault_id=fault_id, exc_info=why)
    return fault(fault_id)


async def refuse(context: Any, told: Said) -> None:
    details = ((DETAILS, status_of(told).SerializeToString()),)
    await context.abort(CODES[told.code], told.sentence, details)
