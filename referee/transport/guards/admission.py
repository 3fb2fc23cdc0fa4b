"""Admission: authentication and rate limits, checked before the message of a call is read.

For a unary request, grpc reads the message before it calls the handler, and waits for it without a timeout. Therefore
every method is registered as a client stream, and the message is read here, with a deadline, after the token and the
limits of its holder were checked. The other interceptors and the services see methods as the contract defines them.

This is the first interceptor. It does not abort a rejected call but passes the error to `ErrorInterceptor`, the last
one, so that the interceptors between them, such as metrics, see every call.
"""

import asyncio
from collections.abc import AsyncIterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import grpc
import grpc.aio
import structlog

from referee.accounts.account_errors import BadField
from referee.live.loop_lag import HOLDER
from referee.transport.guards.authentication import CALLER, PACKAGE, Authenticator
from referee.transport.guards.open_calls import OpenCall, OpenCalls
from referee.transport.guards.rate_limit import RateLimiter
from referee.transport.guards.unauthenticated_calls import CallMustBeReset, UnauthenticatedCalls, address_of
from referee.wire.wire_errors import BadToken, NoToken, TooManyCallsInFlight

UNMETERED = frozenset({"SubmitMove"})
"""Moves do not count as calls, because a clock may be running. With `validate_only` the servicer counts the call."""
STREAMS = frozenset({"Play", "WatchMatch", "WatchLadder", "WatchTournament"})
"""Long streams have a quota of their own and are not counted as calls in flight."""

REJECTION: ContextVar[Exception | None] = ContextVar("rejection", default=None)
"""Error by which the current call is rejected; None: it is admitted."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Stands for a message that could not be read."""

    why: Exception


class Admission(grpc.aio.ServerInterceptor):
    def __init__(
        self,
        authenticator: Authenticator,
        rate_limiter: RateLimiter,
        calls: OpenCalls,
        unauthenticated: UnauthenticatedCalls,
        message_timeout_ms: int,
    ) -> None:
        """`message_timeout_ms`: deadline of the first message of a call."""
        self._authenticator = authenticator
        self._rate_limiter = rate_limiter
        self._calls = calls
        self._unauthenticated = unauthenticated
        self._message_timeout_ms = message_timeout_ms
        self._handlers: dict[str, Any] = {}
        self._unserved: Any = grpc.stream_unary_rpc_method_handler(self._reject_unserved)

    async def intercept_service(self, continuation: Any, handler_call_details: Any) -> Any:
        path = handler_call_details.method
        if path not in self._handlers:
            handler = await continuation(handler_call_details)
            if handler is None:
                return self._unserved  # Not cached: unauthenticated callers choose the path.
            self._handlers[path] = self._admitting(handler, path)
        return self._handlers[path]

    def _admitting(self, handler: Any, path: str) -> Any:
        """Wrap a handler by one that takes a stream of requests and admits the call first."""
        kind = ("stream" if handler.request_streaming else "unary", "stream" if handler.response_streaming else "unary")
        behaviour = getattr(handler, "_".join(kind))
        package, _, name = path.strip("/").rpartition(".")
        service, _, method = name.partition("/")
        is_ours = f"{package}." == PACKAGE

        async def admitted(messages: Any, context: Any) -> Any:
            call = self._calls.begin(context, method)
            try:
                if is_ours:
                    await self._admit(call, service, method)
                else:
                    self._admit_unauthenticated(call)
            except asyncio.CancelledError:
                raise
            except Exception as why:
                REJECTION.set(why)
                messages = None
            else:
                if not handler.request_streaming:
                    messages = await self._first_message(call)
                elif not is_ours:
                    messages = self._each_message(call)
            try:
                return await behaviour(messages, call)
            finally:
                call.mark_answered()

        make = getattr(grpc, f"stream_{kind[1]}_rpc_method_handler")
        return make(admitted, handler.request_deserializer, handler.response_serializer)

    async def _admit(self, call: OpenCall, service: str, method: str) -> None:
        """Authenticate the call, count it, and set CALLER. Raises the error by which the call is rejected."""
        try:
            caller = await self._authenticator.caller(_authorization(call), service, method)
        except (NoToken, BadToken):
            self._admit_unauthenticated(call)
            raise
        HOLDER.set(caller.holder)
        if method not in UNMETERED | STREAMS:
            self._rate_limiter.begin_call(caller.holder)
            call.at_end(lambda: self._rate_limiter.end_call(caller.holder))
        if method not in UNMETERED:
            await self._rate_limiter.count_call(caller.holder)
        CALLER.set(caller)
        structlog.contextvars.bind_contextvars(method=method, token_id=caller.token.id)

    def _admit_unauthenticated(self, call: OpenCall) -> None:
        """Count a call without a valid token. Raises TooManyCallsInFlight; far beyond the limit the call is reset."""
        address = address_of(call.peer())
        call.at_end(lambda: self._unauthenticated.end_call(address))
        try:
            self._unauthenticated.begin_call(address)
        except CallMustBeReset:
            call.reset()
            raise asyncio.CancelledError from None

    async def _first_message(self, call: OpenCall) -> Any:
        """Read the first message; Unreadable if there is none in time."""
        try:
            async with asyncio.timeout(self._message_timeout_ms / 1_000):
                message = await call.read()
        except TimeoutError:
            return Unreadable(BadField("message", f"no message received within {self._message_timeout_ms} ms"))
        return (
            Unreadable(BadField("message", "the call has no request message")) if message is grpc.aio.EOF else message
        )

    async def _each_message(self, call: OpenCall) -> AsyncIterator[Any]:
        """Yield the messages of an unauthenticated stream, which ends when the next one is not received in time."""
        message = await self._first_message(call)
        while message is not grpc.aio.EOF:
            yield message
            try:
                async with asyncio.timeout(self._message_timeout_ms / 1_000):
                    message = await call.read()
            except TimeoutError:
                return

    async def _reject_unserved(self, _messages: Any, context: Any) -> None:
        call = self._calls.begin(context, "")
        try:
            self._admit_unauthenticated(call)
        except TooManyCallsInFlight as why:
            await call.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, str(why))
        await call.abort(grpc.StatusCode.UNIMPLEMENTED, "unknown method")


def readable(message: Any) -> Any:
    """Return the message. Raises the error by which it could not be read."""
    if isinstance(message, Unreadable):
        raise message.why
    return message


def need_admission() -> None:
    """Raise the error by which the current call is rejected, if it is."""
    if why := REJECTION.get():
        raise why


def _authorization(context: Any) -> str:
    """Return the first `authorization` header; empty: there is none."""
    for name, value in context.invocation_metadata() or ():
        if name == "authorization":
            return str(value)
    return ""
