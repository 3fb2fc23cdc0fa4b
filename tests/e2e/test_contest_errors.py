"""Every error that the contract lists for ladders and tournaments is caused, method by method."""

import re
from pathlib import Path

import grpc
import pytest

from tests.e2e.call_errors import assert_matches_contract, parse_error
from tests.e2e.error_contest_requests import CONTEST_ERRORS, LADDER, TESTED_ELSEWHERE, TOURNAMENT
from tests.e2e.organiser import Organiser

pytestmark = pytest.mark.slow

PROTO = Path(__file__).parents[2] / "proto" / "referee_api" / "v1"
METHOD = re.compile(r"((?:^  //.*\n)+)^  rpc (\w+)\(", re.MULTILINE)
REASON = re.compile(r"\b[A-Z]+(?:_[A-Z]+)+\b|\bDRAINING\b")
CASES = [(method, reason) for method, reasons in CONTEST_ERRORS.items() for reason in reasons]


@pytest.mark.parametrize(("service", "file"), [(LADDER, "ladder_service"), (TOURNAMENT, "tournament_service")])
def test_every_listed_error_has_a_request_that_causes_it(service: str, file: str) -> None:
    for comment, method in METHOD.findall((PROTO / f"{file}.proto").read_text(encoding="utf-8")):
        listed = set(REASON.findall(comment))
        provoked = CONTEST_ERRORS[f"{service}/{method}"].keys() - {"NO_SUCH_LADDER", "NO_SUCH_TOURNAMENT"}
        assert listed - TESTED_ELSEWHERE - {"NO_SUCH_LADDER"} == provoked, method


@pytest.mark.parametrize(("method", "reason"), CASES, ids=[f"{method}-{reason}" for method, reason in CASES])
def test_a_call_error_matches_the_contract(organiser: Organiser, method: str, reason: str) -> None:
    with pytest.raises(grpc.RpcError) as raised:
        CONTEST_ERRORS[method][reason](organiser)
    assert parse_error(raised.value).reason == reason
    if reason != "ILLEGAL_MOVE":  # An error in an opening has neither plies nor attempts as metadata.
        assert_matches_contract(parse_error(raised.value))
