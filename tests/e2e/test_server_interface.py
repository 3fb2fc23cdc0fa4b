"""The real server as clients see it: errors, health, reflection and HTTP pages."""

import socket
import subprocess
import threading
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1.health_pb2_grpc import HealthStub
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from engines import registry
from referee.transport.contract_options import SERVICES
from referee.transport.server import REFLECTION_SERVICES
from referee.transport.services.paging import make_page_token
from tests.deploy.tools import find_tool
from tests.docs import contract
from tests.e2e import http2
from tests.e2e.call_errors import reason_of
from tests.e2e.organiser import ALQUERQUE, METHODS, Organiser
from tests.e2e.server import TIMEOUT_S, ServerProcess, run_server

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


def test_a_page_token_of_an_item_that_does_not_exist_is_rejected(organiser: Organiser) -> None:
    terms = {"match_terms": {"rules": ALQUERQUE}, "round_robin": {}}
    organiser.call("TournamentService/CreateTournament", request_id="t", name=f"{organiser.name}-pages", terms=terms)
    for method, fields in (
        ("AdminService/ListTokens", {}),
        ("BotService/ListVersions", {"bot": organiser.bots[0]}),
        ("InvitationService/ListInvitations", {}),
        ("TournamentService/ListPairings", {"tournament": f"{organiser.name}-pages"}),
    ):
        request = GetMessageClass(METHODS[method].input_type)(**fields)
        call = organiser.call_as_admin if method.startswith("Admin") else organiser.call
        assert reason_of(call, method, page_token=make_page_token(request, "gone"), **fields) == "BAD_PAGE_TOKEN", (
            method
        )


def test_the_health_of_the_server_and_of_each_service_is_reported(organiser: Organiser) -> None:
    health: Any = HealthStub(organiser.channel)  # The type stubs do not declare its methods.
    for service in ("", *SERVICES):
        answer = health.Check(health_pb2.HealthCheckRequest(service=service), timeout=TIMEOUT_S)
        assert answer.status == health_pb2.HealthCheckResponse.SERVING


def test_no_secret_is_logged(server: ServerProcess) -> None:
    assert "rf_" not in server.log.read_text()


def run_tool(name: str, *arguments: str) -> str:
    completed = subprocess.run(
        [find_tool(name), *arguments], capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr
    return completed.stdout


def test_grpcurl_lists_and_describes_every_service_and_method(server: ServerProcess) -> None:
    listed = run_tool("grpcurl", "-plaintext", server.address, "list").split()
    assert set(SERVICES) | set(REFLECTION_SERVICES) | {"grpc.health.v1.Health"} == set(listed)
    names = [f"{method.containing_service.full_name}.{method.name}" for method in contract.methods().values()]
    for name in [*listed, *names[:3], "referee_api.v1.PlayService.Play", "referee_api.v1.Turn"]:
        assert name in run_tool("grpcurl", "-plaintext", server.address, "describe", name)


@pytest.mark.parametrize("service", REFLECTION_SERVICES)
def test_reflection_finds_a_method_in_both_versions(server: ServerProcess, service: str) -> None:
    with server.channel() as channel:
        file = find_symbol(channel, service, "referee_api.v1.MatchService.GetMatch")
        assert "MatchService" in [declared.name for declared in file.service]


@pytest.mark.parametrize(
    "name", ["referee_api.v1.MatchService.Nothing", "referee_api.v1.Nothing.GetMatch", "Nothing", ""]
)
def test_reflection_does_not_find_unknown_symbols(server: ServerProcess, name: str) -> None:
    with server.channel() as channel, pytest.raises(KeyError):
        find_symbol(channel, REFLECTION_SERVICES[0], name)


def find_symbol(channel: grpc.Channel, service: str, symbol: str) -> Any:
    """Return the file that defines the symbol, from this version of the reflection service. Raises KeyError."""
    # The client supports only v1alpha, but the versions differ only in the names of their services.
    database: Any = ProtoReflectionDescriptorDatabase(channel)
    known_series = database._stub.ServerReflectionInfo
    database._stub.ServerReflectionInfo = channel.stream_stream(
        f"/{service}/ServerReflectionInfo", known_series._request_serializer, known_series._response_deserializer
    )
    return database.FindFileContainingSymbol(symbol)


def test_a_health_watch_reports_the_shutdown_and_does_not_delay_it(tmp_path: Path) -> None:
    with run_server(tmp_path) as server, server.channel() as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        watching = stub.Watch(health_pb2.HealthCheckRequest(), timeout=TIMEOUT_S)
        assert next(watching).status == health_pb2.HealthCheckResponse.SERVING
        assert server.stop() == 0
        assert next(watching).status == health_pb2.HealthCheckResponse.NOT_SERVING


def test_an_unread_health_watch_does_not_delay_the_shutdown(tmp_path: Path) -> None:
    with run_server(tmp_path) as server, http2.connect(server.address, TIMEOUT_S) as connection:
        connection.sendall(http2.PREFACE + http2.NO_WINDOW + http2.complete_call(1, http2.HEALTH_PATH))
        answered = threading.Event()
        reader = threading.Thread(target=read_until_closed, args=(connection, answered))
        reader.start()
        assert answered.wait(TIMEOUT_S)
        assert server.stop() == 0
        reader.join(TIMEOUT_S)


def read_until_closed(connection: socket.socket, answered: threading.Event) -> None:
    """Keep the connection alive until the server closes it.

    Headers of a response need no flow control window, but its data do.
    """
    with connection.makefile("rb") as stream:
        while len(header := stream.read(http2.FRAME_HEADER_BYTES)) == http2.FRAME_HEADER_BYTES:
            size, kind, flags = int.from_bytes(header[:3], "big"), header[3], header[4]
            payload = stream.read(size)
            if kind == http2.HEADERS:
                answered.set()
            elif kind == http2.SETTINGS_ and not flags & http2.ACK:
                connection.sendall(http2.frame(http2.SETTINGS_, http2.ACK, 0))
            elif kind == http2.PING_ and not flags & http2.ACK:
                connection.sendall(http2.frame(http2.PING_, http2.ACK, 0, payload))
