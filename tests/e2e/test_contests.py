"""Complete ladders and tournaments on the real server: creation, entry, matches, ratings, results and watching."""

from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from referee_api.v1 import contest_pb2, ladder_pb2, tournament_pb2

from tests.e2e.call_errors import reason_of
from tests.e2e.contests import (
    TOC,
    call_for_ladder,
    call_for_tournament,
    create_ladder,
    join_ladder,
    start_tournament,
)
from tests.e2e.honest_bots import run_honest_bots
from tests.e2e.organiser import Organiser, call_method, entries_of, new_organiser
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


# Ladders


def rated_by(watched: Any, times: int) -> list[ladder_pb2.LadderEntry]:
    """Read until this number of matches have been rated, and return all entries."""
    log: list[ladder_pb2.LadderEntry] = []
    while sum(entry.HasField("match_rated") for entry in log) < times:
        log += entries_of(next(watched))
    return log


def test_a_ladder_pairs_and_rates_matches_until_it_is_closed(organiser: Organiser, tmp_path: Path) -> None:
    create_ladder(organiser)
    join_ladder(organiser, *range(BOTS))
    watched = call_for_ladder(organiser, "WatchLadder", after_number=0)
    with run_honest_bots(organiser.server, tmp_path, organiser.secrets):
        log = rated_by(watched, 6)
        closed = call_for_ladder(organiser, "CloseLadder", message="enough").ladder
        log += [entry for response in watched for entry in entries_of(response)]
    assert closed.closed
    assert [entry.WhichOneof("event") for entry in log[: 1 + BOTS]] == ["created", *["entrant_joined"] * BOTS]
    assert log[-1].closed.message == "enough"
    rated = [entry.match_rated for entry in log if entry.HasField("match_rated")]
    assert len(rated) == len({event.match_id for event in rated}) >= 6

    rows = {row.entrant.name: row for row in call_for_ladder(organiser, "ListLadderStandings").standings}
    average = sum(row.rating.value for row in rows.values()) / len(rows)
    assert average == pytest.approx(1500, abs=0.01), "estimates, other than live ratings, keep the average"
    changes = [change for event in rated for change in event.ratings]
    for bot in organiser.bots:
        mine = [change for change in changes if change.bot == bot]
        rating, after = rows[bot].rating, mine[-1].after
        assert (rating.matches, rating.provisional) == (after.matches, after.provisional)
        assert rows[bot].lower_bound == rating.value - 2 * rating.deviation
        assert rows[bot].wins + rows[bot].draws + rows[bot].losses == len(mine)
        assert [change.before.value for change in mine[1:]] == [change.after.value for change in mine[:-1]]
        points = call_for_ladder(organiser, "ListRatingHistory", bot=bot).points
        assert [point.rating for point in points] == [change.after for change in mine]
        assert {(point.version, point.season) for point in points} == {("1", 1)}
    for event in rated:
        assert event.weight == 1
        match = organiser.call("MatchService/GetMatch", match_id=event.match_id).match
        assert (match.ladder, list(match.ratings)) == (organiser.name, list(event.ratings))


def test_players_and_watchers_of_a_rated_match_get_its_rating_changes(organiser: Organiser) -> None:
    create_ladder(organiser)
    join_ladder(organiser, 0, 1)
    bots = [organiser.connection(seat) for seat in (0, 1)]
    match_id = bots[0].receive("match_started").match.id
    watched = organiser.call("MatchService/WatchMatch", match_id=match_id, after_number=0)
    bots[0].send(resignation={"match_id": match_id})
    ended = [bot.receive("match_ended") for bot in bots]
    assert [change.seat for change in ended[0].ratings] == [0, 1]
    by_bot = {change.bot: change for change in ended[0].ratings}
    assert by_bot[organiser.bots[0]].after.value < 1500 < by_bot[organiser.bots[1]].after.value
    assert all(change.before.value == 1500 and change.before.provisional for change in by_bot.values())
    seen = [entry for response in watched for entry in entries_of(response)]
    match = organiser.call("MatchService/GetMatch", match_id=match_id).match
    assert ended[1].ratings == ended[0].ratings == seen[-1].play_ended.ratings == match.ratings


