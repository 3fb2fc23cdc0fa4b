"""Complete tournaments on the real server: creation, entry, play to the end and watching."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from referee_api.v1 import contest_pb2, policy_pb2, sprt_pb2, tournament_pb2

from tests.e2e.contests import (
    call_for_tournament,
    create_tournament,
    match_terms,
    start_tournament,
)
from tests.e2e.honest_bots import run_honest_bots
from tests.e2e.organiser import Organiser, entries_of, new_organiser
from tests.e2e.server import ServerProcess, run_server
from tests.e2e.server_metrics import error_log_lines

pytestmark = pytest.mark.slow

BOTS = 4
NUMBERS = count(1)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with run_server(tmp_path_factory.mktemp("server"), "--durability", "normal") as running:
        yield running
        assert not list(error_log_lines(running))


@pytest.fixture
def organiser(server: ServerProcess) -> Iterator[Organiser]:
    with server.channel() as channel, new_organiser(server, channel, f"organiser-{next(NUMBERS)}", BOTS) as organiser:
        yield organiser


def cross_table_by_pages(organiser: Organiser, page_size: int) -> list[tournament_pb2.CrossTableRow]:
    rows: list[tournament_pb2.CrossTableRow] = []
    token = None
    while token != "":
        page = call_for_tournament(organiser, "GetCrossTable", page_size=page_size, page_token=token)
        assert len(page.rows) <= page_size
        rows += page.rows
        token = page.next_page_token
    return rows


def test_a_round_robin_is_played_to_its_end_with_consistent_results(organiser: Organiser, tmp_path: Path) -> None:
    start_tournament(organiser)
    with run_honest_bots(organiser.server, tmp_path, organiser.secrets):
        watched = call_for_tournament(organiser, "WatchTournament", after_number=0)
    entries = [entry for response in watched for entry in entries_of(response)]
    assert watched[0].items[0].snapshot.tournament.phase == tournament_pb2.TOURNAMENT_PHASE_PLAYING
    assert [entry.number for entry in entries] == list(range(1, len(entries) + 1))
    kinds = [entry.WhichOneof("event") for entry in entries]
    assert kinds[:7] == ["created", *["entrant_joined"] * BOTS, "round_started", "pairings_planned"]
    assert kinds[-1] == "ended"
    ended = entries[-1].ended
    assert ended.phase == tournament_pb2.TOURNAMENT_PHASE_FINISHED

    table = call_for_tournament(organiser, "GetTournamentStandings").standings
    assert table == ended.standings
    assert sum(row.points for row in table) == 6
    assert {row.entrant for row in table} == set(organiser.bots)
    assert all(row.wins + row.draws + row.losses == 3 for row in table)
    assert all(row.estimate.low_elo < row.estimate.elo < row.estimate.high_elo for row in table)
    assert sum(row.estimate.elo for row in table) == pytest.approx(0)

    pairings = call_for_tournament(organiser, "ListPairings").pairings
    assert [(pairing.round, pairing.board) for pairing in pairings] == [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)]
    assert {pairing.phase for pairing in pairings} == {contest_pb2.PAIRING_PHASE_DONE}
    ids = [pairing.match_ids[0] for pairing in pairings]
    cross = call_for_tournament(organiser, "GetCrossTable").rows
    assert [row.entrant for row in cross] == [row.entrant for row in table]
    assert cross_table_by_pages(organiser, page_size=3) == list(cross)
    for row in cross:
        mine = next(standing.points for standing in table if standing.entrant == row.entrant)
        assert sum(cell.points for cell in row.cells) == mine
    assert {match_id for row in cross for cell in row.cells for match_id in cell.match_ids} == set(ids)

    match = organiser.call("MatchService/GetMatch", match_id=ids[0]).match
    assert (match.tournament, match.pairing_id) == (organiser.name, pairings[0].id)
    assert [seat.bot for seat in match.seats] == list(pairings[0].entrants)
    listed = organiser.call("MatchService/ListMatches", tournament=organiser.name).matches
    assert {played.id for played in listed} == set(ids)

    over = organiser.call("TournamentService/GetTournament", name=organiser.name).tournament
    assert (over.current_round, over.total_rounds, over.completed_pairings, over.total_pairings) == (3, 3, 6, 6)
    assert over.create_time.seconds <= over.start_time.seconds <= over.end_time.seconds
    assert [len(response.items) for response in call_for_tournament(organiser, "WatchTournament")] == [1], "no entries"


def test_a_pairing_that_waits_for_absent_entrants_shows_when_they_lose_it(organiser: Organiser) -> None:
    started = start_tournament(organiser, no_show_ms=3_600_000, swiss={"rounds": 1})
    calls = (call_for_tournament(organiser, "ListPairings") for _ in range(5_000))
    pairing = next(answer.pairings[0] for answer in calls if answer.pairings[0].HasField("no_show_time"))
    assert pairing.no_show_time.ToMilliseconds() >= started.start_time.ToMilliseconds() + 3_600_000
    organiser.call("TournamentService/CancelTournament", name=organiser.name)


@pytest.mark.parametrize(
    ("form", "timeout_ms"),
    [
        ({"round_robin": {}}, 1000),
        ({"round_robin": {}, "duplicate_play": {}}, 0),
        ({"sprt": {"elo1": 5, "model": sprt_pb2.SPRT_MODEL_TRINOMIAL}}, 1000),
        ({"sprt": {"elo1": 5}}, 0),
    ],
)
def test_a_tournament_asks_for_nonces_by_default_if_the_seed_matters_and_its_matches_form_no_sets(
    organiser: Organiser, form: dict[str, Any], timeout_ms: int
) -> None:
    late = policy_pb2.Policies(timeout=policy_pb2.TIMEOUT_ACTION_RANDOM_MOVE)
    terms = create_tournament(organiser, match_terms=match_terms(policies=late), **form).terms.match_terms
    assert (terms.nonce_timeout_ms, terms.without_nonces) == (timeout_ms, not timeout_ms)
