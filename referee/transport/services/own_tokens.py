"""TokenService: what callers can learn about their own tokens."""

from typing import Any

import grpc.aio
from referee_api.v1 import token_service_pb2 as pb
from referee_api.v1.token_service_pb2_grpc import TokenServiceServicer, add_TokenServiceServicer_to_server

from referee.transport.guards.authentication import CALLER
from referee.transport.wire.accounts import token_of


class OwnTokens(TokenServiceServicer):
    def add_to(self, server: grpc.aio.Server) -> None:
        add_TokenServiceServicer_to_server(self, server)

    async def GetOwnToken(self, request: pb.GetOwnTokenRequest, context: Any) -> pb.GetOwnTokenResponse:
        return pb.GetOwnTokenResponse(token=token_of(CALLER.get().token))
