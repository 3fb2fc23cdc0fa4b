"""Creation of matches on the real server: repeated requests, watching from the first entry, and adjudication."""

from collections.abc import Iterator
from math import inf, nan
from pathlib import Path

import grpc
import pytest
from referee_api.v1 import policy_pb2, quota_pb2

from tests.e2e.club import Club, club_alone, entries_of
from tests.e2e.test_wire import reason

pytestmark = pytest.mark.slow

KEPT_BACK = policy_pb2.Visibility(kind=policy_pb2.VISIBILITY_KIND_AFTER_END)


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    with club_alone(tmp_path_factory.mktemp("server")) as founded:
        yield founded


def test_who_asks_again_for_a_match_hears_of_it_though_no_other_could_be_made_now(tmp_path: Path) -> None:
    with club_alone(tmp_path) as here:
        wanted = here.wanted()
        first = here.ask("MatchService/CreateMatch", **wanted)
        here.ask_admin("AdminService/SetQuota", holder=here.name, quota=quota_pb2.Quota(max_matches=1))
        here.ask_admin("AdminService/PauseBot", bot=here.bots[0], message="for a while")
        again = here.ask("MatchService/CreateMatch", **wanted)
        assert (first.repeated, again.repeated) == (False, True)
        assert (again.match, again.entry_number) == (first.match, first.entry_number)
        with pytest.raises(grpc.RpcError) as refused:
            here.ask("MatchService/CreateMatch", **here.wanted())
        assert reason(refused) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_MATCHES")


def test_from_the_number_that_its_maker_gets_a_match_can_be_watched_also_if_it_is_kept_back(here: Club) -> None:
    wanted = here.wanted(visibility=KEPT_BACK) | {"seats": []}
    made = here.ask("MatchService/CreateMatch", **wanted)
    match_id = made.match.id
    joined = here.ask("MatchService/JoinMatch", match_id=match_id, bot={"bot": here.bots[0]})
    assert (made.entry_number, joined.entry_number) == (0, 0)
    own = here.ask_as(1, "MatchService/JoinMatch", match_id=match_id)
    assert own.entry_number == 3
    watched = here.ask("MatchService/WatchMatch", match_id=match_id, after_number=joined.entry_number)
    assert not next(watched).items[0].snapshot.HasField("state")
    here.ask("MatchService/AbortMatch", request_id="abort", match_id=match_id)
    assert [entry.number for some in watched for entry in entries_of(some)] == [1, 2, 3, 4]


@pytest.mark.parametrize("score", [nan, inf])
def test_nobody_is_given_a_score_that_is_no_number(here: Club, score: float) -> None:
    match_id = here.waiting()
    with pytest.raises(grpc.RpcError) as refused:
        here.ask_admin(
            "AdminService/AdjudicateMatch", request_id="a", match_id=match_id, side_scores=[0, score], message="so"
        )
    assert reason(refused) == (grpc.StatusCode.INVALID_ARGUMENT, "BAD_FIELD")
