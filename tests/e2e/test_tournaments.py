"""Complete tournaments on the real server: creation, entry, play to the end and watching."""

import csv
import io
import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import grpc
import pytest
from referee_api.v1 import contest_pb2, policy_pb2, sprt_pb2, tournament_pb2
from referee_api.v1 import tournament_service_pb2 as pb

from tests.e2e.call_errors import assert_matches_contract, parse_error
from tests.e2e.contests import (
    call_for_tournament,
    create_ladder,
    create_tournament,
    entrants_of,
    match_terms,
    start_tournament,
    tournament_request,
)
from tests.e2e.honest_bots import run_honest_bots
from tests.e2e.organiser import Organiser, call_method, new_organiser, server_with_organiser
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
    assert [(one.round, one.board) for one in pairings] == [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)]
    assert {one.phase for one in pairings} == {contest_pb2.PAIRING_PHASE_DONE}
    ids = [one.match_ids[0] for one in pairings]
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
    assert {one.id for one in listed} == set(ids)

    over = organiser.call("TournamentService/GetTournament", name=organiser.name).tournament
    assert (over.current_round, over.total_rounds, over.completed_pairings, over.total_pairings) == (3, 3, 6, 6)
    assert over.create_time.seconds <= over.start_time.seconds <= over.end_time.seconds
    assert read_watch(call_for_tournament(organiser, "WatchTournament"))[1] == []


def test_a_tournament_is_exported_in_every_format(organiser: Organiser) -> None:
    start_tournament(organiser)
    for bot in organiser.bots[1:]:
        call_for_tournament(organiser, "WithdrawEntrant", entrant=bot, message="no time")
    snapshot, entries = read_watch(call_for_tournament(organiser, "WatchTournament", after_number=0))
    assert [entry.entrant_left.message for entry in entries if entry.HasField("entrant_left")] == ["no time"] * 3
    assert snapshot.tournament.withdrawn_entrants == organiser.bots[1:]

    files = {form: export(organiser, f"EXPORT_FORMAT_{form}") for form in ("CSV", "JSON", "TRF")}
    rows = list(csv.DictReader(io.StringIO(files["CSV"])))
    assert rows[0]["entrant"] == organiser.bots[0]
    assert json.loads(files["JSON"])["standings"][0]["entrant"] == organiser.bots[0]
    assert files["TRF"].startswith("012 ")


def export(organiser: Organiser, form: str) -> str:
    return "".join(part.text for part in call_for_tournament(organiser, "ExportTournament", format=form))


def test_a_watch_resumes_after_any_entry(organiser: Organiser) -> None:
    start_tournament(organiser)
    for bot in organiser.bots[1:]:
        call_for_tournament(organiser, "WithdrawEntrant", entrant=bot)
    _, entries = read_watch(call_for_tournament(organiser, "WatchTournament", after_number=0))
    for number in range(len(entries)):
        assert read_watch(call_for_tournament(organiser, "WatchTournament", after_number=number))[1] == entries[number:]


def test_a_tournament_continues_after_a_kill(tmp_path: Path) -> None:
    with (
        run_server(tmp_path) as server,
        server.channel() as channel,
        new_organiser(server, channel, "killed", BOTS) as organiser,
    ):
        start_tournament(organiser)
        with run_honest_bots(server, tmp_path, organiser.secrets):
            watched = organiser.call("TournamentService/WatchTournament", tournament=organiser.name, after_number=0)
            seen: list[Any] = []
            while "pairing" not in kinds(read_watch(seen)[1] if seen else []):
                seen.append(next(watched))
        server.kill()
        before = read_watch(seen)[1]
    with (
        run_server(tmp_path) as server,
        server.channel() as channel,
        run_honest_bots(server, tmp_path, organiser.secrets),
    ):
        answer = call_method(
            channel, "TournamentService/WatchTournament", organiser.token, tournament=organiser.name, after_number=0
        )
        _, entries = read_watch(list(answer))
        assert entries[: len(before)] == before
        assert kinds(entries)[-1] == "ended"
        assert sum(row.points for row in entries[-1].ended.standings) == 6


