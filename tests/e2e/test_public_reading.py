"""Reading without a token: off by default; if it is on, as spectators may, within limits of its own."""

from typing import Any

import pytest
from referee_api.v1 import game_pb2, policy_pb2
from referee_client import Organiser as Client

from referee.accounts.tokens import Role
from referee.transport.contract_options import CALL_RULES
from tests.cli.runner import output_of
from tests.e2e.call_errors import error_of, reason_of
from tests.e2e.contests import create_ladder, start_tournament
from tests.e2e.organiser import Organiser, call_method, new_organiser
from tests.e2e.server import ServerProcess, run_server

pytestmark = pytest.mark.slow

SERVER_FLAGS = ("--ephemeral", "--public-reading", "--public-calls-per-minute", "3000")


def read(organiser: Organiser, method: str, **fields: Any) -> Any:
    """Call a method without a token."""
    return call_method(organiser.channel, method, None, **fields)


def test_a_call_without_a_token_is_admitted_exactly_if_the_public_may_make_it(organiser: Organiser) -> None:
    methods = [method for method in CALL_RULES if method != "PlayService/Play"]
    admitted = [method for method in methods if reason_of(read, organiser, method) != "NO_TOKEN"]
    assert admitted == [method for method in methods if Role.PUBLIC in CALL_RULES[method].callers]


def test_without_the_setting_no_method_can_be_called_without_a_token(tmp_path_factory: pytest.TempPathFactory) -> None:
    with run_server(tmp_path_factory.mktemp("private"), "--ephemeral") as server, server.channel() as channel:
        for method, rule in CALL_RULES.items():
            if method == "PlayService/Play" or not rule.needs_token:
                continue
            error = error_of(call_method, channel, method, None)
            assert (method, error.reason, error.code) == (method, "NO_TOKEN", "UNAUTHENTICATED")


def test_an_invalid_token_is_not_taken_for_none(organiser: Organiser) -> None:
    assert reason_of(call_method, organiser.channel, "GameService/ListGames", "rf_wrong") == "BAD_TOKEN"


def test_the_public_reads_games_contests_and_a_finished_match_by_the_sdk(organiser: Organiser) -> None:
    match_id = organiser.start_match()
    organiser.call("MatchService/AbortMatch", request_id="abort it", match_id=match_id)
    create_ladder(organiser)
    start_tournament(organiser)
    with Client(organiser.server.address, token="") as public:
        assert "alquerque" in {game.name for game in public.games()}
        assert match_id in {match.id for match in public.matches(bot=organiser.bots[0])}
        assert match_id.encode() in public.record_bytes(match_id)
        assert public.tournaments.get(organiser.name).name == organiser.name
        assert len(public.tournaments.standings(organiser.name)) == len(organiser.bots)
        assert list(public.tournaments.pairings(organiser.name))
        assert public.ladders.get(organiser.name).name == organiser.name


def test_the_public_sees_no_more_of_a_match_than_a_spectator(server: ServerProcess) -> None:
    with server.channel() as channel, new_organiser(server, channel, "toc-players", 4) as organiser:
        toc = game_pb2.Rules(game="toc")
        shown = organiser.start_match(rules=toc)
        later = organiser.start_match(
            rules=toc, visibility=policy_pb2.Visibility(kind=policy_pb2.VISIBILITY_KIND_AFTER_END)
        )
        state = read(organiser, "MatchService/GetMatch", match_id=shown).state
        assert "?" in state.position
        watched = next(read(organiser, "MatchService/WatchMatch", match_id=shown, after_number=0))
        assert "?" in watched.items[0].snapshot.state.position or not watched.items[0].snapshot.state.position
        assert not read(organiser, "MatchService/GetMatch", match_id=later).HasField("state")
        assert not next(read(organiser, "MatchService/WatchMatch", match_id=later)).items[0].snapshot.HasField("state")
        assert reason_of(read, organiser, "MatchService/GetMatch", match_id=shown, seat=0) == "NOT_YOURS"
        assert reason_of(read, organiser, "MatchService/GetRecord", match_id=shown) == "MATCH_NOT_OVER"


def test_a_command_reads_without_a_token(organiser: Organiser) -> None:
    start_tournament(organiser)
    arguments = ["tournament", "show", organiser.name, "--at", organiser.server.address, "--token", ""]
    assert organiser.bots[0] in output_of(*arguments)
