"""Every error of the contract is caused on the real server, and arrives as the contract promises."""

from collections.abc import Iterator
from itertools import count

import grpc
import pytest
from referee_api.v1.error_pb2 import ErrorReason

from tests.cluster.forwarding import test_forwarding
from tests.docs import contract
from tests.e2e import test_backup, test_compute_limit, test_server_faults, test_slow_watchers, test_stored_bytes
from tests.e2e.call_errors import assert_matches_contract, assert_metadata_complete, parse_error
from tests.e2e.error_contest_requests import CONTEST_ERRORS
from tests.e2e.error_requests import CALL_ERRORS, MAX_MESSAGE_BYTES, exceed_rate_limit
from tests.e2e.error_streams import STREAM_ERRORS, VERDICT_ERRORS
from tests.e2e.organiser import Organiser, new_organiser
from tests.e2e.server import ServerProcess, run_server

pytestmark = pytest.mark.slow

TESTED_ELSEWHERE = {
    "SLOW_CONSUMER": test_slow_watchers.test_a_slow_watcher_is_disconnected_and_can_resume_without_a_gap,
    "DRAINING": test_server_faults.test_a_draining_server_rejects_new_matches_with_a_retry_delay,
    "STORE_UNAVAILABLE": test_server_faults.test_a_full_disk_costs_no_bot_time,
    "MATCH_MOVING": test_server_faults.test_a_match_that_another_server_runs_is_rejected_as_moving,
    "NODE_UNAVAILABLE": test_forwarding.test_a_call_is_never_forwarded_twice,
    "HEARTBEAT_LOST": test_server_faults.test_a_bot_that_answers_no_ping_loses_its_session,
    "MATCH_ARCHIVED": test_backup.test_requests_for_an_archived_match_are_rejected_as_archived,
    "TOO_EXPENSIVE": test_compute_limit.test_a_request_that_takes_too_long_is_rejected_and_the_next_one_is_answered,
    "TOO_MUCH_STORED": test_stored_bytes.test_a_holder_over_its_storage_quota_cannot_create_anything,
    "ENGINE_FAULT": test_server_faults.test_a_match_with_an_engine_fault_is_void,
    "REFEREE_FAULT": test_server_faults.test_a_fault_outside_of_a_match_is_reported_only_by_its_id,
}
"""Errors that need a server of their own, with the tests that cause them."""
CALLS = {**CALL_ERRORS, **CONTEST_ERRORS}
NUMBERS = count(1)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder = tmp_path_factory.mktemp("server")
    with run_server(folder, "--ephemeral", "--max-message-bytes", str(MAX_MESSAGE_BYTES)) as running:
        yield running


@pytest.fixture
def organiser(server: ServerProcess) -> Iterator[Organiser]:
    with server.channel() as channel, new_organiser(server, channel, f"organiser-{next(NUMBERS)}") as organiser:
        yield organiser


def test_every_error_reason_is_covered() -> None:
    reasons = {reason.name for reason in contract.reasons()}
    assert reasons == {*CALLS, *STREAM_ERRORS, *TESTED_ELSEWHERE}


@pytest.mark.parametrize("reason", CALLS)
def test_a_call_error_matches_the_contract(organiser: Organiser, reason: str) -> None:
    with pytest.raises(grpc.RpcError) as raised:
        CALLS[reason](organiser)
    assert parse_error(raised.value).reason == reason
    assert_matches_contract(parse_error(raised.value))


@pytest.mark.parametrize("reason", VERDICT_ERRORS)
def test_a_verdict_error_matches_the_contract(organiser: Organiser, reason: str) -> None:
    refusal = VERDICT_ERRORS[reason](organiser)
    assert ErrorReason.Name(refusal.reason) == f"ERROR_REASON_{reason}"
    assert refusal.message
    assert_metadata_complete(reason, refusal.metadata)


@pytest.mark.parametrize("reason", STREAM_ERRORS)
def test_a_stream_error_matches_the_contract(organiser: Organiser, reason: str) -> None:
    with pytest.raises(grpc.RpcError) as raised:
        STREAM_ERRORS[reason](organiser)
    assert parse_error(raised.value).reason == reason
    assert_matches_contract(parse_error(raised.value))


def test_a_used_up_rate_limit_does_not_block_moves(organiser: Organiser) -> None:
    organiser.start_match()
    connections = {seat: organiser.connection(seat) for seat in (0, 1)}
    first = organiser.next_turn()
    with pytest.raises(grpc.RpcError) as raised:
        exceed_rate_limit(organiser)
    assert parse_error(raised.value).reason == "TOO_MANY_CALLS"
    organiser.submit_move(first, first.legal_moves[0])
    second = organiser.next_turn(1)
    connections[1].send(
        move={"match_id": second.match_id, "turn_token": second.turn_token, "move": second.legal_moves[0]}
    )
    assert connections[1].receive("verdict").HasField("accepted")