def test_an_sprt_stops_at_its_maximum_of_matches(server: ServerProcess, tmp_path: Path) -> None:
    with server.channel() as channel, new_organiser(server, channel, "sprt", 2) as organiser:
        start_tournament(organiser, sprt={"elo1": 400, "max_matches": 8}, max_concurrent_matches=4)
        with run_honest_bots(server, tmp_path, organiser.secrets):
            _, entries = read_watch(call_for_tournament(organiser, "WatchTournament", after_number=0))
        state = call_for_tournament(organiser, "GetTournamentStandings").sprt
        assert state.verdict in (
            sprt_pb2.SPRT_VERDICT_UNDECIDED,
            sprt_pb2.SPRT_VERDICT_FAILED,
            sprt_pb2.SPRT_VERDICT_PASSED,
        )
        assert 2 * sum(state.counts) == state.matches <= 8
        assert state.llr_lower < 0 < state.llr_upper
        assert [entry.sprt for entry in entries if entry.HasField("sprt")][-1].counts == state.counts
        sets = {
            match.id: match.seed_commitment.seed
            for match in organiser.call("MatchService/ListMatches", tournament="sprt").matches
        }
        assert len(set(sets.values())) == len(sets) / 2


def test_a_repeated_request_creates_one_tournament_and_a_different_body_is_rejected(organiser: Organiser) -> None:
    request = tournament_request(organiser, entrants=entrants_of(organiser))
    first, second = (organiser.call("TournamentService/CreateTournament", **request).tournament for _ in range(2))
    assert first == second
    with pytest.raises(grpc.RpcError) as raised:
        organiser.call("TournamentService/CreateTournament", **request | {"title": "Another"})
    assert parse_error(raised.value).reason == "REQUEST_ID_REUSED"


def test_created_terms_show_every_default(organiser: Organiser) -> None:
    tournament = create_tournament(organiser, elimination={})
    terms = tournament.terms
    assert terms.elimination == tournament_pb2.Elimination(matches_per_pairing=1, max_extra_matches=2)
    assert terms.seeding == tournament_pb2.SEEDING_ENTRY_ORDER
    assert terms.partner_rule == contest_pb2.PARTNER_RULE_INDIVIDUAL
    assert terms.match_terms.policies.illegal_move.max_attempts == 3
    assert tournament.title == organiser.name


def test_a_pairing_that_waits_for_absent_entrants_shows_when_they_lose_it(organiser: Organiser) -> None:
    started = start_tournament(organiser, no_show_ms=3_600_000, swiss={"rounds": 1})
    calls = (call_for_tournament(organiser, "ListPairings") for _ in range(5_000))
    pairing = next(answer.pairings[0] for answer in calls if answer.pairings[0].HasField("no_show_time"))
    assert pairing.no_show_time.ToMilliseconds() >= started.start_time.ToMilliseconds() + 3_600_000
    organiser.call("TournamentService/CancelTournament", name=organiser.name)


def test_tournaments_are_listed_page_by_page_the_newest_first(organiser: Organiser) -> None:
    names = [f"{organiser.name}-{number}" for number in range(3)]
    for name in names:
        create_tournament(organiser, name=name, request_id=name, entrants=entrants_of(organiser)[:1])
    found: list[str] = []
    page = organiser.call("TournamentService/ListTournaments", bot=organiser.bots[0], game="alquerque", page_size=2)
    found += [one.name for one in page.tournaments]
    token = page.next_page_token
    page = organiser.call(
        "TournamentService/ListTournaments", bot=organiser.bots[0], game="alquerque", page_size=2, page_token=token
    )
    assert [*found, *(one.name for one in page.tournaments)] == names[::-1]
    assert not page.next_page_token


