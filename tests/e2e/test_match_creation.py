"""Creation of matches on the real server: repeated requests, watching from the first entry, and adjudication."""

from math import inf, nan

import pytest
from referee_api.v1 import policy_pb2

from tests.e2e.call_errors import reason_of
from tests.e2e.organiser import Organiser, entries_of

pytestmark = pytest.mark.slow

HIDDEN_UNTIL_END = policy_pb2.Visibility(kind=policy_pb2.VISIBILITY_KIND_AFTER_END)


def test_a_repeated_create_request_returns_the_match_even_if_no_other_can_be_created(organiser: Organiser) -> None:
    request = organiser.match_request()
    first = organiser.call("MatchService/CreateMatch", **request)
    organiser.set_quota(max_matches=1)
    organiser.call_as_admin("AdminService/PauseBot", bot=organiser.bots[0], message="for a while")
    again = organiser.call("MatchService/CreateMatch", **request)
    assert (first.repeated, again.repeated) == (False, True)
    assert (again.match, again.entry_number) == (first.match, first.entry_number)
    assert reason_of(organiser.create_match) == "TOO_MANY_MATCHES"


def test_a_hidden_match_can_be_watched_from_the_entry_number_returned_at_creation(organiser: Organiser) -> None:
    request = organiser.match_request(visibility=HIDDEN_UNTIL_END) | {"seats": []}
    created = organiser.call("MatchService/CreateMatch", **request)
    match_id = created.match.id
    joined = organiser.call("MatchService/JoinMatch", match_id=match_id, bot={"bot": organiser.bots[0]})
    assert (created.entry_number, joined.entry_number) == (0, 0)
    own = organiser.call_as_bot(1, "MatchService/JoinMatch", match_id=match_id)
    assert own.entry_number == 3
    watched = organiser.call("MatchService/WatchMatch", match_id=match_id, after_number=joined.entry_number)
    assert not next(watched).items[0].snapshot.HasField("state")
    organiser.call("MatchService/AbortMatch", request_id="abort", match_id=match_id)
    assert [entry.number for response in watched for entry in entries_of(response)] == [1, 2, 3, 4]


@pytest.mark.parametrize("score", [nan, inf])
def test_an_adjudicated_score_must_be_a_finite_number(organiser: Organiser, score: float) -> None:
    match_id = organiser.create_match()
    decision = {"request_id": "a", "match_id": match_id, "side_scores": [0, score], "message": "so"}
    assert reason_of(organiser.call_as_admin, "AdminService/AdjudicateMatch", **decision) == "BAD_FIELD"
