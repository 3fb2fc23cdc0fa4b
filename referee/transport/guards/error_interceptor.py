"""Maps exceptions of servicers to gRPC status, so that servicers need to know no status codes.

It also raises the errors of calls that `admission` rejected, and checks the sizes of messages and fields.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from secrets import token_hex
from typing import Any

import grpc
import structlog
from google.protobuf.message import DecodeError, Message

from referee.accounts.account_errors import BadField
from referee.live.loop_lag import HOLDER, LoopLag
from referee.transport.contract_options import PACKAGE
from referee.transport.guards.admission import Unreadable, require_readable
from referee.transport.guards.authentication import ARRIVAL
from referee.transport.guards.field_limits import check_fields, is_large_by_moves
from referee.transport.wire.entries import EncodedEntries
from referee.transport.wire.error_mapping import STATUS_DETAILS, ErrorMapper, WireError, fault, status_of, to_wire_error
from referee.transport.wire.wire_errors import MessageTooLarge

CODES = {code.value[0]: code for code in grpc.StatusCode}

log = structlog.get_logger("referee.transport")


async def _require_each_readable(messages: AsyncIterator[Any]) -> AsyncIterator[Any]:
    async for message in messages:
        yield require_readable(message)


class ErrorInterceptor(grpc.aio.ServerInterceptor):
    def __init__(self, lag: LoopLag, max_message_bytes: int, map_error: ErrorMapper) -> None:
        self._map_error = map_error
        self._lag = lag
        self._max_message_bytes = max_message_bytes
        self._handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = {}

    async def intercept_service(self, continuation: Any, handler_call_details: Any) -> Any:
        path = handler_call_details.method
        if path not in self._handlers:
            handler = await continuation(handler_call_details)
            if handler is None:
                return None
            is_ours = path.startswith(f"/{PACKAGE}")
            self._handlers[path] = self._wrap_own(handler) if is_ours else self._wrap_library(handler)
        return self._handlers[path]

    def _wrap_own(self, handler: Any) -> Any:
        inner = handler.unary_unary or handler.unary_stream or handler.stream_stream

        async def behaviour(request: Any, context: Any) -> Any:
            # The message has just been read, without an await in between. The arrival of the headers would be
            # too early: a caller could send them first, and think before it sends the message.
            readable = require_readable(request)
            ARRIVAL.set(self._lag.arrival(HOLDER.get()))
            return await inner(readable, context)

        return self._map_errors_of(handler, behaviour)

    def _wrap_library(self, handler: Any) -> Any:
        """Wrap a handler of a library (health, reflection), which expects messages that could be read."""

        async def behaviour(request: Any, context: Any) -> Any:
            readable = require_readable(request)
            if not handler.request_streaming:
                return await (handler.unary_unary or handler.unary_stream)(readable, context)
            async for answer in handler.stream_stream(_require_each_readable(readable), context):
                await context.write(answer)
            return None

        return self._map_errors_of(handler, behaviour)

    def _map_errors_of(self, handler: Any, behaviour: Callable[[Any, Any], Awaitable[Any]]) -> Any:
        """Return a handler of the same kind that aborts with a mapped error if `behaviour` raises."""

        async def guarded(request: Any, context: Any) -> Any:
            try:
                return await behaviour(request, context)
            except (grpc.aio.AbortError, asyncio.CancelledError):
                raise
            except grpc.aio.InternalError:  # grpc raises this if the caller disconnects during a write.
                raise asyncio.CancelledError from None
            except Exception as why:
                await abort_with(context, self._map_error(why, getattr(request, "match_id", "")))

        make = {
            (False, False): grpc.unary_unary_rpc_method_handler,
            (False, True): grpc.unary_stream_rpc_method_handler,
            (True, True): grpc.stream_stream_rpc_method_handler,
        }[handler.request_streaming, handler.response_streaming]
        return make(
            guarded,
            self._make_deserializer(handler.request_deserializer, handler.request_streaming),
            partial(_serialize, handler.response_serializer),
        )

    def _make_deserializer(
        self, read: Callable[[bytes], Message], streaming: bool
    ) -> Callable[[bytes], Message | Unreadable]:
        """Return a deserializer that checks sizes; `streaming`: messages of `Play`, whose moves may be too long."""

        def reader(data: bytes) -> Message | Unreadable:
            if len(data) > self._max_message_bytes and not (streaming and is_large_by_moves(data)):
                return Unreadable(MessageTooLarge(len(data), self._max_message_bytes))
            try:
                message = read(data)
                check_fields(message)
            except DecodeError:
                return Unreadable(BadField("message", "it is not a valid encoding of this request"))
            except BadField as why:
                return Unreadable(why)
            return message

        return reader


def _serialize(serialize: Callable[[Any], bytes], message: Any) -> bytes:
    """Serialize a response, unless its service has encoded it already."""
    return message.encoded if type(message) is EncodedEntries else serialize(message)


def count_errors(count: Callable[[str], None]) -> ErrorMapper:
    """Return an error mapper that calls `count` with the reason of each error."""

    def map_error(why: Exception, match_id: str) -> WireError:
        error = to_wire_error(why, match_id) or _log_fault(why)
        count(error.reason)
        return error

    return map_error


def _log_fault(why: Exception) -> WireError:
    """Log an unexpected exception, and return an error that has only the id of the log line."""
    fault_id = token_hex(8)
    log.error("internal error", fault_id=fault_id, exc_info=why)
    return fault(fault_id)


async def abort_with(context: Any, error: WireError) -> None:
    """Abort the call with the status of the error."""
    details = ((STATUS_DETAILS, status_of(error).SerializeToString()),)
    await context.abort(CODES[error.code], error.sentence, details)
