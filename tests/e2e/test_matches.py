"""Bots as separate processes, on the real server."""

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from referee_api.v1 import clock_pb2, game_pb2, match_pb2, match_service_pb2
from referee_api.v1.match_service_pb2_grpc import MatchServiceStub

from tests.e2e.server import TIMEOUT_S, ServerProcess, bearer, create_organiser_token, register_bots, run_server

pytestmark = pytest.mark.slow


class BotProcess:
    """A bot process and its output, which a thread always reads so that the process never blocks while writing."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._items: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def receive(self, kind: str) -> dict[str, Any]:
        """Wait for the next item of this kind, and return it."""
        while (item := self._items.get(timeout=TIMEOUT_S)) is not None:
            if item["kind"] == kind:
                return item
        raise AssertionError(f"{kind} was not received")

    def stop(self) -> None:
        self.process.kill()
        self.process.wait(TIMEOUT_S)
        self._reader.join(TIMEOUT_S)
        assert self.process.stdout
        self.process.stdout.close()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._items.put(json.loads(line))
        self._items.put(None)


@contextmanager
def run_bot(server: ServerProcess, secret: str, *flags: str) -> Iterator[BotProcess]:
    command = [sys.executable, "-m", "tests.e2e.bot", server.address, secret, *flags]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    running = BotProcess(process)
    try:
        yield running
    finally:
        running.stop()


def create_match(channel: grpc.Channel, secret: str, game: str, bots: list[str]) -> str:
    """Create a match with a clock that suffices on a busy machine, and return its id."""
    rule = clock_pb2.ClockRule(sudden_death=clock_pb2.SuddenDeath(main_ms=3_600_000))
    request = match_service_pb2.CreateMatchRequest(
        request_id=f"{game} of {bots}",
        terms=match_pb2.MatchTerms(
            rules=game_pb2.Rules(game=game), time_control=clock_pb2.TimeControl(rule=rule), start_timeout_ms=600_000
        ),
        seats=[match_pb2.BotRef(bot=name) for name in bots],
        seed=bytes(32),
    )
    return MatchServiceStub(channel).CreateMatch(request, metadata=bearer(secret), timeout=TIMEOUT_S).match.id


def get_match(channel: grpc.Channel, secret: str, match_id: str) -> match_service_pb2.GetMatchResponse:
    request = match_service_pb2.GetMatchRequest(match_id=match_id)
    return MatchServiceStub(channel).GetMatch(request, metadata=bearer(secret), timeout=TIMEOUT_S)


@pytest.mark.parametrize(("game", "seats"), [("alquerque", 2), ("trox", 2), ("troke", 2), ("toc", 4)])
def test_bots_play_each_game_to_its_end(tmp_path: Path, game: str, seats: int) -> None:
    names = [f"bot-{seat}" for seat in range(seats)]
    with run_server(tmp_path) as server, server.channel() as channel, ExitStack() as stack:
        owner = create_organiser_token(channel, server.admin_token)
        secrets = register_bots(channel, owner, *names)
        match_id = create_match(channel, owner, game, names)
        for process in [stack.enter_context(run_bot(server, secret)) for secret in secrets]:
            assert process.receive("match_ended")["match_id"] == match_id
        over = get_match(channel, owner, match_id).match
        assert over.phase == match_pb2.MATCH_PHASE_OVER
        assert over.result.WhichOneof("kind") == "played"


def create_match_of_two(server: ServerProcess, channel: grpc.Channel) -> tuple[str, list[str], str]:
    """Create a match of two new bots. Return the organiser's secret, the bots' secrets and the id of the match."""
    owner = create_organiser_token(channel, server.admin_token)
    secrets = register_bots(channel, owner, "anna", "bert")
    return owner, secrets, create_match(channel, owner, "alquerque", ["anna", "bert"])


def test_a_killed_server_resumes_from_its_log_and_repeats_the_turn_with_its_token(tmp_path: Path) -> None:
    with run_server(tmp_path) as server, server.channel() as channel:
        owner, secrets, match_id = create_match_of_two(server, channel)
        with run_bot(server, secrets[0], "--max-moves", "3"), run_bot(server, secrets[1]) as bert:
            while bert.receive("turn")["ply"] < 5:
                pass
            seat = wait_for_unanswered_turn(channel, owner, match_id)
            server.kill()
    with run_server(tmp_path) as server, server.channel() as channel, ExitStack() as stack:
        assert not server.admin_token
        state = get_match(channel, owner, match_id).state
        assert state.ply == 6
        anna, bert = (stack.enter_context(run_bot(server, secret)) for secret in secrets)
        turn = anna.receive("turn")
        assert (turn["ply"], turn["repeated"], turn["seat"]) == (6, True, seat)
        assert anna.receive("match_ended")["result"] == "played"
        assert bert.receive("match_ended")["result"] == "played"


def wait_for_unanswered_turn(channel: grpc.Channel, owner: str, match_id: str) -> int:
    """Return the seat that owes a move after anna has stopped answering."""
    watch = match_service_pb2.WatchMatchRequest(match_id=match_id, after_number=0)
    for response in MatchServiceStub(channel).WatchMatch(watch, metadata=bearer(owner), timeout=TIMEOUT_S):
        for item in response.items:
            state = item.entry.move_played.state
            if state.ply == 6:
                return int(state.seats_to_move[0])
    raise AssertionError("the match ended")


def test_a_reconnected_bot_gets_its_turn_again_with_the_same_token(tmp_path: Path) -> None:
    with run_server(tmp_path) as server, server.channel() as channel:
        _, secrets, _ = create_match_of_two(server, channel)
        with run_bot(server, secrets[1]) as bert, run_bot(server, secrets[0], "--max-moves", "0") as anna:
            turn = anna.receive("turn")
            anna.process.kill()
            anna.process.wait(TIMEOUT_S)
            with run_bot(server, secrets[0]) as reconnected:
                assert reconnected.receive("turn") == {**turn, "repeated": True}
                assert reconnected.receive("match_ended")["result"] == "played"
                assert bert.receive("match_ended")["result"] == "played"


def test_a_newer_session_takes_over_the_seats_and_the_older_one_is_notified(tmp_path: Path) -> None:
    with run_server(tmp_path) as server, server.channel() as channel:
        _, secrets, _ = create_match_of_two(server, channel)
        with run_bot(server, secrets[1]), run_bot(server, secrets[0], "--max-moves", "0") as older:
            older.receive("turn")
            with run_bot(server, secrets[0]) as newer:
                session_id = newer.receive("welcome")["session_id"]
                assert older.receive("session_taken_over")["new_session_id"] == session_id
                assert newer.receive("match_ended")["result"] == "played"


def test_a_drained_server_notifies_bots_exits_with_0_and_resumes_at_the_next_start(tmp_path: Path) -> None:
    with run_server(tmp_path, "--drain-grace-s", "0") as server, server.channel() as channel:
        owner, secrets, match_id = create_match_of_two(server, channel)
        with run_bot(server, secrets[1]), run_bot(server, secrets[0], "--max-moves", "2") as anna:
            while anna.receive("turn")["ply"] < 4:
                pass
            assert server.stop() == 0
            anna.receive("draining")
    with run_server(tmp_path) as server, server.channel() as channel, ExitStack() as stack:
        assert get_match(channel, owner, match_id).state.ply == 4
        bots = [stack.enter_context(run_bot(server, secret)) for secret in secrets]
        assert [one.receive("match_ended")["result"] for one in bots] == ["played", "played"]
