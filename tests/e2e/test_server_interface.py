"""The real server as clients see it: errors, health, reflection and HTTP pages."""

import urllib.request
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo
from grpc_health.v1 import health_pb2
from grpc_health.v1.health_pb2_grpc import HealthStub
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from grpc_status.rpc_status import from_call
from referee_api.v1 import (
    bot_service_pb2,
    game_pb2,
    game_service_pb2,
)
from referee_api.v1.bot_service_pb2_grpc import BotServiceStub
from referee_api.v1.game_service_pb2_grpc import GameServiceStub

from engines import registry
from referee.transport.contract_options import SERVICES
from tests.e2e.server import TIMEOUT_S, ServerProcess, bearer, create_organiser_token, register_bots, run_server

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with run_server(tmp_path_factory.mktemp("server"), "--ephemeral", "--max-message-bytes", "4096") as running:
        yield running


@pytest.fixture
def channel(server: ServerProcess) -> Iterator[grpc.Channel]:
    with server.channel() as channel:
        yield channel


def code_and_reason(raised: pytest.ExceptionInfo[grpc.RpcError]) -> tuple[grpc.StatusCode, str]:
    """Return the code and the reason of an error, and assert that it has the details that its code requires."""
    call: Any = raised.value  # The error is also the call, which its type does not show.
    status = from_call(call)
    assert status
    info = ErrorInfo()
    assert status.details[0].Unpack(info)
    assert info.domain == "referee"
    if call.code() == grpc.StatusCode.INVALID_ARGUMENT:
        assert status.details[1].Is(BadRequest.DESCRIPTOR)
    return call.code(), info.reason


def test_games_are_described_and_positions_read(server: ServerProcess, channel: grpc.Channel) -> None:
    games, metadata = GameServiceStub(channel), bearer(server.admin_token)
    listed = games.ListGames(game_service_pb2.ListGamesRequest(), metadata=metadata, timeout=TIMEOUT_S)
    assert [game.name for game in listed.games] == sorted(registry.games())
    for game in listed.games:
        request = game_service_pb2.ReadPositionRequest(
            rules=game_pb2.Rules(game=game.name), max_legal_moves=3, include_view=True
        )
        read = games.ReadPosition(request, metadata=metadata, timeout=TIMEOUT_S)
        assert read.position
        assert read.view_json
        assert read.seats_to_move[0].legal_moves


def test_an_unparsable_request_is_rejected_with_a_reason(server: ServerProcess, channel: grpc.Channel) -> None:
    call: Any = channel.unary_unary("/referee_api.v1.GameService/GetGame")
    with pytest.raises(grpc.RpcError) as raised:
        call(b"\xff\xff\xff", metadata=bearer(server.admin_token), timeout=TIMEOUT_S)
    assert code_and_reason(raised) == (grpc.StatusCode.INVALID_ARGUMENT, "BAD_FIELD")


def test_a_page_token_is_valid_only_for_its_own_query(server: ServerProcess, channel: grpc.Channel) -> None:
    owner = create_organiser_token(channel, server.admin_token, "pages")
    register_bots(channel, owner, "page-a", "page-b")
    bots, metadata = BotServiceStub(channel), bearer(owner)
    first = bots.ListBots(
        bot_service_pb2.ListBotsRequest(owner="pages", page_size=1), metadata=metadata, timeout=TIMEOUT_S
    )
    token = first.next_page_token
    second = bots.ListBots(
        bot_service_pb2.ListBotsRequest(owner="pages", page_token=token), metadata=metadata, timeout=TIMEOUT_S
    )
    assert [bot.name for bot in (*first.bots, *second.bots)] == ["page-a", "page-b"]
    with pytest.raises(grpc.RpcError) as raised:
        bots.ListBots(bot_service_pb2.ListBotsRequest(page_token=token), metadata=metadata, timeout=TIMEOUT_S)
    assert code_and_reason(raised) == (grpc.StatusCode.INVALID_ARGUMENT, "BAD_PAGE_TOKEN")


def test_the_health_of_the_server_and_of_each_service_is_reported(channel: grpc.Channel) -> None:
    health: Any = HealthStub(channel)  # The type stubs do not declare its methods.
    for service in ("", *SERVICES):
        answer = health.Check(health_pb2.HealthCheckRequest(service=service), timeout=TIMEOUT_S)
        assert answer.status == health_pb2.HealthCheckResponse.SERVING


def test_reflection_lists_services_and_methods_without_a_token(channel: grpc.Channel) -> None:
    reflected = ProtoReflectionDescriptorDatabase(channel)
    assert set(SERVICES) <= set(reflected.get_services())
    file = reflected.FindFileContainingSymbol("referee_api.v1.PlayService")
    assert file.service[0].method[0].name == "Play"


def test_the_http_pages_show_readiness_and_metrics(server: ServerProcess) -> None:
    with urllib.request.urlopen(f"http://{server.http}/readyz", timeout=TIMEOUT_S) as page:
        assert page.read() == b"ready\n"
    with urllib.request.urlopen(f"http://{server.http}/metrics", timeout=TIMEOUT_S) as page:
        assert b"referee_rpcs_total" in page.read()


def test_no_secret_is_logged(server: ServerProcess) -> None:
    assert "rf_" not in server.log.read_text()
