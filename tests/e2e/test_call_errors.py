"""Every error of the contract is caused on the real server, and arrives as the contract promises."""

from collections.abc import Sequence

import pytest
from referee_api.v1.error_pb2 import ErrorReason

from tests.cluster.forwarding import test_forwarding
from tests.docs import contract
from tests.e2e import test_backup, test_compute_limit, test_quotas, test_server_faults, test_slow_bots
from tests.e2e.call_errors import assert_metadata_complete, assert_refused
from tests.e2e.error_causes import CALL_ERRORS, CONTEST_ERRORS, MAX_MESSAGE_BYTES, STREAM_ERRORS, VERDICT_ERRORS, Cause
from tests.e2e.organiser import Organiser

pytestmark = pytest.mark.slow

TESTED_ELSEWHERE = {
    "SLOW_CONSUMER": test_slow_bots.test_a_slow_watcher_is_disconnected_and_can_resume_without_a_gap,
    "DRAINING": test_server_faults.test_a_draining_server_rejects_new_matches_with_a_retry_delay,
    "STORE_UNAVAILABLE": test_server_faults.test_a_full_disk_costs_no_bot_time,
    "MATCH_MOVING": test_server_faults.test_a_match_that_another_server_runs_is_rejected_as_moving,
    "NODE_UNAVAILABLE": test_forwarding.test_a_call_is_never_forwarded_twice,
    "HEARTBEAT_LOST": test_server_faults.test_a_bot_that_answers_no_ping_loses_its_session,
    "MATCH_ARCHIVED": test_backup.test_requests_for_an_archived_match_are_rejected_as_archived,
    "TOO_EXPENSIVE": test_compute_limit.test_a_request_that_takes_too_long_is_rejected_and_the_next_one_is_answered,
    "TOO_MUCH_STORED": test_quotas.test_a_holder_over_its_storage_quota_cannot_create_anything,
    "ENGINE_FAULT": test_server_faults.test_a_match_with_an_engine_fault_is_void,
    "REFEREE_FAULT": test_server_faults.test_a_fault_outside_of_a_match_is_reported_only_by_its_id,
}
"""Errors that need a server of their own, with the tests that cause them."""
CALLS = {**CALL_ERRORS, **CONTEST_ERRORS}
SERVER_FLAGS = ("--ephemeral", "--max-message-bytes", str(MAX_MESSAGE_BYTES))


def marks_of(reason: str) -> Sequence[pytest.MarkDecorator]:
    """The front door takes small answers that nobody reads, and closes the connection later."""
    return [pytest.mark.without_door] if reason == "TOO_MANY_CALLS_IN_FLIGHT" else []


def test_every_error_reason_is_covered() -> None:
    reasons = {reason.name for reason in contract.reasons()}
    assert reasons == {*CALLS, *STREAM_ERRORS, *TESTED_ELSEWHERE}


@pytest.mark.parametrize(
    ("reason", "cause"),
    [
        *(pytest.param(*error, id=f"call-{error[0]}", marks=marks_of(error[0])) for error in CALLS.items()),
        *(pytest.param(*error, id=f"stream-{error[0]}") for error in STREAM_ERRORS.items()),
    ],
)
def test_an_error_matches_the_contract(organiser: Organiser, reason: str, cause: Cause) -> None:
    assert_refused(reason, cause, organiser)


@pytest.mark.parametrize("reason", VERDICT_ERRORS)
def test_a_verdict_error_matches_the_contract(organiser: Organiser, reason: str) -> None:
    refusal = VERDICT_ERRORS[reason](organiser)
    assert ErrorReason.Name(refusal.reason) == f"ERROR_REASON_{reason}"
    assert refusal.message
    assert_metadata_complete(reason, refusal.metadata)
