"""The real server as clients see it: errors, health, reflection and HTTP pages."""

import urllib.request
from functools import partial
from typing import Any

import pytest
from grpc_health.v1 import health_pb2
from grpc_health.v1.health_pb2_grpc import HealthStub
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from engines import registry
from referee.transport.contract_options import SERVICES
from tests.e2e.call_errors import reason_of
from tests.e2e.organiser import Organiser
from tests.e2e.server import TIMEOUT_S, ServerProcess

pytestmark = pytest.mark.slow


def test_games_are_described_and_positions_read(organiser: Organiser) -> None:
    listed = organiser.call("GameService/ListGames").games
    assert [game.name for game in listed] == sorted(registry.games())
    for game in listed:
        options = {"max_legal_moves": 3, "include_view": True}
        read = organiser.call("GameService/ReadPosition", rules={"game": game.name}, **options)
        assert read.position
        assert read.view_json
        assert read.seats_to_move[0].legal_moves


def test_a_page_token_is_valid_only_for_its_own_query(organiser: Organiser) -> None:
    list_bots = partial(organiser.call, "BotService/ListBots")
    first = list_bots(owner=organiser.name, page_size=1)
    second = list_bots(owner=organiser.name, page_token=first.next_page_token)
    assert [bot.name for bot in (*first.bots, *second.bots)] == organiser.bots
    assert reason_of(list_bots, page_token=first.next_page_token) == "BAD_PAGE_TOKEN"


def test_the_health_of_the_server_and_of_each_service_is_reported(organiser: Organiser) -> None:
    health: Any = HealthStub(organiser.channel)  # The type stubs do not declare its methods.
    for service in ("", *SERVICES):
        answer = health.Check(health_pb2.HealthCheckRequest(service=service), timeout=TIMEOUT_S)
        assert answer.status == health_pb2.HealthCheckResponse.SERVING


def test_reflection_lists_services_and_methods_without_a_token(organiser: Organiser) -> None:
    reflected = ProtoReflectionDescriptorDatabase(organiser.channel)
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
