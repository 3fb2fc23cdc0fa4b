"""Admission: authentication and rate limits, checked before the message of a call is read.

For a unary request, grpc reads the message before it calls the handler, and waits for it without a timeout. Therefore
every method is registered as a client stream, and the message is read here, with a deadline, after the token and the
limits of its holder were checked. The other interceptors and the services see methods as the contract defines them.

This is the first interceptor. It does not abort a rejected call but passes the error to `ErrorInterceptor`, the last
one, in place of the message, so that the interceptors between them, such as metrics, see every call.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import grpc
import grpc.aio
import structlog

from referee.accounts.account_errors import BadField
from referee.accounts.tokens import Role
from referee.live.loop_lag import HOLDER
from referee.transport.contract_options import FOREIGN_RULE, CallRule, rule_of
from referee.transport.forwarding.cluster_gate import CallForwarder, ClusterGate, Metadata
from referee.transport.forwarding.routes import Route
from referee.transport.guards.authentication import CALLER, Authenticator, Caller
from referee.transport.guards.caller_address import caller_address
from referee.transport.guards.open_calls import OpenCall, OpenCalls
from referee.transport.guards.public_reading import PUBLIC_TOKEN, PublicReading
from referee.transport.guards.rate_limit import RateLimiter
from referee.transport.guards.unauthenticated_calls import UnauthenticatedCalls
from referee.transport.wire.wire_errors import BadToken, NoToken, TooManyCallsInFlight


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Stands for a message that could not be read, or that was not read because its call is rejected."""

    why: Exception


