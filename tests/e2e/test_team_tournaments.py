"""A Swiss tournament of teams on the real server, and the errors of its terms and entries."""

from pathlib import Path
from typing import Any

import grpc
import pytest
from referee_api.v1 import contest_pb2, tournament_pb2

from tests.e2e.call_errors import assert_matches_contract, parse_error
from tests.e2e.contests import call_for_tournament, create_tournament
from tests.e2e.honest_bots import run_honest_bots
from tests.e2e.organiser import Organiser, new_organiser
from tests.e2e.server import run_server

pytestmark = pytest.mark.slow

TEAMS, BOARDS = 4, 2
TERMS: dict[str, Any] = {"swiss": {"rounds": 3}, "boards": BOARDS}


def teams_of(organiser: Organiser) -> list[dict[str, Any]]:
    """Return the bots of the organiser as teams."""
    bots = [{"bot": bot} for bot in organiser.bots]
    return [
        {"name": f"{organiser.name}-team-{number}", "bots": bots[number * BOARDS : (number + 1) * BOARDS]}
        for number in range(TEAMS)
    ]


def reason_of(raised: pytest.ExceptionInfo[grpc.RpcError]) -> tuple[str, str]:
    """Return the reason of an error of the contract, and the field that it names."""
    error = parse_error(raised.value)
    assert_matches_contract(error)
    return error.reason, error.metadata.get("field", "")


def test_teams_play_a_swiss_board_against_board(tmp_path: Path) -> None:
    with (
        run_server(tmp_path, "--ephemeral") as server,
        server.channel() as channel,
        new_organiser(server, channel, "organiser", TEAMS * BOARDS) as organiser,
    ):
        teams = teams_of(organiser)
        _check_errors(organiser, teams)
        created = create_tournament(organiser, entrants=teams, **TERMS)
        assert created.terms.boards == BOARDS
        assert created.terms.tie_breaks[0] == tournament_pb2.TIE_BREAK_BOARD_POINTS
        organiser.call("TournamentService/StartTournament", name=organiser.name)
        with run_honest_bots(server, tmp_path, organiser.secrets):
            call_for_tournament(organiser, "WatchTournament")

        pairings = call_for_tournament(organiser, "ListPairings").pairings
        assert len(pairings) == TEAMS * 3 // 2
        assert len({frozenset(one.entrants) for one in pairings}) == len(pairings), "there are no rematches"
        assert {one.phase for one in pairings} == {contest_pb2.PAIRING_PHASE_DONE}
        assert all(sum(one.points) == 2 and sum(one.board_points) == BOARDS for one in pairings)
        bots = {team["name"]: [bot["bot"] for bot in team["bots"]] for team in teams}
        for pairing in pairings:
            seats = [
                tuple(seat.bot for seat in organiser.call("MatchService/GetMatch", match_id=one).match.seats)
                for one in pairing.match_ids
            ]
            (first, third), (second, fourth) = (bots[name] for name in pairing.entrants)
            assert {*seats} == {(first, second), (fourth, third)}

        table = call_for_tournament(organiser, "GetTournamentStandings").standings
        for row in table:
            own = [(one, [*one.entrants].index(row.entrant)) for one in pairings if row.entrant in one.entrants]
            assert row.points == sum(one.points[place] for one, place in own)
            assert row.tie_breaks[0].value == sum(one.board_points[place] for one, place in own)
        assert [row.points for row in table] == sorted((row.points for row in table), reverse=True)


def _check_errors(organiser: Organiser, teams: list[dict[str, Any]]) -> None:
    bad_terms = (
        ({"elimination": {}, "boards": BOARDS}, "boards"),
        ({**TERMS, "boards": 4_000_000_000}, "boards"),
        ({**TERMS, "duplicate_play": {}}, "boards"),
        ({"swiss": {"rounds": 3}, "tie_breaks": [tournament_pb2.TIE_BREAK_BOARD_POINTS]}, "tie_breaks"),
    )
    for terms, field in bad_terms:
        with pytest.raises(grpc.RpcError) as raised:
            create_tournament(organiser, **terms)
        reason, named = reason_of(raised)
        assert (reason, field in named) == ("BAD_FIELD", True)
    too_few = {**teams[0], "bots": teams[0]["bots"][:1]}
    shared = {**teams[1], "bots": [teams[1]["bots"][0], teams[0]["bots"][0]]}
    for entrants, reason in (([too_few], "BAD_SEATS"), ([teams[0], shared], "ALREADY_IN")):
        with pytest.raises(grpc.RpcError) as raised:
            create_tournament(organiser, entrants=entrants, **TERMS)
        assert reason_of(raised)[0] == reason
