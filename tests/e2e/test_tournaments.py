"""Complete tournaments on the real server: creation, entry, play to the end and watching."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import grpc
import pytest
from referee_api.v1 import contest_pb2, policy_pb2, sprt_pb2, tournament_pb2
from referee_api.v1 import tournament_service_pb2 as pb

from tests.e2e.call_errors import parse_error
from tests.e2e.contests import (
    call_for_tournament,
    create_tournament,
    entrants_of,
    match_terms,
    start_tournament,
)
from tests.e2e.honest_bots import run_honest_bots
from tests.e2e.organiser import Organiser, new_organiser
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


def read_watch(watched: list[Any]) -> tuple[pb.TournamentSnapshot, list[tournament_pb2.TournamentEntry]]:
    """Return the snapshot and the entries of a watch."""
    first, *rest = [item for response in watched for item in response.items]
    return first.snapshot, [item.entry for item in rest]


def kinds(entries: list[tournament_pb2.TournamentEntry]) -> list[str]:
    return [entry.WhichOneof("event") or "" for entry in entries]


def cross_table_by_pages(organiser: Organiser, page_size: int) -> list[tournament_pb2.CrossTableRow]:
    rows: list[tournament_pb2.CrossTableRow] = []
    token = ""
    while True:
        page = call_for_tournament(organiser, "GetCrossTable", page_size=page_size, page_token=token)
        assert len(page.rows) <= page_size
        rows += page.rows
        token = page.next_page_token
        if not token:
            return rows


def test_a_round_robin_is_played_to_its_end_with_consistent_results(organiser: Organiser, tmp_path: Path) -> None:
    start_tournament(organiser)
    with run_honest_bots(organiser.server, tmp_path, organiser.secrets):
        snapshot, entries = read_watch(call_for_tournament(organiser, "WatchTournament", after_number=0))
    assert snapshot.tournament.phase == tournament_pb2.TOURNAMENT_PHASE_PLAYING
    assert [entry.number for entry in entries] == list(range(1, len(entries) + 1))
    assert kinds(entries)[:7] == [
        "created",
        "entrant_joined",
        "entrant_joined",
        "entrant_joined",
        "entrant_joined",
        "round_started",
        "pairings_planned",
    ]
    assert kinds(entries)[-1] == "ended"
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
    assert read_watch(call_for_tournament(organiser, "WatchTournament"))[1] == []


def export(organiser: Organiser, form: str) -> str:
    return "".join(part.text for part in call_for_tournament(organiser, "ExportTournament", format=form))


def test_a_pairing_that_waits_for_absent_entrants_shows_when_they_lose_it(organiser: Organiser) -> None:
    started = start_tournament(organiser, no_show_ms=3_600_000, swiss={"rounds": 1})
    calls = (call_for_tournament(organiser, "ListPairings") for _ in range(5_000))
    pairing = next(answer.pairings[0] for answer in calls if answer.pairings[0].HasField("no_show_time"))
    assert pairing.no_show_time.ToMilliseconds() >= started.start_time.ToMilliseconds() + 3_600_000
    organiser.call("TournamentService/CancelTournament", name=organiser.name)


def test_a_bot_cannot_change_the_entries_of_others(organiser: Organiser) -> None:
    create_tournament(organiser, entrants=entrants_of(organiser)[:1])
    other = [{"bot": organiser.bots[2]}]
    strangers: list[tuple[str, dict[str, Any]]] = [
        ("EnterTournament", {"tournament": organiser.name, "entrant": {"bots": other}}),
        ("WithdrawEntrant", {"tournament": organiser.name, "entrant": organiser.bots[0]}),
        ("RequestBye", {"tournament": organiser.name, "entrant": organiser.bots[0], "round": 1, "kind": 1}),
        ("StartTournament", {"name": organiser.name}),
        ("CancelTournament", {"name": organiser.name}),
    ]
    for method, fields in strangers:
        with pytest.raises(grpc.RpcError) as raised:
            organiser.call_as_bot(1, f"TournamentService/{method}", **fields)
        assert parse_error(raised.value).reason == "NOT_YOURS"
    organiser.call_as_bot(1, "TournamentService/EnterTournament", tournament=organiser.name)
    left = organiser.call_as_bot(1, "TournamentService/WithdrawEntrant", tournament=organiser.name).tournament
    assert [entrant.name for entrant in left.entrants] == organiser.bots[:1]


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