def test_challenges_of_one_holder_fill_neither_the_places_nor_the_quota_of_an_opponent(
    organiser: Organiser, server: ServerProcess
) -> None:
    create_ladder(organiser)
    with new_organiser(server, organiser.channel, f"{organiser.name}-rival", 2) as rival:
        for bot_of, seat in ((organiser, 0), (rival, 0), (rival, 1)):
            bot_of.call_as_bot(seat, "LadderService/JoinLadder", ladder=organiser.name)
        victim = organiser.bots[0]
        challenge = {"method": "LadderService/Challenge", "ladder": organiser.name}
        for number in range(2):
            rival.call(**challenge, request_id=f"{number}", entrants=[rival.bots[number], victim])
        third = {"request_id": "2", "entrants": [rival.bots[0], victim]}
        assert reason_of(rival.call, **challenge, **third) == "TOO_MANY_MATCHES"
        assert rival.call(**challenge, request_id="1", entrants=[rival.bots[1], victim]).pairing.id
        organiser.set_quota(max_matches=3)
        for number in range(3):
            organiser.call(**challenge, request_id=f"{number}", entrants=[victim, rival.bots[0]])


def test_repeated_requests_get_their_first_answer_after_the_ladder_is_closed(organiser: Organiser) -> None:
    create_ladder(organiser)
    join_ladder(organiser, 0, 1)
    request = {"request_id": "a challenge", "ladder": organiser.name, "entrants": organiser.bots[:2]}
    pairing = organiser.call_as_bot(0, "LadderService/Challenge", **request).pairing
    assert call_for_ladder(organiser, "StartSeason", request_id="a season").ladder.season == 2
    organiser.call_as_bot(0, "LadderService/LeaveLadder", ladder=organiser.name)
    call_for_ladder(organiser, "CloseLadder")
    assert organiser.call_as_bot(0, "LadderService/Challenge", **request).pairing.id == pairing.id
    assert call_for_ladder(organiser, "StartSeason", request_id="a season").ladder.season == 2


def test_a_match_that_the_ladder_cannot_rate_is_rejected(organiser: Organiser) -> None:
    create_ladder(organiser)
    join_ladder(organiser, 0, 1)
    another = organiser.create_token("organiser", f"{organiser.name}-another")

    def reason(owner: str = organiser.token, ladder: str = organiser.name, **terms: Any) -> str:
        request = organiser.match_request(**{"seating": (0, 1)} | terms) | {"ladder": ladder}
        return reason_of(call_method, organiser.channel, "MatchService/CreateMatch", owner, **request)

    assert reason(ladder="nowhere") == "NO_SUCH_LADDER"
    assert reason(seating=(0, 2)) == "NOT_A_MEMBER"
    assert reason(rules=TOC, seating=(0, 1, 0, 1)) == "BAD_SEATS"
    assert reason(another) == "NOT_YOURS"
    assert reason() == ""
    call_for_ladder(organiser, "CloseLadder")
    assert reason() == "LADDER_CLOSED"


def test_only_members_of_the_ladder_can_join_a_rated_match(organiser: Organiser) -> None:
    create_ladder(organiser)
    join_ladder(organiser, 0, 1)
    request = organiser.match_request() | {"ladder": organiser.name, "seats": [{"bot": organiser.bots[0]}, {}]}
    match_id = organiser.call("MatchService/CreateMatch", **request).match.id
    join = partial(call_method, organiser.channel, "MatchService/JoinMatch", match_id=match_id)
    assert reason_of(join, organiser.secrets[2]) == "NOT_A_MEMBER"
    assert join(organiser.secrets[1]).seat == 1


def test_a_holder_cannot_have_the_name_of_a_contest(organiser: Organiser) -> None:
    for holder in ("ladder/main", "tournament/cup"):
        assert reason_of(organiser.create_token, "organiser", holder) == "BAD_FIELD"


# Tournaments


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
