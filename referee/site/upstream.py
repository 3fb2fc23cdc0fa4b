"""Calls of the referee by the site.

The site has no other source than the contract, and a token of a spectator: what it does not receive it cannot show. For
the pages of accounts, it calls with the token of the visitor.
"""

from collections.abc import AsyncGenerator
from http import HTTPStatus
from typing import Any, TypeVar

import grpc
import grpc.aio
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from referee_api.v1 import (
    admin_service_pb2,
    bot_service_pb2,
    game_service_pb2,
    invitation_service_pb2,
    ladder_pb2,
    ladder_service_pb2,
    match_pb2,
    match_service_pb2,
    token_service_pb2,
    tournament_pb2,
    tournament_service_pb2,
)
from referee_client.errors import call_error

R = TypeVar("R", bound=Message)

TIMEOUT_S = 15.0
"""Timeout of a call that has one response."""

STATUSES = {
    grpc.StatusCode.INVALID_ARGUMENT: HTTPStatus.BAD_REQUEST,
    grpc.StatusCode.FAILED_PRECONDITION: HTTPStatus.CONFLICT,
    grpc.StatusCode.ABORTED: HTTPStatus.CONFLICT,
    grpc.StatusCode.ALREADY_EXISTS: HTTPStatus.CONFLICT,
    grpc.StatusCode.OUT_OF_RANGE: HTTPStatus.BAD_REQUEST,
    grpc.StatusCode.UNAUTHENTICATED: HTTPStatus.UNAUTHORIZED,
    grpc.StatusCode.PERMISSION_DENIED: HTTPStatus.FORBIDDEN,
    grpc.StatusCode.NOT_FOUND: HTTPStatus.NOT_FOUND,
    grpc.StatusCode.RESOURCE_EXHAUSTED: HTTPStatus.TOO_MANY_REQUESTS,
    grpc.StatusCode.UNIMPLEMENTED: HTTPStatus.NOT_IMPLEMENTED,
    grpc.StatusCode.DEADLINE_EXCEEDED: HTTPStatus.GATEWAY_TIMEOUT,
    grpc.StatusCode.UNAVAILABLE: HTTPStatus.SERVICE_UNAVAILABLE,
}
"""HTTP status for each status of gRPC; all others are errors of the referee."""

SERVICES = (
    match_service_pb2,
    bot_service_pb2,
    ladder_service_pb2,
    tournament_service_pb2,
    game_service_pb2,
    invitation_service_pb2,
    token_service_pb2,
    admin_service_pb2,
)
METHODS: dict[str, MethodDescriptor] = {
    method.input_type.full_name: method
    for module in SERVICES
    for service in module.DESCRIPTOR.services_by_name.values()
    for method in service.methods
}
"""Methods by the name of their request, since no two share one."""


class UpstreamError(Exception):
    """The referee rejected a call, or cannot be reached."""

    def __init__(self, status: HTTPStatus, reason: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason
        """Upper-case name from the contract, such as `NO_SUCH_MATCH`."""
        self.message = message

    @property
    def is_temporary(self) -> bool:
        """Whether the same call can succeed later."""
        return self.status >= HTTPStatus.INTERNAL_SERVER_ERROR or self.status == HTTPStatus.TOO_MANY_REQUESTS


class Upstream:
    """The referee, as the holder of one token sees it."""

    def __init__(self, channel: grpc.aio.Channel, token: str) -> None:
        """`channel` is closed by the caller."""
        self._channel = channel
        self._token = token
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()

    def with_token(self, token: str) -> "Upstream":
        """Return the referee as the holder of another token sees it."""
        return Upstream(self._channel, token)

    async def call(self, request: Message, response: type[R]) -> R:
        """Call the method that takes this request. Raises UpstreamError."""
        method = METHODS[request.DESCRIPTOR.full_name]
        assert method.output_type is response.DESCRIPTOR, method.full_name
        unary: Any = self._channel.unary_unary(
            _path(method), request_serializer=type(request).SerializeToString, response_deserializer=response.FromString
        )
        try:
            answer: R = await unary(request, timeout=TIMEOUT_S, metadata=self._metadata)
        except grpc.aio.AioRpcError as error:
            raise _upstream_error(error) from None
        return answer

    async def find_match(self, match_id: str) -> match_pb2.Match:
        """Raises UpstreamError."""
        request = match_service_pb2.GetMatchRequest(match_id=match_id)
        return (await self.call(request, match_service_pb2.GetMatchResponse)).match

    async def find_tournament(self, name: str) -> tournament_pb2.Tournament:
        """Raises UpstreamError."""
        request = tournament_service_pb2.GetTournamentRequest(name=name)
        return (await self.call(request, tournament_service_pb2.GetTournamentResponse)).tournament

    async def find_ladder(self, name: str) -> ladder_pb2.Ladder:
        """Raises UpstreamError."""
        request = ladder_service_pb2.GetLadderRequest(name=name)
        return (await self.call(request, ladder_service_pb2.GetLadderResponse)).ladder

    async def stream(self, request: Message, response: type[R]) -> AsyncGenerator[R, None]:
        """Yield the responses of the method that takes this request. Raises UpstreamError."""
        method = METHODS[request.DESCRIPTOR.full_name]
        assert method.output_type is response.DESCRIPTOR, method.full_name
        unary: Any = self._channel.unary_stream(
            _path(method), request_serializer=type(request).SerializeToString, response_deserializer=response.FromString
        )
        stream = unary(request, metadata=self._metadata)
        try:
            async for answer in stream:
                yield answer
        except grpc.aio.AioRpcError as error:
            raise _upstream_error(error) from None
        finally:
            stream.cancel()


def response_class(method: MethodDescriptor) -> type[Message]:
    return GetMessageClass(method.output_type)


def _path(method: MethodDescriptor) -> str:
    return f"/{method.containing_service.full_name}/{method.name}"


def _upstream_error(error: grpc.aio.AioRpcError) -> UpstreamError:
    status = STATUSES.get(error.code(), HTTPStatus.INTERNAL_SERVER_ERROR)
    refusal = call_error(error).refusal
    # Without a reason of the referee, the status code is the reason, and the message is gRPC's own.
    is_own = refusal.reason != error.code().name
    return UpstreamError(status, refusal.reason, refusal.message if is_own else "The referee cannot be reached.")
