"""The real server under external faults: the errors that it reports, and that it continues to work."""

import os
import resource
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from grpc_health.v1 import health_pb2
from grpc_health.v1.health_pb2_grpc import HealthStub
from referee_api.v1 import error_pb2, game_pb2, result_pb2

from referee.storage.sqlite.database import SERVER_LOCK
from tests.e2e.bot_connection import connect_bot
from tests.e2e.call_errors import assert_metadata_complete, assert_refused
from tests.e2e.contests import create_ladder, create_tournament, entrants_of, join_ladder
from tests.e2e.organiser import Organiser, call_method, entries_of, server_with_organiser
from tests.e2e.server import TIMEOUT_S, ServerProcess, run_server
from tests.e2e.stopwatch import Stopwatch

pytestmark = pytest.mark.slow

BRITTLE = game_pb2.Rules(game="brittle")


# Faults of the store


@contextmanager
def full_disk(server: ServerProcess, data: Path) -> Iterator[None]:
    """Prevent all files of the server from growing, as on a full disk."""
    pid = server.process.pid
    usual = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    full = (data / "referee.db-wal").stat().st_size
    assert server.log.stat().st_size < full / 2, "the log has no room to grow"
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (full, usual[1]))
    yield
    resource.prlimit(pid, resource.RLIMIT_FSIZE, usual)


def test_a_full_disk_costs_no_bot_time(tmp_path: Path) -> None:
    with server_with_organiser(tmp_path) as organiser:
        watch = Stopwatch()
        match_id = organiser.start_match()
        turn = organiser.next_turn()
        with watch.paused(), full_disk(organiser.server, tmp_path / "data"):
            assert_refused("STORE_UNAVAILABLE", organiser.submit_move, turn, turn.legal_moves[0])
            organiser.connection(0).send_move(turn)
            refusal = organiser.connection(0).receive("verdict").rejected.error
            assert refusal.reason == error_pb2.ERROR_REASON_STORE_UNAVAILABLE
            assert_metadata_complete("STORE_UNAVAILABLE", refusal.metadata)
            assert organiser.call("MatchService/GetMatch", match_id=match_id).state.ply == 0
            time.sleep(0.5)
        accepted = organiser.submit_move(turn, turn.legal_moves[0])
        assert not accepted.repeated
        watch.assert_no_overcharge(accepted.clock_charge)
        assert organiser.next_turn(1).ply == 1


def test_a_match_that_another_server_runs_is_rejected_as_moving(tmp_path: Path) -> None:
    with server_with_organiser(tmp_path) as organiser:
        (tmp_path / "data" / SERVER_LOCK).unlink()  # Forbidden to users; lets the second server start.
        with run_server(tmp_path) as other, other.channel() as channel:
            created = call_method(channel, "MatchService/CreateMatch", organiser.token, **organiser.match_request())
            assert_refused(
                "MATCH_MOVING", organiser.call, "MatchService/AbortMatch", request_id="a", match_id=created.match.id
            )


# Draining and lost sessions


def test_a_draining_server_rejects_new_matches_with_a_retry_delay(tmp_path: Path) -> None:
    with server_with_organiser(tmp_path, "--reconnect-delay-ms", "1234") as organiser:
        match_id = organiser.start_match()
        turn = organiser.next_turn()
        create_ladder(organiser)
        create_tournament(organiser, entrants=entrants_of(organiser))
        organiser.call_as_admin("AdminService/Drain", grace_period_ms=TIMEOUT_S * 1000)
        assert organiser.connection(0).receive("draining").reconnect_delay_ms == 1234
        join_ladder(organiser, 0, 1)  # Joining still works, but no pairings are created any more.
        requests: tuple[tuple[str, dict[str, Any]], ...] = (
            ("MatchService/CreateMatch", organiser.match_request()),
            ("MatchService/JoinMatch", {"match_id": match_id, "bot": {"bot": organiser.bots[0]}}),
            ("TournamentService/StartTournament", {"name": organiser.name}),
            ("LadderService/Challenge", {"ladder": organiser.name, "request_id": "now", "entrants": organiser.bots}),
        )
        for method, fields in requests:
            assert assert_refused("DRAINING", organiser.call, method, **fields).metadata["retry_after_ms"] == "1234"
        organiser.connection(0).send_move(turn)
        assert organiser.connection(0).receive("verdict").HasField("accepted")
        assert_refused("DRAINING", organiser.next_turn, 0)
        assert organiser.server.process.wait(TIMEOUT_S) == 0


def test_a_bot_that_answers_no_ping_loses_its_session(tmp_path: Path) -> None:
    with server_with_organiser(tmp_path, "--ping-interval-ms", "100", "--heartbeat-timeout-ms", "300") as organiser:
        error = assert_refused("HEARTBEAT_LOST", organiser.connection(0).read_to_end)
        assert int(error.metadata["silent_ms"]) >= 300
        assert not organiser.call("BotService/GetBot", name=organiser.bots[0]).bot.presence.sessions


# Rules that fail