def test_a_bot_cannot_change_the_entries_of_others(organiser: Organiser) -> None:
    create_tournament(organiser, entrants=entrants_of(organiser)[:1])
    other = [{"bot": organiser.bots[2]}]
    strangers: list[tuple[str, dict[str, Any]]] = [
        ("EnterTournament", {"tournament": organiser.name, "entrant": {"bots": other}}),
        ("WithdrawEntrant", {"tournament": organiser.name, "entrant": organiser.bots[0]}),
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


def test_a_bot_asks_not_to_play_a_round_and_its_forbidden_opponent_is_not_paired_with_it(organiser: Organiser) -> None:
    first, second, third, fourth = organiser.bots
    terms = {"max_requested_byes": 1, "forbidden_pairs": [{"first": second, "second": third}]}
    create_tournament(organiser, entrants=entrants_of(organiser), swiss={"rounds": 2}, **terms)
    asked = organiser.call_as_bot(
        0, "TournamentService/RequestBye", tournament=organiser.name, round=1, kind="BYE_KIND_HALF_POINT"
    )
    (bye,) = asked.tournament.requested_byes
    assert (bye.entrant, bye.round, bye.kind) == (first, 1, tournament_pb2.BYE_KIND_HALF_POINT)
    with pytest.raises(grpc.RpcError) as raised:
        organiser.call_as_bot(
            0, "TournamentService/RequestBye", tournament=organiser.name, entrant=second, round=1, kind=1
        )
    assert parse_error(raised.value).reason == "NOT_YOURS"
    with pytest.raises(grpc.RpcError) as raised:
        call_for_tournament(organiser, "RequestBye", entrant=second, round=1)
    assert parse_error(raised.value).reason == "BAD_FIELD"

    started = organiser.call("TournamentService/StartTournament", name=organiser.name).tournament
    assert started.terms.forbidden_pairs[0].second == third
    listed = call_for_tournament(organiser, "ListPairings").pairings
    (opponents,) = [{*it.entrants} for it in listed if len(it.entrants) == 2]
    assert opponents in ({second, fourth}, {third, fourth})
    with pytest.raises(grpc.RpcError) as raised:
        call_for_tournament(organiser, "RequestBye", entrant=second, round=1, kind="BYE_KIND_ZERO_POINT")
    error = parse_error(raised.value)
    assert (error.reason, error.metadata["why"]) == ("BYE_NOT_POSSIBLE", "the round is paired already")
    organiser.call("TournamentService/CancelTournament", name=organiser.name)
    _, entries = read_watch(call_for_tournament(organiser, "WatchTournament", after_number=0))
    (noted,) = [entry.bye_requested for entry in entries if entry.WhichOneof("event") == "bye_requested"]
    assert noted.bye == bye


def test_a_play_off_decides_between_two_that_are_level(organiser: Organiser) -> None:
    """Nobody is connected: both are absent from the only pairing, and then one from the play-off."""
    one, other = organiser.bots[:2]
    terms = {"round_robin": {}, "play_off_entrants": 2, "max_no_shows": 9}
    create_tournament(organiser, entrants=entrants_of(organiser)[:2], **terms)
    organiser.call("TournamentService/StartTournament", name=organiser.name)

    def lose(pairing: str, *absent: str) -> None:
        call_for_tournament(organiser, "DeclareAbsent", pairing_id=pairing, entrants=absent, message="ill")

    lose("1.1", one, other)
    listed = call_for_tournament(organiser, "ListPairings", round=2).pairings
    assert [(it.id, [*it.entrants]) for it in listed] == [("p1.1", [one, other]), ("p1.2", [other, one])]
    lose("p1.1", one)
    lose("p1.2", one)
    ended = organiser.call("TournamentService/GetTournament", name=organiser.name).tournament
    assert (ended.phase, ended.total_rounds, ended.total_pairings) == (tournament_pb2.TOURNAMENT_PHASE_FINISHED, 2, 3)
    standings = call_for_tournament(organiser, "GetTournamentStandings").standings
    assert [(row.rank, row.entrant, row.points) for row in standings] == [(1, other, 0), (2, one, 0)]


@pytest.mark.parametrize(
    ("terms", "field"),
    [
        ({"swiss": {}}, "rounds"),
        ({"round_robin": {"cycles": 4_000_000_000}}, "cycles"),
        ({"sprt": {}}, "elo1"),
        ({"sprt": {"elo1": float("nan")}}, "elo1"),
        ({"sprt": {"elo1": float("inf")}}, "elo1"),
        ({"sprt": {"elo1": 5, "alpha": float("nan")}}, "alpha"),
        ({"sprt": {"elo1": 5, "beta": 0.7}}, "beta"),
        ({"gauntlet": {}}, "challengers"),
        ({"max_concurrent_matches": 4_000_000_000, "round_robin": {}}, "max_concurrent_matches"),
        ({"round_robin": {}, "last_entry_round": 1}, "last_entry_round"),
        ({"round_robin": {}, "tie_breaks": [0]}, "tie_breaks"),
        ({"swiss": {"rounds": 2}, "tie_breaks": ["TIE_BREAK_KOYA"]}, "tie_breaks"),
        ({"swiss": {"rounds": 2}, "max_requested_byes": 4_000_000_000}, "max_requested_byes"),
        ({"swiss": {"rounds": 2}, "forbidden_pairs": [{"first": "x", "second": "x"}]}, "forbidden_pairs"),
        ({"swiss": {"rounds": 2}, "forbidden_pairs": [{"first": "x", "second": "y"}] * 1_001}, "forbidden_pairs"),
        ({"swiss": {"rounds": 2}, "play_off_entrants": 9}, "play_off_entrants"),
        ({"round_robin": {}, "duplicate_play": {"arrangements": 9}}, "arrangements"),
        ({"partner_rule": 9, "round_robin": {}}, "partner_rule"),
        ({"seeding": 9, "round_robin": {}}, "seeding"),
        ({"match_terms": {"rules": {"game": "alquerque"}}}, "format"),
    ],
)
def test_invalid_numbers_are_rejected_with_the_field_and_the_problem(
    organiser: Organiser, terms: dict[str, Any], field: str
) -> None:
    with pytest.raises(grpc.RpcError) as raised:
        create_tournament(organiser, **terms)
    error = parse_error(raised.value)
    assert error.reason == "BAD_FIELD"
    assert field in error.metadata["field"]
    assert error.metadata["wrong"]


def test_a_slow_watcher_is_disconnected_and_can_resume_without_a_gap(tmp_path: Path) -> None:
    flags = ("--ephemeral", "--max-queued-watch-entries", "1")
    with server_with_organiser(tmp_path, *flags) as organiser:
        create_tournament(organiser, entrants=entrants_of(organiser))
        watched = organiser.call("TournamentService/WatchTournament", tournament=organiser.name, after_number=2)
        snapshot, *seen = [item for _ in range(2) for item in next(watched).items]
        organiser.call("TournamentService/StartTournament", name=organiser.name)  # This appends two entries at once.
        with pytest.raises(grpc.RpcError) as raised:
            list(watched)
        error = parse_error(raised.value)
        assert error.reason == "SLOW_CONSUMER"
        assert_matches_contract(error)
        assert int(error.metadata["resume_after"]) == seen[-1].entry.number == snapshot.snapshot.entry_number
        again = organiser.call(
            "TournamentService/WatchTournament", tournament=organiser.name, after_number=seen[-1].entry.number
        )
        _, first, second = [item for _ in range(2) for item in next(again).items]
        assert kinds([first.entry, second.entry]) == ["round_started", "pairings_planned"]


@pytest.mark.parametrize("method", ["TournamentService/WatchTournament", "LadderService/WatchLadder"])
def test_a_watch_of_a_contest_ends_with_draining(tmp_path: Path, method: str) -> None:
    with server_with_organiser(tmp_path, "--ephemeral") as organiser:
        create_tournament(organiser)
        create_ladder(organiser)
        kind = "tournament" if "Tournament" in method else "ladder"
        watched = organiser.call(method, **{kind: organiser.name})
        next(watched)
        assert organiser.server.stop() == 0
        with pytest.raises(grpc.RpcError) as raised:
            list(watched)
        assert parse_error(raised.value).reason == "DRAINING"


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
