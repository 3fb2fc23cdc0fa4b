"""The accounts of the bots on the embedded server."""

import grpc
from referee_api.v1 import bot_service_pb2
from referee_api.v1.bot_service_pb2_grpc import BotServiceStub
from referee_client import AsyncOrganiser

from referee.local.bot_pool import LABEL, BotAccounts
from referee.local.embedded_server import embedded
from tests.e2e.server import bearer
from tests.live.runner_harness import in_loop


@in_loop
async def test_every_bot_has_its_own_holder_and_thus_its_own_rate_limit() -> None:
    bots = ["anna", "admin"]
    async with embedded(60, patient=False) as server, AsyncOrganiser(server.grpc, server.admin_token) as organiser:
        accounts = BotAccounts(organiser)
        secrets = [await accounts.register(bot) for bot in [*bots, "anna"]]
        tokens = [token async for token in organiser.administration.tokens()]
        async with grpc.aio.insecure_channel(server.grpc) as channel:
            for bot, secret in zip([*bots, "anna"], secrets, strict=True):
                await BotServiceStub(channel).GetBot(bot_service_pb2.GetBotRequest(name=bot), metadata=bearer(secret))
    holders = [(token.bot, token.holder) for token in tokens if token.label == LABEL]
    assert sorted(holders) == [("admin", "bot admin"), ("anna", "bot anna"), ("anna", "bot anna")]
    assert len(set(secrets)) == 3
