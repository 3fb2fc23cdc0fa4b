"""Third-party tools that know the server by reflection alone: grpcurl and ghz. `make tools` builds them."""

import json
import subprocess
from typing import Any

import grpc
import pytest
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from referee.transport.contract_options import SERVICES
from referee.transport.server import REFLECTION_SERVICES
from tests.deploy.tools import find_tool
from tests.docs import contract
from tests.e2e.server import TIMEOUT_S, ServerProcess

pytestmark = pytest.mark.slow


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


def test_grpcurl_calls_a_method(server: ServerProcess) -> None:
    token = ("-H", f"authorization: Bearer {server.admin_token}")
    games = json.loads(
        run_tool("grpcurl", "-plaintext", *token, server.address, "referee_api.v1.GameService/ListGames")
    )["games"]
    assert "alquerque" in [game["name"] for game in games]


def test_ghz_calls_a_method_by_reflection(server: ServerProcess) -> None:
    report = json.loads(
        run_tool(
            *("ghz", "--insecure", "--total", "20", "--concurrency", "2", "--format", "json"),
            *("--metadata", json.dumps({"authorization": f"Bearer {server.admin_token}"})),
            *("--call", "referee_api.v1.GameService.GetGame", "--data", '{"name": "alquerque"}', server.address),
        )
    )
    assert report["statusCodeDistribution"] == {"OK": 20}


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
