"""The door that every call passes: who is it, may it, what does it say; and how it is told no.

Behind it servicers raise refusals, and know nothing of status codes.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from secrets import token_hex
from typing import Any

import grpc
import structlog
from google.protobuf.message import DecodeError, Message

from referee.app.refusals import BadField
from referee.transport.auth import CALLER, Gate
from referee.transport.quota import Allowances
from referee.transport.refusals import Said, fault, said, status_of
from referee.transport.refused import MessageTooLarge

PACKAGE = "referee_api.v1."
UNCOUNTED = frozenset({"SubmitMove"})
"""A move on its clock costs no call."""

CODES = {code.value[0]: code for code in grpc.StatusCode}
DETAILS = "grpc-status-details-bin"

log = structlog.get_logger("referee.transport")


@dataclass(frozen=True, slots=True)
class Unreadable:
    """What came instead of a message."""

    why: Exception


def readable(message: Any) -> Any:
    """The message itself. Raises MessageTooLarge or BadField if it was none."""
    if isinstance(message, Unreadable):
        raise message.why
    return message


class Door(grpc.aio.ServerInterceptor):
    """For the services of our package. Health and reflection are open to all."""

    def __init__(
        self, gate: Gate, allowances: Allowances, message_at_most_bytes: int, refused: Callable[[str], None]
    ) -> None:
        """`refused` is told the reason of every refusal that ends a call."""
        self._refused = refused
        self._gate = gate
        self._allowances = allowances
        self._message_at_most_bytes = message_at_most_bytes
        self._guarded: dict[str, grpc.RpcMethodHandler[Any, Any]] = {}

    async def intercept_service(self, continuation: Any, handler_call_details: Any) -> Any:
        path = handler_call_details.method
        if not path.startswith(f"/{PACKAGE}"):
            return await continuation(handler_call_details)
        if path not in self._guarded:
            handler = await continuation(handler_call_details)
            if handler is None:
                return None
            service, _, method = path.removeprefix(f"/{PACKAGE}").partition("/")
            self._guarded[path] = self._guard(handler, service, method)
        return self._guarded[path]

    def _guard(self, handler: Any, service: str, method: str) -> Any:
        inner = handler.unary_unary or handler.unary_stream or handler.stream_stream

        async def guarded(request: Any, context: Any) -> Any:
            return await self._pass(inner, request, context, service, method)

        make = {
            (False, False): grpc.unary_unary_rpc_method_handler,
            (False, True): grpc.unary_stream_rpc_method_handler,
            (True, True): grpc.stream_stream_rpc_method_handler,
        }[handler.request_streaming, handler.response_streaming]
        return make(guarded, self._reader(handler.request_deserializer), handler.response_serializer)

    async def _pass(
        self, inner: Callable[[Any, Any], Awaitable[Any]], request: Any, context: Any, service: str, method: str
    ) -> Any:
        try:
            caller = await self._gate.caller(_authorization(context), service, method)
            if method not in UNCOUNTED:
                await self._allowances.count_call(caller.holder)
            CALLER.set(caller)
            structlog.contextvars.bind_contextvars(method=method, token_id=caller.token.id)
            return await inner(readable(request), context)
        except (grpc.aio.AbortError, asyncio.CancelledError):
            raise
        except Exception as why:
            told = said_or_fault(why, getattr(request, "match_id", ""))
            self._refused(told.reason)
            await _refuse(context, told)

    def _reader(self, read: Callable[[bytes], Message]) -> Callable[[bytes], Message | Unreadable]:
        def reader(data: bytes) -> Message | Unreadable:
            if len(data) > self._message_at_most_bytes:
                return Unreadable(MessageTooLarge(len(data), self._message_at_most_bytes))
            try:
                return read(data)
            except DecodeError:
                return Unreadable(BadField("message", "it cannot be read as this request"))

        return reader


def said_or_fault(why: Exception, match_id: str = "") -> Said:
    """The refusal in the words of the contract; a bug of ours goes to the log, and its number to the caller."""
    told = said(why, match_id)
    if told:
        return told
    fault_id = token_hex(8)
    log.error("the referee broke down", fault_id=fault_id, exc_info=why)
    return fault(fault_id)


async def _refuse(context: Any, told: Said) -> None:
    details = ((DETAILS, status_of(told).SerializeToString()),)
    await context.abort(CODES[told.code], told.sentence, details)


def _authorization(context: Any) -> str:
    """What the call says for itself; of several, the first."""
    for name, value in context.invocation_metadata() or ():
        if name == "authorization":
            return str(value)
    return ""