class Admission(grpc.aio.ServerInterceptor):
    def __init__(
        self,
        authenticator: Authenticator,
        rate_limiter: RateLimiter,
        calls: OpenCalls,
        unauthenticated: UnauthenticatedCalls,
        message_timeout_ms: int,
        public_reading: PublicReading | None,
        recovered: asyncio.Event,
        gate: ClusterGate | None = None,
    ) -> None:
        """`message_timeout_ms`: deadline of the first message of a call. `public_reading`: None, it is off.

        Calls that need all matches and contests wait for `recovered`: those that the coordinator of a cluster answers.
        `gate`: None, there are no other nodes.
        """
        self._recovered = recovered
        self._forwarder = gate.forwarder if gate else None
        self._public_reading = public_reading
        self._authenticator = authenticator
        self._rate_limiter = rate_limiter
        self._calls = calls
        self._unauthenticated = unauthenticated
        self._message_timeout_ms = message_timeout_ms
        self._handlers: dict[str, Any] = dict(gate.handlers(calls, unauthenticated)) if gate else {}
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
        rule = rule_of(path)
        if self._forwarder and rule.route is not Route.LOCAL:
            return self._wrap_forwarding(handler, path, self._forwarder, rule)

        async def admitted(messages: Any, context: Any) -> Any:
            call = self._calls.begin(context, path.rpartition("/")[2])
            try:
                if rule.needs_token:
                    await self._admit(call, call.invocation_metadata(), rule)
                    await self._count_call(call, rule)
                else:
                    self._unauthenticated.admit(call)
                if rule.route is Route.COORDINATOR:
                    await self._recovered.wait()
            except asyncio.CancelledError:
                raise
            except Exception as why:
                messages = Unreadable(why)
            else:
                if not handler.request_streaming:
                    messages = await self._read_first_message(call)
                    self._count_bytes(messages)
                elif rule is FOREIGN_RULE:
                    messages = self._read_messages(call)
            try:
                return await behaviour(messages, call)
            finally:
                call.mark_answered()

        make = getattr(grpc, f"stream_{kind[1]}_rpc_method_handler")
        return make(admitted, handler.request_deserializer, handler.response_serializer)

    def _wrap_forwarding(self, handler: Any, path: str, forwarder: CallForwarder, rule: CallRule) -> Any:
        """Wrap a handler with one request, which is read as bytes, by one that first looks for the node that answers.

        What is open is limited on this node and on that one, but a call is counted once, on the node that answers.
        """
        streaming = handler.response_streaming
        behaviour = handler.unary_stream if streaming else handler.unary_unary
        forward: Any = forwarder.forward_stream if streaming else forwarder.forward

        async def admitted(_messages: Any, context: Any) -> Any:
            call = self._calls.begin(context, rule.method)
            message: Any = None
            try:
                metadata = call.invocation_metadata() or ()
                await self._admit_routed(call, metadata, path, forwarder, rule)
                node, request = await self._find_node(call, handler, rule, forwarder)
                if node:
                    return await self._forward(forward, call, rule, node, path, request, metadata)
                message = _parse(handler, request)
                self._count_bytes(message)
            except (asyncio.CancelledError, grpc.aio.AbortError):
                raise
            except grpc.aio.InternalError:  # grpc raises this if the caller disconnects during a write.
                raise asyncio.CancelledError from None
            except Exception as why:
                message = Unreadable(why)
            try:
                return await behaviour(message, call)
            finally:
                call.mark_answered()

        make = grpc.stream_stream_rpc_method_handler if streaming else grpc.stream_unary_rpc_method_handler
        return make(admitted, None, partial(_serialize, handler.response_serializer))

    async def _admit_routed(
        self, call: OpenCall, metadata: Metadata, path: str, forwarder: CallForwarder, rule: CallRule
    ) -> None:
        """Admit a call that may be forwarded, from here or to here. Raises the error by which it is rejected."""
        try:
            forwarder.read_header(path, metadata)
        except BadField:
            self._unauthenticated.admit(call)
            raise
        if rule.needs_token:
            await self._admit(call, metadata, rule)
        else:
            self._unauthenticated.admit(call)

    async def _find_node(
        self, call: OpenCall, handler: Any, rule: CallRule, forwarder: CallForwarder
    ) -> tuple[str | None, bytes | Unreadable]:
        """Read the request, and return it with the node that answers it; None: this node, which has counted the call.

        The call is counted before its request is read, unless that tells which node answers.
        """
        node, counted, route = None, False, rule.route
        if route is not Route.MATCH:
            node = forwarder.node_of(route, CALLER.get().bot if route is Route.BOT else "")
        if route is not Route.MATCH and not node:
            await self._count_call(call, rule)
            counted = True
        request = await self._read_first_message(call)
        if route is Route.MATCH and not isinstance(message := _parse(handler, request), Unreadable):
            node = forwarder.node_of(route, message.match_id)
        if node and forwarder.can_forward(request):
            return node, request
        if not counted:
            await self._count_call(call, rule)
        return None, request

    async def _forward(self, forward: Any, call: OpenCall, rule: CallRule, node: str, *sent: Any) -> Any:
        """Forward the call. A stream is counted as open on this node, too, and so ends with its token."""
        try:
            if not rule.is_stream:
                return await forward(call, node, *sent)
            async with self._rate_limiter.stream(CALLER.get()):
                return await forward(call, node, *sent)
        finally:
            call.mark_answered()

    async def _admit(self, call: OpenCall, metadata: Metadata, rule: CallRule) -> None:
        """Authenticate the call, and set CALLER. Raises the error by which the call is rejected."""
        authorization = _authorization(metadata)
        if self._public_reading and not authorization and Role.PUBLIC in rule.callers:
            self._admit_public(self._public_reading, call, rule)
            return
        caller = await self._authenticate(call, authorization, rule)
        HOLDER.set(caller.holder)
        owner = caller.budget_owner
        if not rule.is_move and not rule.is_stream:
            self._rate_limiter.begin_call(owner)
            call.at_end(lambda: self._rate_limiter.end_call(owner))
        CALLER.set(caller)
        structlog.contextvars.bind_contextvars(method=rule.method, token_id=caller.token.id)

    async def _count_call(self, call: OpenCall, rule: CallRule) -> None:
        """Count a call that this node answers, if it has a caller. Raises the error by which the call is rejected."""
        caller = CALLER.get(None)
        if caller is None or rule.is_move:
            return
        if self._public_reading and caller.role is Role.PUBLIC:
            self._public_reading.count_call(caller_address(call))
        else:
            await self._rate_limiter.count_call(caller.budget_owner)

    async def _authenticate(self, call: OpenCall, authorization: str, rule: CallRule) -> Caller:
        """Return the caller. The call counts as unauthenticated while a signature is verified, and if that fails."""
        if self._authenticator.must_verify(authorization):
            end_count = self._unauthenticated.admit(call)
            caller = await self._authenticator.caller(authorization, rule)
            end_count()
            return caller
        try:
            return await self._authenticator.caller(authorization, rule)
        except (NoToken, BadToken):
            self._unauthenticated.admit(call)
            raise

    def _admit_public(self, public: PublicReading, call: OpenCall, rule: CallRule) -> None:
        """Limit the open calls of the public, and set CALLER. Raises the error by which the call is rejected."""
        address = caller_address(call)
        if rule.is_stream:
            public.begin_stream(address)
            call.at_end(lambda: public.end_stream(address))
        else:
            self._unauthenticated.admit(call)
        CALLER.set(Caller(PUBLIC_TOKEN))
        structlog.contextvars.bind_contextvars(method=rule.method)

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
            self._unauthenticated.admit(call)
        except TooManyCallsInFlight as why:
            await call.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, str(why))
        await call.abort(grpc.StatusCode.UNIMPLEMENTED, "unknown method")


def require_readable(message: Any) -> Any:
    """Return the message, or the iterator of a stream of them. Raises the error for which it was not read."""
    if isinstance(message, Unreadable):
        raise message.why
    return message


def _parse(handler: Any, data: Any) -> Any:
    """Return the message; Unreadable if it could not be read, or cannot be parsed."""
    return data if isinstance(data, Unreadable) else handler.request_deserializer(data)


def _serialize(serialize: Callable[[Any], bytes], answer: Any) -> bytes:
    """Serialize a response, unless another node has done so."""
    return answer if type(answer) is bytes else serialize(answer)


def _authorization(metadata: Metadata | None) -> str:
    """Return the first `authorization` header; empty: there is none."""
    for name, value in metadata or ():
        if name == "authorization":
            return str(value)
    return ""