@pytest.fixture
def brittle_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the server find a third-party game, as pip would have installed it."""
    metadata = tmp_path / "brittle-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: brittle\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[referee.games]\nbrittle = tests.e2e.brittle:BRITTLE\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)


@pytest.mark.usefixtures("brittle_game")
def test_a_match_with_an_engine_fault_is_void(tmp_path: Path) -> None:
    with server_with_organiser(tmp_path) as organiser:
        by_call = organiser.start_match(rules=BRITTLE)
        turn = organiser.next_turn()
        error = assert_refused("ENGINE_FAULT", organiser.submit_move, turn, "3")
        assert error.metadata["match_id"] == by_call
        assert_void(organiser, by_call, error.metadata["fault_id"])

        by_stream = organiser.start_match(rules=BRITTLE)
        organiser.connection(0).send_move(organiser.next_turn(), "3")
        refusal = organiser.connection(0).receive("verdict").rejected.error
        assert refusal.reason == error_pb2.ERROR_REASON_ENGINE_FAULT
        assert_metadata_complete("ENGINE_FAULT", refusal.metadata)
        assert_void(organiser, by_stream, refusal.metadata["fault_id"])
        assert_healthy(organiser)


def assert_void(organiser: Organiser, match_id: str, fault_id: str) -> None:
    """Assert that the match is void because of this fault, and that the other seat is notified."""
    ended = organiser.connection(1).receive("match_ended")
    assert ended.match_id == match_id
    assert ended.result.voided.cause == result_pb2.VOID_CAUSE_ENGINE_FAULT
    assert ended.result.voided.fault_id == fault_id
    assert fault_id in organiser.server.log.read_text()


@pytest.mark.usefixtures("brittle_game")
def test_a_fault_outside_of_a_match_is_reported_only_by_its_id(tmp_path: Path) -> None:
    with server_with_organiser(tmp_path) as organiser:
        error = assert_refused(
            "REFEREE_FAULT", organiser.call, "GameService/ReadPosition", rules=BRITTLE, opening={"position": "boom"}
        )
        assert error.metadata["fault_id"] in organiser.server.log.read_text()
        assert "nobody" not in str(error)
        assert_healthy(organiser)


# Damaged logs


REMOVE = """
    DELETE FROM entries WHERE line LIKE ? AND (match, number) IN (SELECT match, min(number) FROM entries
    WHERE line LIKE ? AND match = (SELECT match FROM matches WHERE match_id = ?)) RETURNING number
"""


def test_a_match_with_a_missing_log_entry_has_a_result_but_no_record(tmp_path: Path) -> None:
    with server_with_organiser(tmp_path) as organiser:
        owner, match_id = organiser.token, organiser.start_match()
        for seat, method in ((0, "OfferDraw"), (1, "AnswerDraw"), (1, "Resign")):
            organiser.call_as_bot(seat, f"MatchService/{method}", match_id=match_id, request_id=method)
        assert organiser.server.stop() == 0
    like = '%"draw_declined"%'
    with closing(sqlite3.connect(tmp_path / "data" / "referee.db")) as database, database:
        [(deleted,)] = database.execute(REMOVE, (like, like, match_id)).fetchall()
    with run_server(tmp_path) as server, server.channel() as channel:
        match = call_method(channel, "MatchService/GetMatch", owner, match_id=match_id).match
        assert (match.result.WhichOneof("kind"), match.HasField("record")) == ("played", False)
        watched = call_method(channel, "MatchService/WatchMatch", owner, match_id=match_id, after_number=0)
        numbers = [entry.number for response in watched for entry in entries_of(response)]
        assert numbers == [number for number in range(1, numbers[-1] + 1) if number != deleted]
        error = assert_refused(
            "REFEREE_FAULT", call_method, channel, "MatchService/GetRecord", owner, match_id=match_id
        )
        assert f"entry {deleted} is missing" in error.sentence
        assert error.metadata["match_id"] == match_id
        assert error.metadata["fault_id"] in server.log.read_text()


def test_an_unreadable_match_does_not_affect_other_matches(tmp_path: Path) -> None:
    """What is left of the damaged match is shown to nobody, because its seed has not been revealed."""
    with server_with_organiser(tmp_path) as organiser:
        owner, (anna, bert), damaged = organiser.token, organiser.secrets, organiser.start_match()
        organiser.next_turn()
        intact = organiser.start_match()
        token = organiser.next_turn().turn_token
        organiser.server.kill()  # In an orderly stop it would wait for the answer to this turn.
    with closing(sqlite3.connect(tmp_path / "data" / "referee.db")) as database, database:
        database.execute("UPDATE entries SET line = CAST(line || x'ff' AS TEXT) WHERE match = 1 AND number = 1")
    with run_server(tmp_path) as server, server.channel() as channel:
        assert [match.id for match in call_method(channel, "MatchService/ListMatches", owner).matches] == [intact]
        error = assert_refused("REFEREE_FAULT", call_method, channel, "MatchService/GetMatch", owner, match_id=damaged)
        assert "entry 1 cannot be read" in error.sentence
        assert "seed" not in error.sentence
        assert error.metadata["fault_id"] in server.log.read_text()
        with connect_bot(channel, bert), connect_bot(channel, anna) as back:
            assert back.receive("turn").turn_token == token


def assert_healthy(organiser: Organiser) -> None:
    """Assert that the server is healthy and that matches can be played."""
    health: Any = HealthStub(organiser.channel)  # The type stubs do not declare its methods.
    answered = health.Check(health_pb2.HealthCheckRequest(), timeout=TIMEOUT_S)
    assert answered.status == health_pb2.HealthCheckResponse.SERVING
    organiser.start_match()
    turn = organiser.next_turn()
    organiser.submit_move(turn, turn.legal_moves[0])
