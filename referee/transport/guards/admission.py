"""Admission: authentication and rate limits, checked before the message of a call is read.

For a unary request, grpc reads the message before it calls the handler, and waits for it without a timeout. Therefore
every method is registered as a client stream, and the message is read here, with a deadline, after the token and the
limits of its holder were checked. The other interceptors and the services see methods as the contract defines them.

This is the first interceptor. It does not abort a rejected call but passes the error to `ErrorInterceptor`, the last
one, so that the interceptors between them, such as metrics, see every call.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from contextvars import ContextVar
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any
from urllib.parse import unquote

import grpc
import grpc.aio
import structlog

from referee.accounts.account_errors import BadField
from referee.accounts.tokens import Role
from referee.live.loop_lag import HOLDER
from referee.transport.guards.authentication import CALLER, PACKAGE, TOKENLESS, Authenticator, Caller, may_call
from referee.transport.guards.open_calls import OpenCall, OpenCalls
from referee.transport.guards.public_reading import PUBLIC_TOKEN, PublicReading
from referee.transport.guards.rate_limit import RateLimiter
from referee.wire.wire_errors import BadToken, NoToken, TooManyCallsInFlight

UNMETERED = frozenset({"SubmitMove"})
"""Moves do not count as calls, because a clock may be running. With `validate_only` the servicer counts the call."""
STREAMS = frozenset({"Play", "WatchMatch", "WatchLadder", "WatchTournament"})
"""Long streams have a quota of their own and are not counted as calls in flight."""

REJECTION: ContextVar[Exception | None] = ContextVar("rejection", default=None)
"""Error by which the current call is rejected; None: it is admitted."""

IPV6_PREFIX = 64
"""Addresses of one /64 network count as one, because a single customer has at least that much."""
RESET_FACTOR = 2
"""Beyond this multiple of the limit a call is reset: an error would use memory until the caller reads it."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Stands for a message that could not be read."""

    why: Exception


class CallMustBeReset(Exception):
    """The limit is exceeded so far that the call must be reset without an answer."""


class UnauthenticatedCalls:
    """Limits of concurrent calls without a valid token: for each address and in total."""

    def __init__(self, max_calls: int, max_calls_per_address: int) -> None:
        self._max_calls = max_calls
        self._max_calls_per_address = max_calls_per_address
        self._by_address: Counter[str] = Counter()
        self._open = 0

    def begin_call(self, address: str) -> None:
        """Count a call until `end_call`, even if this raises TooManyCallsInFlight or CallMustBeReset."""
        self._by_address[address] += 1
        self._open += 1
        for calls, limit in ((self._by_address[address], self._max_calls_per_address), (self._open, self._max_calls)):
            if calls > RESET_FACTOR * limit:
                raise CallMustBeReset
            if calls > limit:
                raise TooManyCallsInFlight(limit)

    def end_call(self, address: str) -> None:
        self._open -= 1
        self._by_address[address] -= 1
        if not self._by_address[address]:
            del self._by_address[address]


