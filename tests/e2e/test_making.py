"""Creation of matches on the real server: repeated requests, watching from the first entry, and adjudication."""

from collections.abc import Iterator
from math import inf, nan
from pathlib import Path

import grpc
import pytest
from referee_api.v1 import policy_pb2, quota_pb2

from tests.e2e.organiser import Organiser, entries_of, server_with_organiser
from tests.e2e.test_wire import reason

pytestmark = pytest.mark.slow

KEPT_BACK = policy_pb2.Visibility(kind=policy_pb2.VISIBILITY_KIND_AFTER_END)


@pytest.fixture(scope="module")
def organiser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Organiser]:
    with server_with_organiser(tmp_path_factory.mktemp("server")) as organiser:
        yield organiser


def test_who_asks_again_for_a_match_hears_of_it_though_no_other_could_be_made_now(tmp_path: Path) -> None:
    with server_with_organiser(tmp_path) as organiser:
        wanted = organiser.match_request()
        first = organiser.call("MatchService/CreateMatch", **wanted)
        organiser.call_as_admin("AdminService/SetQuota", holder=organiser.name, quota=quota_pb2.Quota(max_matches=1))
        organiser.call_as_admin("AdminService/PauseBot", bot=organiser.bots[0], message="for a while")
        again = organiser.call("MatchService/CreateMatch", **wanted)
        assert (first.repeated, again.repeated) == (False, True)
        assert (again.match, again.entry_number) == (first.match, first.entry_number)
        with pytest.raises(grpc.RpcError) as raised:
            organiser.call("MatchService/CreateMatch", **organiser.match_request())
        assert reason(raised) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_MATCHES")


def test_from_the_number_that_its_maker_gets_a_match_can_be_watched_also_if_it_is_kept_back(
    organiser: Organiser,
) -> None:
    wanted = organiser.match_request(visibility=KEPT_BACK) | {"seats": []}
    made = organiser.call("MatchService/CreateMatch", **wanted)
    match_id = made.match.id
    joined = organiser.call("MatchService/JoinMatch", match_id=match_id, bot={"bot": organiser.bots[0]})
    assert (made.entry_number, joined.entry_number) == (0, 0)
    own = organiser.call_as_bot(1, "MatchService/JoinMatch", match_id=match_id)
    assert own.entry_number == 3
    watched = organiser.call("MatchService/WatchMatch", match_id=match_id, after_number=joined.entry_number)
    assert not next(watched).items[0].snapshot.HasField("state")
    organiser.call("MatchService/AbortMatch", request_id="abort", match_id=match_id)
    assert [entry.number for some in watched for entry in entries_of(some)] == [1, 2, 3, 4]


@pytest.mark.parametrize("score", [nan, inf])
def test_nobody_is_given_a_score_that_is_no_number(organiser: Organiser, score: float) -> None:
    match_id = organiser.create_match()
    with pytest.raises(grpc.RpcError) as raised:
        organiser.call_as_admin(
            "AdminService/AdjudicateMatch", request_id="a", match_id=match_id, side_scores=[0, score], message="so"
        )
    assert reason(raised) == (grpc.StatusCode.INVALID_ARGUMENT, "BAD_FIELD")
