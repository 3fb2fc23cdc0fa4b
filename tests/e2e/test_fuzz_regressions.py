"""Regression tests for faults that fuzzing has found."""

from collections.abc import Iterator

import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from referee.transport.contract_options import SERVICES
from tests.e2e import http2
from tests.e2e.call_errors import error_of, reason_of
from tests.e2e.fuzz_calls import Answer, call_raw, served_methods
from tests.e2e.organiser import Organiser
from tests.e2e.server import TIMEOUT_S, ServerProcess, run_server
from tests.e2e.server_metrics import error_log_lines

UNREPRESENTABLE_TIME = Timestamp(seconds=2**62)
"""A moment whose milliseconds exceed a database integer, and which no valid timestamp can express."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with run_server(tmp_path_factory.mktemp("server")) as running:
        yield running


def call_by_name(organiser: Organiser, name: str, request: bytes) -> Answer:
    """Call the method with this name without a token."""
    method = next(method for method in served_methods(organiser.channel) if method.name == name)
    return call_raw(organiser.channel, method, [request], None)


def test_a_time_outside_of_the_timestamp_range_is_rejected_and_creates_nothing(organiser: Organiser) -> None:
    late = {"expire_time": UNREPRESENTABLE_TIME}
    assert reason_of(organiser.call, "BotService/CreateBotToken", bot=organiser.bots[0], **late) == "BAD_FIELD"
    create = {"role": "ROLE_ADMIN", "holder": "eve"} | late
    assert reason_of(organiser.call_as_admin, "AdminService/CreateToken", **create) == "BAD_FIELD"
    assert reason_of(organiser.call, "MatchService/ListMatches", min_create_time=UNREPRESENTABLE_TIME) == "BAD_FIELD"
    assert "eve" not in str(organiser.call_as_admin("AdminService/ListTokens"))


@pytest.mark.parametrize("name", ["Check", "List", "Watch", "ServerReflectionInfo"])
def test_unparsable_requests_are_rejected_by_health_and_reflection_too(organiser: Organiser, name: str) -> None:
    assert call_by_name(organiser, name, b"\xff\xff\xff").reason == "BAD_FIELD"
    assert not list(error_log_lines(organiser.server))


def test_health_lists_every_service(organiser: Organiser) -> None:
    (health,) = call_by_name(organiser, "List", b"").responses
    assert set(health.statuses) == {"", *SERVICES}  # type: ignore[attr-defined]  # The type comes from reflection.


def test_reading_a_bot_log_after_the_largest_number_returns_nothing(organiser: Organiser) -> None:
    read = organiser.call("BotService/ListBotLogEntries", bot=organiser.bots[0], after_number=2**64 - 1)
    assert read == type(read)()


def test_a_quota_above_the_range_of_the_database_is_rejected(organiser: Organiser) -> None:
    error = error_of(organiser.set_quota, max_stored_bytes=2**63)
    assert (error.reason, "9223372036854775807" in error.sentence) == ("BAD_FIELD", True)


def test_the_debug_data_of_a_goaway_frame_is_not_logged(server: ServerProcess) -> None:
    lie = b'\n{"event": "all is lost", "level": "error"}\n'
    with http2.connect(server.address, TIMEOUT_S) as connection:
        connection.sendall(http2.PREFACE + http2.SETTINGS + http2.go_away(lie) + http2.PING)
        received = b""
        while http2.PONG not in received:
            received += connection.recv(4096)
    assert b"all is lost" not in server.log.read_bytes()
