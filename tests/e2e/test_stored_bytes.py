"""The terms of matches and contests that a holder stores are counted and limited."""

from pathlib import Path

import grpc
import pytest
from referee_api.v1 import match_pb2, quota_pb2, tournament_pb2

from tests.e2e.club import Club, club_alone
from tests.e2e.refused import need_promised, refused
from tests.e2e.test_large_rules import LARGE

pytestmark = pytest.mark.slow

LIMIT = 30_000


def stored(here: Club) -> int:
    used: quota_pb2.QuotaUsage = here.ask_admin("AdminService/GetQuota", holder=here.name).usage
    return used.stored_bytes


def test_who_has_stored_too_much_makes_nothing_new(tmp_path: Path) -> None:
    with club_alone(tmp_path) as here:
        here.ask_admin("AdminService/SetQuota", holder=here.name, quota=quota_pb2.Quota(max_stored_bytes=LIMIT))
        first = here.wanted(rules=LARGE)
        here.ask("MatchService/CreateMatch", **first)
        assert 10_000 < stored(here) < 15_000
        terms = tournament_pb2.TournamentTerms(
            match_terms=match_pb2.MatchTerms(rules=LARGE, time_control=first["terms"].time_control),
            round_robin=tournament_pb2.RoundRobin(),
        )
        here.ask("TournamentService/CreateTournament", request_id="c", name="cup", terms=terms)
        here.ask("MatchService/CreateMatch", **here.wanted(rules=LARGE))
        assert stored(here) > LIMIT

        for method, request in (
            ("MatchService/CreateMatch", here.wanted()),
            ("TournamentService/CreateTournament", {"request_id": "d", "name": "other", "terms": terms}),
            ("LadderService/CreateLadder", {"request_id": "e", "name": "main"}),
        ):
            with pytest.raises(grpc.RpcError) as no:
                here.ask(method, **request)
            assert refused(no.value).reason == "TOO_MUCH_STORED"
            need_promised(refused(no.value))
        assert here.ask("MatchService/CreateMatch", **first).repeated
