"""A tournament goes on at the next coordinator: nothing is played twice, and all records are valid."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.cluster.cluster import RULES, THINK_MS, run_nodes
from tests.cluster.final_state import patient_call, register, save_record, verify_records
from tests.cluster.recorders import run_bots
from tests.cluster.shared_services import run_shared_services
from tests.e2e.contests import match_terms

pytestmark = pytest.mark.slow

NODES = 3
CUP = "cup"
BOTS = tuple(f"bot-{number}" for number in range(6))
PAIRINGS = 15
"""Each bot meets each other one."""


def test_a_tournament_goes_on_at_the_next_coordinator(tmp_path: Path) -> None:
    with ExitStack() as stack:
        services = stack.enter_context(run_shared_services(tmp_path, NODES))
        nodes = stack.enter_context(run_nodes(tmp_path, *map(services.flags, range(NODES))))
        first, second, _ = nodes
        with first.server.channel() as channel:
            token, secrets = register(channel, first.server.admin_token, BOTS)
            terms = {"match_terms": match_terms(RULES), "round_robin": {}, "max_concurrent_matches": 3}
            entrants = [{"bots": [{"bot": bot}]} for bot in BOTS]
            created = {"request_id": "make it", "name": CUP, "terms": terms, "entrants": entrants}
            patient_call(channel, "TournamentService/CreateTournament", token, **created)
            patient_call(channel, "TournamentService/StartTournament", token, name=CUP)
        bots = stack.enter_context(run_bots(tmp_path / "bots", secrets, THINK_MS))
        bots.connect_to([node.server.address for node in nodes])
        assert bots.wait_until(lambda: len(set(bots.announced("over"))) >= 2), "no matches end"
        first.kill()
        bots.connect_to([node.server.address for node in nodes if node.is_running])
        with second.server.channel() as channel:
            patient_call(channel, "TournamentService/WatchTournament", token, tournament=CUP)
            ended = patient_call(channel, "TournamentService/ListPairings", token, tournament=CUP, page_size=100)
            matches = patient_call(channel, "MatchService/ListMatches", token, tournament=CUP, page_size=100).matches
            (tmp_path / "records").mkdir()
            for match in matches:
                save_record(channel, token, match.id, tmp_path / "records")
            parts = patient_call(channel, "TournamentService/GetTournamentRecord", token, tournament=CUP)
            (tmp_path / "cup.jsonl").write_text("".join(part.text for part in parts))
    assert len(ended.pairings) == PAIRINGS
    assert all(sum(pairing.points) == 1 for pairing in ended.pairings)
    assert len(matches) == PAIRINGS
    assert verify_records(tmp_path / "records", tmp_path / "cup.jsonl") == ""
