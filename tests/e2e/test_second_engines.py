"""Matches that run beside a second engine on a real server: what is void, and who sees why."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from referee_api.v1 import game_pb2

from tests.e2e.organiser import call_method
from tests.e2e.server import ServerProcess, run_server
from tests.e2e.server_metrics import metrics
from tests.e2e.test_server_faults import assert_refused
from tests.e2e.test_visibility import connect_organiser, install_games, watch_match

CHESS960 = game_pb2.Rules(game="chess", options={"chess960": "true"})
FLAGS = ("--second-engines",)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install nim, and second engines with planted errors."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "games"))
    install_games(tmp_path / "games", nim="tests.third_party_games.third_party_games:NIM")
    points = tmp_path / "games" / "strange_games-1.dist-info" / "entry_points.txt"
    engines = "wrong = tests.engines.second.planted:WRONG_TEXT\nplanted = tests.engines.second.planted:FORGETFUL\n"
    points.write_text(f"{points.read_text()}\n[referee.second_engines]\n{engines}")
    return tmp_path


@pytest.fixture
def server(installed: Path) -> Iterator[ServerProcess]:
    with run_server(installed, *FLAGS) as running:
        yield running


def test_a_match_goes_on_beside_its_second_engine_after_a_restart(installed: Path) -> None:
    with run_server(installed, *FLAGS) as server, connect_organiser(server, "restart") as organiser:
        match_id = organiser.start_match(rules=game_pb2.Rules(game="nim", options={"heap": "9"}), second_engine="wrong")
        organiser.submit_move(organiser.next_turn(0), "3")
        token = organiser.next_turn(1).turn_token
        server.kill()
    with run_server(installed, *FLAGS) as server, server.channel() as channel:
        move = {"match_id": match_id, "turn_token": token, "move": "2", "request_id": "two"}
        with pytest.raises(grpc.RpcError) as raised:
            call_method(channel, "MatchService/SubmitMove", organiser.secrets[1], **move)
        assert_refused(raised, "ENGINE_FAULT")
        watched = watch_match(channel, organiser.token, match_id)[-1]
        assert "nim and wrong differ at ply 2" in watched.play_ended.result.voided.message
        assert scrape(server, "referee_engine_differences_total") == 1


@pytest.mark.parametrize(
    ("terms", "why"),
    [
        ({"second_engine": "other"}, "unknown second engine of alquerque 'other'; known: reference"),
        ({"second_engine": "pyspiel", "rules": CHESS960}, "pyspiel does not play chess960"),
    ],
)
def test_engines_that_are_unknown_or_do_not_fit_are_refused(
    server: ServerProcess, terms: dict[str, Any], why: str
) -> None:
    with connect_organiser(server, "unknown") as organiser:
        with pytest.raises(grpc.RpcError) as raised:
            organiser.create_match(**terms)
        assert why in str(raised.value)


def test_a_server_allows_no_second_engines_by_default(tmp_path: Path) -> None:
    with run_server(tmp_path) as server, connect_organiser(server, "off") as organiser:
        with pytest.raises(grpc.RpcError) as raised:
            organiser.create_match(second_engine="reference")
        assert_refused(raised, "BAD_FIELD")
        assert "this server allows none" in str(raised.value)


def scrape(server: ServerProcess, name: str) -> float:
    return metrics(server).get(name, 0)
