"""Admission: what is settled about a call before its message is read.

grpc reads the message of a call that is no stream before it asks any handler, for as long as the caller likes. So every
method is served by a handler that takes a stream, and the message is read here: after the token was checked, by the
metadata alone, and the limits of its holder; and within a deadline. Other interceptors, and the services, see methods
as the contract has them.

It is the first of the interceptors. What it refuses it hands on to the `Door`, the last one, so that those between see
every call.
"""

import asyncio
from collections.abc import AsyncIterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import grpc
import grpc.aio
import structlog

from referee.app.lag import HOLDER
from referee.app.refusals import BadField
from referee.transport.auth import CALLER, Gate
from referee.transport.open_calls import OpenCall, OpenCalls
from referee.transport.quota import Allowances
from referee.transport.refused import BadToken, NoToken, TooManyCallsInFlight
from referee.transport.strangers import Crowd, Strangers, address_of

PACKAGE = "referee_api.v1."
UNCOUNTED = frozenset({"SubmitMove"})
"""A move costs no call, for it may be on its clock; to ask about one does, and is counted where that is known."""
STREAMS = frozenset({"Play", "WatchMatch", "WatchLadder", "WatchTournament"})
"""They have a quota of their own, and are not counted as calls in flight."""

REFUSED: ContextVar[Exception | None] = ContextVar("refused", default=None)
"""Why the call that is being answered is refused, if it is."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """What came instead of a message."""

    why: Exception


class Admission(grpc.aio.ServerInterceptor):
    def __init__(
        self, gate: Gate, allowances: Allowances, calls: OpenCalls, strangers: Strangers, message_within_ms: int
    ) -> None:
        """`message_within_ms`: how long the first message of a call may take."""
        self._gate = gate
        self._allowances = allowances
        self._calls = calls
        self._strangers = strangers
        self._message_within_ms = message_within_ms
        self._handlers: dict[str, Any] = {}
        self._unserved: Any = grpc.stream_unary_rpc_method_handler(self._refuse_unserved)

    async def intercept_service(self, continuation: Any, handler_call_details: Any) -> Any:
        path = handler_call_details.method
        if path not in self._handlers:
            handler = await continuation(handler_call_details)
            if handler is None:
                return self._unserved  # Not kept: strangers choose the path.
            self._handlers[path] = self._admitting(handler, path)
        return self._handlers[path]

    def _admitting(self, handler: Any, path: str) -> Any:
        """A handler that takes a stream, whatever the one behind it takes."""
        kind = ("stream" if handler.request_streaming else "unary", "stream" if handler.response_streaming else "unary")
        behaviour = getattr(handler, "_".join(kind))
        package, _, name = path.strip("/").rpartition(".")
        service, _, method = name.partition("/")
        ours = f"{package}." == PACKAGE

        async def admitted(messages: Any, context: Any) -> Any:
            call = self._calls.begin(context, method)
            try:
                if ours:
                    await self._admit(call, service, method)
                else:
                    self._admit_stranger(call)
            except asyncio.CancelledError:
                raise
            except Exception as why:
                REFUSED.set(why)
                messages = None
            else:
                if not handler.request_streaming:
                    messages = await self._first(call)
                elif not ours:
                    messages = self._each(call)
            try:
                return await behaviour(messages, call)
            finally:
                call.answering()

        make = getattr(grpc, f"stream_{kind[1]}_rpc_method_handler")
        return make(admitted, handler.request_deserializer, handler.response_serializer)

    async def _admit(self, call: OpenCall, service: str, method: str) -> None:
        """Sets CALLER. Raises why the call is refused."""
        try:
            caller = await self._gate.caller(_authorization(call), service, method)
        except (NoToken, BadToken):
            self._admit_stranger(call)
            raise
        HOLDER.set(caller.holder)
        if method not in UNCOUNTED | STREAMS:
            self._allowances.begin_call(caller.holder)
            call.at_end(lambda: self._allowances.end_call(caller.holder))
        if method not in UNCOUNTED:
            await self._allowances.count_call(caller.holder)
        CALLER.set(caller)
        structlog.contextvars.bind_contextvars(method=method, token_id=caller.token.id)

    def _admit_stranger(self, call: OpenCall) -> None:
        """Raises TooManyCallsInFlight. Of a whole crowd, the call is reset."""
        address = address_of(call.peer())
        call.at_end(lambda: self._strangers.leave(address))
        try:
            self._strangers.come(address)
        except Crowd:
            call.reset()
            raise asyncio.CancelledError from None

    async def _first(self, call: OpenCall) -> Any:
        """The message of a call that is no stream, or Unreadable."""
        try:
            async with asyncio.timeout(self._message_within_ms / 1_000):
                message = await call.read()
        except TimeoutError:
            return Unreadable(BadField("message", f"it has not come within {self._message_within_ms} ms"))
        return Unreadable(BadField("message", "there is none")) if message is grpc.aio.EOF else message

    async def _each(self, call: OpenCall) -> AsyncIterator[Any]:
        """The messages of a stranger's stream, which ends where the next one does not come in time."""
        message = await self._first(call)
        while message is not grpc.aio.EOF:
            yield message
            try:
                async with asyncio.timeout(self._message_within_ms / 1_000):
                    message = await call.read()
            except TimeoutError:
                return

    async def _refuse_unserved(self, _messages: Any, context: Any) -> None:
        call = self._calls.begin(context, "")
        try:
            self._admit_stranger(call)
        except TooManyCallsInFlight as why:
            await call.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, str(why))
        await call.abort(grpc.StatusCode.UNIMPLEMENTED, "this referee has no such method")


def readable(message: Any) -> Any:
    """The message itself. Raises why there is none."""
    if isinstance(message, Unreadable):
        raise message.why
    return message


def need_admission() -> None:
    """Raises why the call that is being answered is refused, if it is."""
    if why := REFUSED.get():
        raise why


def _authorization(context: Any) -> str:
    """What the call says for itself; of several, the first."""
    for name, value in context.invocation_metadata() or ():
        if name == "authorization":
            return str(value)
    return ""
