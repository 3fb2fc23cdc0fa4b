"""The real server in trouble that is not of its own making: what it says then, and that it goes on."""

import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2
from grpc_health.v1.health_pb2_grpc import HealthStub
from referee_api.v1 import game_pb2, play_pb2, refusal_pb2, result_pb2

from tests.e2e.club import Club, club_alone
from tests.e2e.refused import Refused, need_metadata, need_promised, refused
from tests.e2e.server import WITHIN_S, Running, serving
from tests.e2e.stopwatch import Stopwatch
from tests.e2e.talk import talk

pytestmark = pytest.mark.slow

BRITTLE = game_pb2.Rules(game="brittle")


def need_refused(no: pytest.ExceptionInfo[grpc.RpcError], reason: str) -> Refused:
    told = refused(no.value)
    assert told.reason == reason
    need_promised(told)
    return told


def answer(turn: play_pb2.Turn, move: str = "") -> dict[str, Any]:
    return {"match_id": turn.match_id, "token": turn.token, "move": move or turn.legal_moves[0]}


# The store


@contextmanager
def a_full_disk(server: Running, data: Path) -> Iterator[None]:
    """For the server: no file grows any more."""
    pid = server.process.pid
    usual = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    full = (data / "referee.db-wal").stat().st_size
    assert server.log.stat().st_size < full / 2, "there is room for the log"
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (full, usual[1]))
    yield
    resource.prlimit(pid, resource.RLIMIT_FSIZE, usual)


def test_a_full_disk_costs_nobody_anything(tmp_path: Path) -> None:
    with club_alone(tmp_path) as here:
        watch = Stopwatch()
        match_id = here.playing()
        turn = here.turn()
        with watch.standing(), a_full_disk(here.server, tmp_path / "data"):
            with pytest.raises(grpc.RpcError) as no:
                here.submit(turn, turn.legal_moves[0])
            need_refused(no, "STORE_UNAVAILABLE")
            here.talk(0).say(move=answer(turn))
            refusal = here.talk(0).hear("verdict").refused.refusal
            assert refusal.reason == refusal_pb2.REFUSAL_REASON_STORE_UNAVAILABLE
            need_metadata("STORE_UNAVAILABLE", refusal.metadata)
            assert here.ask("MatchService/GetMatch", match_id=match_id).state.ply == 0
            time.sleep(0.5)
        accepted = here.submit(turn, turn.legal_moves[0])
        assert not accepted.again
        watch.need_no_more_charged(accepted.clock_row)
        assert here.turn(1).ply == 1


def test_a_match_that_another_referee_has_taken_is_not_played_here(tmp_path: Path) -> None:
    with club_alone(tmp_path) as here:
        here.playing()
        turn = here.turn()
        with (
            serving(tmp_path) as other,
            other.channel() as channel,
            talk(channel, here.secrets[0]) as anna,
            talk(channel, here.secrets[1]),
        ):
            assert anna.hear("turn").token == turn.token
            with pytest.raises(grpc.RpcError) as no:
                here.submit(turn, turn.legal_moves[0])
            need_refused(no, "MATCH_MOVING")
            anna.say(move=answer(turn))
            assert anna.hear("verdict").HasField("accepted")


# Coming and going


def test_who_comes_when_the_referee_is_about_to_go_is_told_when_to_come_again(tmp_path: Path) -> None:
    with club_alone(tmp_path, "--return-after-ms", "1234") as here:
        match_id = here.playing()
        turn = here.turn()
        here.ask_admin("AdminService/Drain", grace_ms=WITHIN_S * 1000)
        assert here.talk(0).hear("draining").return_after_ms == 1234
        for method, asked in (
            ("CreateMatch", here.wanted()),
            ("JoinMatch", {"match_id": match_id, "bot": {"bot": here.bots[0]}}),
        ):
            with pytest.raises(grpc.RpcError) as no:
                here.ask(f"MatchService/{method}", **asked)
            assert need_refused(no, "DRAINING").metadata["retry_after_ms"] == "1234"
        here.talk(0).say(move=answer(turn))
        assert here.talk(0).hear("verdict").HasField("accepted")
        with pytest.raises(grpc.RpcError) as no:
            here.turn(0)
        need_refused(no, "DRAINING")
        assert here.server.process.wait(WITHIN_S) == 0


def test_a_bot_that_gives_no_sign_of_life_is_gone(tmp_path: Path) -> None:
    with club_alone(tmp_path, "--ping-every-ms", "100", "--gone-after-ms", "300") as here:
        with pytest.raises(grpc.RpcError) as no:
            here.talk(0).listen()
        told = need_refused(no, "HEARTBEAT_LOST")
        assert int(told.metadata["silent_ms"]) > 300
        assert not here.ask("BotService/GetBot", name=here.bots[0]).bot.presence.sessions


# Rules that break down


@pytest.fixture
def with_brittle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server finds a game of a stranger, as pip would have installed it."""
    told = tmp_path / "brittle-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: brittle\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text("[referee.games]\nbrittle = tests.e2e.brittle:BRITTLE\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)


@pytest.mark.usefixtures("with_brittle")
def test_a_match_whose_rules_break_down_is_void(tmp_path: Path) -> None:
    with club_alone(tmp_path) as here:
        by_call = here.playing(rules=BRITTLE)
        turn = here.turn()
        with pytest.raises(grpc.RpcError) as no:
            here.submit(turn, "3")
        told = need_refused(no, "ENGINE_FAULT")
        assert told.metadata["match_id"] == by_call
        need_void(here, by_call, told.metadata["fault_id"])

        by_word = here.playing(rules=BRITTLE)
        here.talk(0).say(move=answer(here.turn(), "3"))
        refusal = here.talk(0).hear("verdict").refused.refusal
        assert refusal.reason == refusal_pb2.REFUSAL_REASON_ENGINE_FAULT
        need_metadata("ENGINE_FAULT", refusal.metadata)
        need_void(here, by_word, refusal.metadata["fault_id"])
        need_health(here)


def need_void(here: Club, match_id: str, fault_id: str) -> None:
    """And the other seat hears so."""
    ended = here.talk(1).hear("match_ended")
    assert ended.match_id == match_id
    assert ended.result.voided.cause == result_pb2.VOID_CAUSE_ENGINE_FAULT
    assert ended.result.voided.fault_id == fault_id
    assert fault_id in here.server.log.read_text()


@pytest.mark.usefixtures("with_brittle")
def test_what_breaks_down_outside_of_a_match_is_told_by_its_number_alone(tmp_path: Path) -> None:
    with club_alone(tmp_path) as here:
        with pytest.raises(grpc.RpcError) as no:
            here.ask("GameService/ReadPosition", rules=BRITTLE, opening={"position": "boom"})
        told = need_refused(no, "REFEREE_FAULT")
        assert told.metadata["fault_id"] in here.server.log.read_text()
        assert "nobody" not in str(told)
        need_health(here)


def need_health(here: Club) -> None:
    """It answers, and plays on."""
    health: Any = HealthStub(here.channel)  # Its stubs say nothing of its methods.
    answered = health.Check(health_pb2.HealthCheckRequest(), timeout=WITHIN_S)
    assert answered.status == health_pb2.HealthCheckResponse.SERVING
    here.playing()
    turn = here.turn()
    here.submit(turn, turn.legal_moves[0])
