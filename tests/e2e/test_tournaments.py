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
from referee_api.v1 import contest_pb2, sprt_pb2, tournament_pb2
from referee_api.v1 import tournament_service_pb2 as pb

from tests.e2e.club import Club, ask, club, club_alone
from tests.e2e.contests import entrants, in_tournament, new_ladder, new_tournament, started, tournament_request
from tests.e2e.honest import honest_bots
from tests.e2e.readings import troubles
from tests.e2e.refused import need_promised, refused
from tests.e2e.server import ServerProcess, run_server

pytestmark = pytest.mark.slow

FOUR = 4
CLUBS = count(1)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with run_server(tmp_path_factory.mktemp("server"), "--durability", "normal") as running:
        yield running
        assert not list(troubles(running))


@pytest.fixture
def here(server: ServerProcess) -> Iterator[Club]:
    with server.channel() as channel, club(server, channel, f"club-{next(CLUBS)}", FOUR) as founded:
        yield founded


def told(watched: list[Any]) -> tuple[pb.TournamentSnapshot, list[tournament_pb2.TournamentEntry]]:
    """Return the snapshot and the entries of a watch."""
    first, *rest = [item for response in watched for item in response.items]
    return first.snapshot, [item.entry for item in rest]


def kinds(entries: list[tournament_pb2.TournamentEntry]) -> list[str]:
    return [entry.WhichOneof("event") or "" for entry in entries]


def test_a_round_robin_is_played_to_its_end_and_told_the_same_everywhere(here: Club, tmp_path: Path) -> None:
    started(here)
    with honest_bots(here.server, tmp_path, here.secrets):
        whole, entries = told(in_tournament(here, "WatchTournament", after_number=0))
    assert whole.tournament.phase == tournament_pb2.TOURNAMENT_PHASE_PLAYING
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

    table = in_tournament(here, "GetTournamentStandings").standings
    assert table == ended.standings
    assert sum(row.points for row in table) == 6
    assert {row.entrant for row in table} == set(here.bots)
    assert all(row.wins + row.draws + row.losses == 3 for row in table)
    assert all(row.estimate.low_elo < row.estimate.elo < row.estimate.high_elo for row in table)
    assert sum(row.estimate.elo for row in table) == pytest.approx(0)

    pairings = in_tournament(here, "ListPairings").pairings
    assert [(one.round, one.board) for one in pairings] == [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)]
    assert {one.phase for one in pairings} == {contest_pb2.PAIRING_PHASE_DONE}
    ids = [one.match_ids[0] for one in pairings]
    cross = in_tournament(here, "GetCrossTable").rows
    assert [row.entrant for row in cross] == [row.entrant for row in table]
    for row in cross:
        mine = next(standing.points for standing in table if standing.entrant == row.entrant)
        assert sum(cell.points for cell in row.cells) == mine
    assert {match_id for row in cross for cell in row.cells for match_id in cell.match_ids} == set(ids)

    match = here.ask("MatchService/GetMatch", match_id=ids[0]).match
    assert (match.tournament, match.pairing_id) == (here.name, pairings[0].id)
    assert [seat.bot for seat in match.seats] == list(pairings[0].entrants)
    listed = here.ask("MatchService/ListMatches", tournament=here.name).matches
    assert {one.id for one in listed} == set(ids)

    over = here.ask("TournamentService/GetTournament", name=here.name).tournament
    assert (over.current_round, over.total_rounds, over.completed_pairings, over.total_pairings) == (3, 3, 6, 6)
    assert over.create_time.seconds <= over.start_time.seconds <= over.end_time.seconds
    assert told(in_tournament(here, "WatchTournament"))[1] == []


