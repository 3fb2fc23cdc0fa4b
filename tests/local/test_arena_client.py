"""The client of the embedded server."""

import grpc
from referee_api.v1 import admin_service_pb2, bot_service_pb2
from referee_api.v1.admin_service_pb2_grpc import AdminServiceStub
from referee_api.v1.bot_service_pb2_grpc import BotServiceStub

from referee.local.arena_client import ArenaClient
from referee.local.embedded_server import embedded
from referee.local.entrant import read_entrant
from tests.e2e.server import bearer
from tests.live.runner_harness import in_loop


@in_loop
async def test_every_entrant_has_its_own_holder_and_thus_its_own_rate_limit() -> None:
    anna, admin = read_entrant("anna=random"), read_entrant("admin=random")
    bots = [anna.instance_name(1), anna.instance_name(2), admin.instance_name(1)]
    async with embedded(60, patient=False) as server, ArenaClient(server.grpc, server.admin_token) as client:
        secrets = [await client.register(bot) for bot in bots]
        secrets += [await client.register(anna.instance_name(1))]
        async with grpc.aio.insecure_channel(server.grpc) as channel:
            request = admin_service_pb2.ListTokensRequest()
            tokens = (await AdminServiceStub(channel).ListTokens(request, metadata=bearer(server.admin_token))).tokens
            for bot, secret in zip([*bots, anna.instance_name(1)], secrets, strict=True):
                await BotServiceStub(channel).GetBot(bot_service_pb2.GetBotRequest(name=bot), metadata=bearer(secret))
    holders = {(token.bot, token.holder) for token in tokens if token.label == "arena"}
    assert holders == {(bots[0], "bot anna"), (bots[1], "bot anna"), (bots[2], "bot admin")}
    assert len(set(secrets)) == 4
