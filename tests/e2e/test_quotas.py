"""Quotas on the real server: contests, stored bytes, and calls, of which moves are not counted."""

from collections.abc import Sequence
from functools import partial

import pytest
from referee_api.v1 import play_pb2, quota_pb2

from tests.e2e.call_errors import assert_refused, error_of, reason_of
from tests.e2e.contests import call_for_ladder, create_ladder, create_tournament, match_terms, tournament_request
from tests.e2e.error_causes import exceed_rate_limit
from tests.e2e.organiser import Organiser, entries_of
from tests.e2e.test_match_creation import LARGE

pytestmark = pytest.mark.slow

MAX_STORED_BYTES = 30_000
PONG = play_pb2.BotItem(pong=play_pb2.Pong(id=0))


def usage(organiser: Organiser) -> quota_pb2.QuotaUsage:
    used: quota_pb2.QuotaUsage = organiser.call_as_admin("AdminService/GetQuota", holder=organiser.name).usage
    return used


def test_the_unfinished_contests_of_an_organiser_are_limited(organiser: Organiser) -> None:
    organiser.set_quota(max_contests=1)
    create_ladder(organiser)
    assert create_ladder(organiser).name == organiser.name, "a repeated request gets its first answer"
    assert reason_of(create_tournament, organiser) == "TOO_MANY_NAMES"
    assert usage(organiser).contests == 1
    call_for_ladder(organiser, "CloseLadder")
    create_tournament(organiser)


def test_a_holder_over_its_storage_quota_cannot_create_anything(organiser: Organiser) -> None:
    organiser.set_quota(max_stored_bytes=MAX_STORED_BYTES)
    first = organiser.match_request(rules=LARGE)
    organiser.call("MatchService/CreateMatch", **first)
    assert 10_000 < usage(organiser).stored_bytes < 15_000
    create_tournament(organiser, match_terms=match_terms(LARGE), round_robin={})
    organiser.call("MatchService/CreateMatch", **organiser.match_request(rules=LARGE))
    assert usage(organiser).stored_bytes > MAX_STORED_BYTES

    for method, request in (
        ("MatchService/CreateMatch", organiser.match_request()),
        ("TournamentService/CreateTournament", tournament_request(organiser, request_id="d", name="other")),
        ("LadderService/CreateLadder", {"request_id": "e", "name": "main"}),
    ):
        assert_refused("TOO_MUCH_STORED", organiser.call, method, **request)
    assert organiser.call("MatchService/CreateMatch", **first).repeated


def test_a_finished_match_counts_with_its_whole_log(organiser: Organiser) -> None:
    match_id = organiser.start_match()
    turn = organiser.next_turn()
    organiser.submit_move(turn, turn.legal_moves[0])
    begun = usage(organiser).stored_bytes
    organiser.call_as_bot(1, "MatchService/Resign", match_id=match_id, request_id="r")
    watched = organiser.call("MatchService/WatchMatch", match_id=match_id, after_number=0)
    later = [entry for response in watched for entry in entries_of(response)][1:]
    assert len(later) > 3
    assert usage(organiser).stored_bytes > begun + 50 * len(later)


@pytest.mark.parametrize("items", [(PONG,), ()], ids=["pong without a ping", "empty message"])
def test_a_stream_of_empty_messages_is_ended_by_the_rate_limit(
    organiser: Organiser, items: Sequence[play_pb2.BotItem]
) -> None:
    stream = organiser.connection(0)
    use_up_rate_limit(organiser)
    stream.send_together(*items)
    assert error_of(stream.receive, "turn").reason == "TOO_MANY_CALLS"


def test_submitting_a_move_does_not_count_as_a_call_but_validating_one_does(organiser: Organiser) -> None:
    organiser.start_match()
    turn = organiser.next_turn()
    use_up_rate_limit(organiser)
    for repeated in (False, True):
        assert organiser.submit_move(turn, turn.legal_moves[0]).repeated is repeated
    submit = partial(organiser.submit_move, turn, turn.legal_moves[0])
    assert reason_of(submit, turn_token="0.99.1", request_id="another") == "STALE_TURN"
    assert reason_of(submit, validate_only=True) == "TOO_MANY_CALLS"


def use_up_rate_limit(organiser: Organiser) -> None:
    """Use up all calls of this minute."""
    assert error_of(exceed_rate_limit, organiser).reason == "TOO_MANY_CALLS"