def test_it_is_exported_in_every_form(here: Club) -> None:
    started(here)
    for bot in here.bots[1:]:
        in_tournament(here, "WithdrawEntrant", entrant=bot, message="no time")
    whole, entries = told(in_tournament(here, "WatchTournament", after_number=0))
    assert [entry.entrant_left.message for entry in entries if entry.HasField("entrant_left")] == ["no time"] * 3
    assert whole.tournament.withdrawn_entrants == here.bots[1:]

    files = {form: exported(here, f"EXPORT_FORMAT_{form}") for form in ("CSV", "JSON", "TRF")}
    rows = list(csv.DictReader(io.StringIO(files["CSV"])))
    assert rows[0]["entrant"] == here.bots[0]
    assert json.loads(files["JSON"])["standings"][0]["entrant"] == here.bots[0]
    assert files["TRF"].startswith("012 ")


def exported(here: Club, form: str) -> str:
    return "".join(part.text for part in in_tournament(here, "ExportTournament", format=form))


def test_whoever_watches_resumes_where_it_was(here: Club) -> None:
    started(here)
    for bot in here.bots[1:]:
        in_tournament(here, "WithdrawEntrant", entrant=bot)
    _, entries = told(in_tournament(here, "WatchTournament", after_number=0))
    for number in range(len(entries)):
        assert told(in_tournament(here, "WatchTournament", after_number=number))[1] == entries[number:]


def test_it_goes_on_where_it_was_when_the_referee_was_killed(tmp_path: Path) -> None:
    with run_server(tmp_path) as server, server.channel() as channel, club(server, channel, "killed", FOUR) as here:
        started(here)
        with honest_bots(server, tmp_path, here.secrets):
            watched = here.ask("TournamentService/WatchTournament", tournament=here.name, after_number=0)
            seen: list[Any] = []
            while "pairing" not in kinds(told(seen)[1] if seen else []):
                seen.append(next(watched))
        server.kill()
        before = told(seen)[1]
    with run_server(tmp_path) as server, server.channel() as channel, honest_bots(server, tmp_path, here.secrets):
        answer = ask(channel, "TournamentService/WatchTournament", here.owner, tournament=here.name, after_number=0)
        _, entries = told(list(answer))
        assert entries[: len(before)] == before
        assert kinds(entries)[-1] == "ended"
        assert sum(row.points for row in entries[-1].ended.standings) == 6


def test_a_test_of_two_stops_when_it_has_counted_enough(server: ServerProcess, tmp_path: Path) -> None:
    with server.channel() as channel, club(server, channel, "sprt", 2) as here:
        started(here, sprt={"elo1": 400, "max_matches": 8}, max_concurrent_matches=4)
        with honest_bots(server, tmp_path, here.secrets):
            _, entries = told(in_tournament(here, "WatchTournament", after_number=0))
        state = in_tournament(here, "GetTournamentStandings").sprt
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
            for match in here.ask("MatchService/ListMatches", tournament="sprt").matches
        }
        assert len(set(sets.values())) == len(sets) / 2


def test_the_same_request_makes_one_tournament_and_another_body_is_refused(here: Club) -> None:
    asked = tournament_request(here, entrants=entrants(here))
    first, second = (here.ask("TournamentService/CreateTournament", **asked).tournament for _ in range(2))
    assert first == second
    with pytest.raises(grpc.RpcError) as no:
        here.ask("TournamentService/CreateTournament", **asked | {"title": "Another"})
    assert refused(no.value).reason == "REQUEST_ID_REUSED"


def test_every_default_is_told(here: Club) -> None:
    made = new_tournament(here, elimination={})
    terms = made.terms
    assert terms.elimination == tournament_pb2.Elimination(matches_per_pairing=1, max_extra_matches=2)
    assert terms.seeding == tournament_pb2.SEEDING_ENTRY_ORDER
    assert terms.partner_rule == contest_pb2.PARTNER_RULE_INDIVIDUAL
    assert terms.match_terms.policies.illegal_move.max_attempts == 3
    assert made.title == here.name


