"""TokenService: what callers can learn about their own tokens and quota."""

from typing import Any

import grpc.aio
from referee_api.v1 import token_service_pb2 as pb
from referee_api.v1.token_service_pb2_grpc import TokenServiceServicer, add_TokenServiceServicer_to_server

from referee.transport.guards.authentication import CALLER
from referee.transport.services.holder_usage import HolderUsage
from referee.transport.wire.accounts import token_of


class OwnTokens(TokenServiceServicer):
    def __init__(self, holder_usage: HolderUsage) -> None:
        self._holder_usage = holder_usage

    def add_to(self, server: grpc.aio.Server) -> None:
        add_TokenServiceServicer_to_server(self, server)

    async def GetOwnToken(self, request: pb.GetOwnTokenRequest, context: Any) -> pb.GetOwnTokenResponse:
        return pb.GetOwnTokenResponse(token=token_of(CALLER.get().token))

    async def GetOwnQuota(self, request: pb.GetOwnQuotaRequest, context: Any) -> pb.GetOwnQuotaResponse:
        return pb.GetOwnQuotaResponse(quota=await self._holder_usage.quota_of(CALLER.get().holder))
