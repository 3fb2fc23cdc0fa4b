"""Regression tests for faults that fuzzing has found."""

import socket
from collections.abc import Iterator

import grpc
import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from referee_api.v1 import admin_service_pb2, bot_service_pb2, match_service_pb2, quota_pb2, token_pb2

from referee.transport.contract_options import SERVICES
from tests.e2e import http2
from tests.e2e.fuzz_calls import Answer, call_raw, served_methods
from tests.e2e.server import TIMEOUT_S, ServerProcess, create_organiser_token, register_bots, run_server
from tests.e2e.server_metrics import error_log_lines

UNREPRESENTABLE_TIME = Timestamp(seconds=2**62)
"""A moment whose milliseconds exceed a database integer, and which no valid timestamp can express."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with run_server(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture
def channel(server: ServerProcess) -> Iterator[grpc.Channel]:
    with server.channel() as channel:
        yield channel


def call_by_name(channel: grpc.Channel, name: str, request: bytes, secret: str | None) -> Answer:
    """Call the method with this name."""
    method = next(method for method in served_methods(channel) if method.name == name)
    return call_raw(channel, method, [request], secret)


def test_a_time_outside_of_the_timestamp_range_is_rejected_and_creates_nothing(
    server: ServerProcess, channel: grpc.Channel
) -> None:
    owner = create_organiser_token(channel, server.admin_token)
    register_bots(channel, owner, "anna")
    bot_token = bot_service_pb2.CreateBotTokenRequest(bot="anna", expire_time=UNREPRESENTABLE_TIME)
    token = admin_service_pb2.CreateTokenRequest(
        role=token_pb2.ROLE_ADMIN, holder="eve", expire_time=UNREPRESENTABLE_TIME
    )
    since = match_service_pb2.ListMatchesRequest(min_create_time=UNREPRESENTABLE_TIME)
    assert call_by_name(channel, "CreateBotToken", bot_token.SerializeToString(), owner).reason == "BAD_FIELD"
    assert call_by_name(channel, "CreateToken", token.SerializeToString(), server.admin_token).reason == "BAD_FIELD"
    assert call_by_name(channel, "ListMatches", since.SerializeToString(), owner).reason == "BAD_FIELD"
    listed = call_by_name(channel, "ListTokens", b"", server.admin_token)
    assert "eve" not in str(listed.responses)


@pytest.mark.parametrize("name", ["Check", "List", "Watch", "ServerReflectionInfo"])
def test_unparsable_requests_are_rejected_by_health_and_reflection_too(
    server: ServerProcess, channel: grpc.Channel, name: str
) -> None:
    assert call_by_name(channel, name, b"\xff\xff\xff", None).reason == "BAD_FIELD"
    assert not list(error_log_lines(server))


def test_health_lists_every_service(channel: grpc.Channel) -> None:
    listed = call_by_name(channel, "List", b"", None)
    (health,) = listed.responses
    assert set(health.statuses) == {"", *SERVICES}  # type: ignore[attr-defined]  # The type comes from reflection.


def test_reading_a_bot_log_after_the_largest_number_returns_nothing(
    server: ServerProcess, channel: grpc.Channel
) -> None:
    register_bots(channel, create_organiser_token(channel, server.admin_token, "bea"), "bert")
    request = bot_service_pb2.ListBotLogEntriesRequest(bot="bert", after_number=2**64 - 1).SerializeToString()
    (read,) = call_by_name(channel, "ListBotLogEntries", request, server.admin_token).responses
    assert read == type(read)()


def test_a_quota_above_the_range_of_the_database_is_rejected(server: ServerProcess, channel: grpc.Channel) -> None:
    quota = quota_pb2.Quota(max_stored_bytes=2**63)
    request = admin_service_pb2.SetQuotaRequest(holder="ada", quota=quota).SerializeToString()
    answer = call_by_name(channel, "SetQuota", request, server.admin_token)
    assert (answer.reason, "9223372036854775807" in answer.message) == ("BAD_FIELD", True)


def test_the_debug_data_of_a_goaway_frame_is_not_logged(server: ServerProcess) -> None:
    host, _, port = server.address.rpartition(":")
    lie = b'\n{"event": "all is lost", "level": "error"}\n'
    with socket.create_connection((host, int(port)), TIMEOUT_S) as connection:
        connection.sendall(http2.PREFACE + http2.SETTINGS + http2.go_away(lie) + http2.PING)
        received = b""
        while http2.PONG not in received:
            received += connection.recv(4096)
    assert b"all is lost" not in server.log.read_bytes()