def test_tournaments_are_listed_page_by_page_the_newest_first(here: Club) -> None:
    names = [f"{here.name}-{number}" for number in range(3)]
    for name in names:
        new_tournament(here, name=name, request_id=name, entrants=entrants(here)[:1])
    found: list[str] = []
    page = here.ask("TournamentService/ListTournaments", bot=here.bots[0], game="alquerque", page_size=2)
    found += [one.name for one in page.tournaments]
    token = page.next_page_token
    page = here.ask(
        "TournamentService/ListTournaments", bot=here.bots[0], game="alquerque", page_size=2, page_token=token
    )
    assert [*found, *(one.name for one in page.tournaments)] == names[::-1]
    assert not page.next_page_token


def test_only_who_may_changes_a_tournament(here: Club) -> None:
    new_tournament(here, entrants=entrants(here)[:1])
    other = [{"bot": here.bots[2]}]
    strangers: list[tuple[str, dict[str, Any]]] = [
        ("EnterTournament", {"tournament": here.name, "entrant": {"bots": other}}),
        ("WithdrawEntrant", {"tournament": here.name, "entrant": here.bots[0]}),
        ("StartTournament", {"name": here.name}),
        ("CancelTournament", {"name": here.name}),
    ]
    for method, fields in strangers:
        with pytest.raises(grpc.RpcError) as no:
            here.ask_as(1, f"TournamentService/{method}", **fields)
        assert refused(no.value).reason == "NOT_YOURS"
    here.ask_as(1, "TournamentService/EnterTournament", tournament=here.name)
    left = here.ask_as(1, "TournamentService/WithdrawEntrant", tournament=here.name).tournament
    assert [entrant.name for entrant in left.entrants] == here.bots[:1]


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
        ({"round_robin": {}, "duplicate_play": {"arrangements": 9}}, "arrangements"),
        ({"partner_rule": 9, "round_robin": {}}, "partner_rule"),
        ({"seeding": 9, "round_robin": {}}, "seeding"),
        ({"match_terms": {"rules": {"game": "alquerque"}}}, "format"),
    ],
)
def test_a_number_that_cannot_be_is_refused_with_what_would_be_right(
    here: Club, terms: dict[str, Any], field: str
) -> None:
    with pytest.raises(grpc.RpcError) as no:
        new_tournament(here, **terms)
    told = refused(no.value)
    assert told.reason == "BAD_FIELD"
    assert field in told.metadata["field"]
    assert told.metadata["wrong"]


def test_a_watcher_that_falls_behind_is_sent_away_and_misses_nothing(tmp_path: Path) -> None:
    flags = ("--ephemeral", "--watch-entries-waiting-at-most", "1")
    with club_alone(tmp_path, *flags) as here:
        new_tournament(here, entrants=entrants(here))
        watched = here.ask("TournamentService/WatchTournament", tournament=here.name, after_number=2)
        whole, *seen = [item for _ in range(2) for item in next(watched).items]
        here.ask("TournamentService/StartTournament", name=here.name)  # This appends two entries at once.
        with pytest.raises(grpc.RpcError) as no:
            list(watched)
        why = refused(no.value)
        assert why.reason == "SLOW_CONSUMER"
        need_promised(why)
        assert int(why.metadata["resume_after"]) == seen[-1].entry.number == whole.snapshot.entry_number
        again = here.ask("TournamentService/WatchTournament", tournament=here.name, after_number=seen[-1].entry.number)
        _, first, second = [item for _ in range(2) for item in next(again).items]
        assert kinds([first.entry, second.entry]) == ["round_started", "pairings_planned"]


@pytest.mark.parametrize("method", ["TournamentService/WatchTournament", "LadderService/WatchLadder"])
def test_who_watches_is_told_when_the_referee_is_about_to_go(tmp_path: Path, method: str) -> None:
    with club_alone(tmp_path, "--ephemeral") as here:
        new_tournament(here)
        new_ladder(here)
        kind = "tournament" if "Tournament" in method else "ladder"
        watched = here.ask(method, **{kind: here.name})
        next(watched)
        assert here.server.stop() == 0
        with pytest.raises(grpc.RpcError) as no:
            list(watched)
        assert refused(no.value).reason == "DRAINING"
