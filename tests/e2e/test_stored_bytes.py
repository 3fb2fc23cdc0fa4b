"""What a holder stores is counted and limited: the logs of its matches, and the terms of its contests."""

from collections.abc import Iterator

import grpc
import pytest
from referee_api.v1 import match_pb2, quota_pb2, tournament_pb2

from tests.e2e.call_errors import assert_matches_contract, parse_error
from tests.e2e.organiser import Organiser, entries_of
from tests.e2e.server import ServerProcess, run_server
from tests.e2e.test_large_rules import LARGE

pytestmark = pytest.mark.slow

LIMIT = 30_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with run_server(tmp_path_factory.mktemp("server")) as running:
        yield running


def stored_bytes(organiser: Organiser) -> int:
    used: quota_pb2.QuotaUsage = organiser.call_as_admin("AdminService/GetQuota", holder=organiser.name).usage
    return used.stored_bytes


def test_a_holder_over_its_storage_quota_cannot_create_anything(organiser: Organiser) -> None:
    organiser.call_as_admin(
        "AdminService/SetQuota", holder=organiser.name, quota=quota_pb2.Quota(max_stored_bytes=LIMIT)
    )
    first = organiser.match_request(rules=LARGE)
    organiser.call("MatchService/CreateMatch", **first)
    assert 10_000 < stored_bytes(organiser) < 15_000
    terms = tournament_pb2.TournamentTerms(
        match_terms=match_pb2.MatchTerms(rules=LARGE, time_control=first["terms"].time_control),
        round_robin=tournament_pb2.RoundRobin(),
    )
    organiser.call("TournamentService/CreateTournament", request_id="c", name="cup", terms=terms)
    organiser.call("MatchService/CreateMatch", **organiser.match_request(rules=LARGE))
    assert stored_bytes(organiser) > LIMIT

    for method, request in (
        ("MatchService/CreateMatch", organiser.match_request()),
        ("TournamentService/CreateTournament", {"request_id": "d", "name": "other", "terms": terms}),
        ("LadderService/CreateLadder", {"request_id": "e", "name": "main"}),
    ):
        with pytest.raises(grpc.RpcError) as raised:
            organiser.call(method, **request)
        assert parse_error(raised.value).reason == "TOO_MUCH_STORED"
        assert_matches_contract(parse_error(raised.value))
    assert organiser.call("MatchService/CreateMatch", **first).repeated


def test_a_finished_match_counts_with_its_whole_log(organiser: Organiser) -> None:
    match_id = organiser.start_match()
    turn = organiser.next_turn()
    organiser.submit_move(turn, turn.legal_moves[0])
    begun = stored_bytes(organiser)
    organiser.call_as_bot(1, "MatchService/Resign", match_id=match_id, request_id="r")
    watched = organiser.call("MatchService/WatchMatch", match_id=match_id, after_number=0)
    later = [entry for response in watched for entry in entries_of(response)][1:]
    assert len(later) > 3
    assert stored_bytes(organiser) > begun + 50 * len(later)