class Admission(grpc.aio.ServerInterceptor):
    def __init__(
        self,
        authenticator: Authenticator,
        rate_limiter: RateLimiter,
        calls: OpenCalls,
        unauthenticated: UnauthenticatedCalls,
        message_timeout_ms: int,
        public_reading: PublicReading | None,
    ) -> None:
        """`message_timeout_ms`: deadline of the first message of a call. `public_reading`: None, it is off."""
        self._public_reading = public_reading
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
            self._handlers[path] = self._wrap_admission(handler, path)
        return self._handlers[path]

    def _wrap_admission(self, handler: Any, path: str) -> Any:
        """Wrap a handler by one that takes a stream of requests and admits the call first."""
        kind = ("stream" if handler.request_streaming else "unary", "stream" if handler.response_streaming else "unary")
        behaviour = getattr(handler, "_".join(kind))
        package, _, name = path.strip("/").rpartition(".")
        service, _, method = name.partition("/")
        is_ours = f"{package}." == PACKAGE

        async def admitted(messages: Any, context: Any) -> Any:
            call = self._calls.begin(context, method)
            try:
                if is_ours and method not in TOKENLESS:
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
                    messages = await self._read_first_message(call)
                    self._count_bytes(messages)
                elif not is_ours:
                    messages = self._read_messages(call)
            try:
                return await behaviour(messages, call)
            finally:
                call.mark_answered()

        make = getattr(grpc, f"stream_{kind[1]}_rpc_method_handler")
        return make(admitted, handler.request_deserializer, handler.response_serializer)

    async def _admit(self, call: OpenCall, service: str, method: str) -> None:
        """Authenticate the call, count it, and set CALLER. Raises the error by which the call is rejected."""
        authorization = _authorization(call)
        if self._public_reading and not authorization and may_call(Role.PUBLIC, service, method):
            self._admit_public(self._public_reading, call, method)
            return
        caller = await self._authenticate(call, authorization, service, method)
        HOLDER.set(caller.holder)
        owner = caller.budget_owner
        if method not in UNMETERED | STREAMS:
            self._rate_limiter.begin_call(owner)
            call.at_end(lambda: self._rate_limiter.end_call(owner))
        if method not in UNMETERED:
            await self._rate_limiter.count_call(owner)
        CALLER.set(caller)
        structlog.contextvars.bind_contextvars(method=method, token_id=caller.token.id)

    async def _authenticate(self, call: OpenCall, authorization: str, service: str, method: str) -> Caller:
        """Return the caller. The call counts as unauthenticated while a signature is verified, and if that fails."""
        if self._authenticator.must_verify(authorization):
            end_count = self._admit_unauthenticated(call)
            caller = await self._authenticator.caller(authorization, service, method)
            end_count()
            return caller
        try:
            return await self._authenticator.caller(authorization, service, method)
        except (NoToken, BadToken):
            self._admit_unauthenticated(call)
            raise

    def _admit_public(self, public: PublicReading, call: OpenCall, method: str) -> None:
        """Count a call of the public, and set CALLER. Raises the error by which the call is rejected."""
        address = address_of(call.peer())
        if method not in STREAMS:
            self._admit_unauthenticated(call)
        public.count_call(address)
        if method in STREAMS:
            public.begin_stream(address)
            call.at_end(lambda: public.end_stream(address))
        CALLER.set(Caller(PUBLIC_TOKEN))
        structlog.contextvars.bind_contextvars(method=method)

    def _admit_unauthenticated(self, call: OpenCall) -> Callable[[], None]:
        """Count a call without a valid token until its end, or until the returned function is called.

        Raises TooManyCallsInFlight; far beyond the limit the call is reset.
        """
        address = address_of(call.peer())
        counted = ExitStack()
        counted.callback(self._unauthenticated.end_call, address)
        call.at_end(counted.close)
        try:
            self._unauthenticated.begin_call(address)
        except CallMustBeReset:
            call.reset()
            raise asyncio.CancelledError from None
        return counted.close

    async def _read_first_message(self, call: OpenCall) -> Any:
        """Read the first message; Unreadable if there is none in time."""
        try:
            async with asyncio.timeout(self._message_timeout_ms / 1_000):
                message = await call.read()
        except TimeoutError:
            return Unreadable(BadField("message", f"no message received within {self._message_timeout_ms} ms"))
        return (
            Unreadable(BadField("message", "the call has no request message")) if message is grpc.aio.EOF else message
        )

    def _count_bytes(self, message: Any) -> None:
        """Count the size of a request for its caller. Moves are counted too, though never refused for it."""
        caller = CALLER.get(None)
        if caller and not isinstance(message, Unreadable):
            self._rate_limiter.count_bytes(caller.budget_owner, message.ByteSize())

    async def _read_messages(self, call: OpenCall) -> AsyncIterator[Any]:
        """Yield the messages of an unauthenticated stream, which ends when the next one is not received in time."""
        message = await self._read_first_message(call)
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


def require_readable(message: Any) -> Any:
    """Return the message. Raises the error by which it could not be read."""
    if isinstance(message, Unreadable):
        raise message.why
    return message


def require_admission() -> None:
    """Raise the error by which the current call is rejected, if it is."""
    if why := REJECTION.get():
        raise why


def _authorization(context: Any) -> str:
    """Return the first `authorization` header; empty: there is none."""
    for name, value in context.invocation_metadata() or ():
        if name == "authorization":
            return str(value)
    return ""


def address_of(peer: str) -> str:
    """Parse a peer name of grpc, such as `ipv4:10.0.0.1:4711`, to an address; IPv6: to its network."""
    host = unquote(peer).partition(":")[2].rpartition(":")[0].strip("[]")
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return peer.partition(":")[0]  # Such as `unix`.
    if isinstance(address, IPv6Address):
        return str(ip_network((address, IPV6_PREFIX), strict=False))
    return str(address)
