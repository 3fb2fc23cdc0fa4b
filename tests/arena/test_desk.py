"""What an arena asks of its referee."""

import grpc
from referee_api.v1 import admin_service_pb2, bot_service_pb2
from referee_api.v1.admin_service_pb2_grpc import AdminServiceStub
from referee_api.v1.bot_service_pb2_grpc import BotServiceStub

from referee.arena.desk import Desk
from referee.arena.embedded import embedded
from referee.arena.entrant import read_entrant
from tests.app.scene import in_loop
from tests.e2e.server import bearer


@in_loop
async def test_every_entrant_has_a_holder_of_its_own_so_that_its_calls_take_time_from_no_other() -> None:
    anna, admin = read_entrant("anna=random"), read_entrant("admin=random")
    bots = [anna.copy(1), anna.copy(2), admin.copy(1)]
    async with embedded(60, patient=False) as at, Desk(at.grpc, at.admin_token) as desk:
        secrets = [await desk.register(bot) for bot in bots]
        secrets += [await desk.register(anna.copy(1))]
        async with grpc.aio.insecure_channel(at.grpc) as channel:
            request = admin_service_pb2.ListTokensRequest()
            tokens = (await AdminServiceStub(channel).ListTokens(request, metadata=bearer(at.admin_token))).tokens
            for bot, secret in zip([*bots, anna.copy(1)], secrets, strict=True):
                await BotServiceStub(channel).GetBot(bot_service_pb2.GetBotRequest(name=bot), metadata=bearer(secret))
    playing = {(token.bot, token.holder) for token in tokens if token.label == "of an arena"}
    assert playing == {(bots[0], "bot anna"), (bots[1], "bot anna"), (bots[2], "bot admin")}
    assert len(set(secrets)) == 4
