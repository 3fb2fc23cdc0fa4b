"""What the real server keeps when it is killed: request ids, ends of matches, bot logs and counted faults."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
from referee_api.v1 import (
    admin_service_pb2,
    bot_pb2,
    bot_service_pb2,
    clock_pb2,
    game_pb2,
    match_pb2,
    match_service_pb2,
    play_pb2,
)
from referee_api.v1.admin_service_pb2_grpc import AdminServiceStub
from referee_api.v1.bot_service_pb2_grpc import BotServiceStub
from referee_api.v1.match_service_pb2_grpc import MatchServiceStub

from tests.e2e.bot_connection import connect_bot
from tests.e2e.server import TIMEOUT_S, ServerProcess, bearer, create_organiser_token, register_bots, run_server
from tests.e2e.test_server_interface import code_and_reason

pytestmark = pytest.mark.slow

BOTS = ("anna", "bert")
FREQUENT_PINGS = ("--ping-interval-ms", "100")
"""Flags for frequent pings, so that no test waits long for one."""


@dataclass
class RestartableServer:
    """A server that can be killed and restarted on the same data, with its organiser and bots."""

    folder: Path
    flags: tuple[str, ...]
    stack: ExitStack
    process: ServerProcess
    channel: grpc.Channel
    admin_token: str = ""
    organiser_token: str = ""
    secrets: tuple[str, ...] = ()

    def kill_and_restart(self) -> None:
        """Kill the server and start it again."""
        self.process.kill()
        self.stack.close()
        self._start()

    def call(self, stub: Any, method: str, request: Any, secret: str) -> Any:
        return getattr(stub(self.channel), method)(request, metadata=bearer(secret), timeout=TIMEOUT_S)

    def create_match(self, request_id: str, **terms: Any) -> str:
        """Create a match between the two bots with a clock that suffices, and return its id."""
        rule = clock_pb2.ClockRule(sudden_death=clock_pb2.SuddenDeath(main_ms=3_600_000))
        usual: dict[str, Any] = {"time_control": clock_pb2.TimeControl(rule=rule), "start_timeout_ms": 600_000}
        request = match_service_pb2.CreateMatchRequest(
            request_id=request_id,
            terms=match_pb2.MatchTerms(rules=game_pb2.Rules(game="alquerque"), **usual | terms),
            seats=[match_pb2.BotRef(bot=name) for name in BOTS],
        )
        match_id: str = self.call(MatchServiceStub, "CreateMatch", request, self.organiser_token).match.id
        return match_id

    def bot_log(self, seat: int) -> list[bot_pb2.BotLogEntry]:
        request = bot_service_pb2.ListBotLogEntriesRequest(bot=BOTS[seat], page_size=1000)
        return list(self.call(BotServiceStub, "ListBotLogEntries", request, self.secrets[seat]).entries)

    def _start(self) -> None:
        self.process = self.stack.enter_context(run_server(self.folder, *self.flags))
        self.channel = self.stack.enter_context(self.process.channel())


@contextmanager
def restartable_server(folder: Path, *flags: str) -> Iterator[RestartableServer]:
    with ExitStack() as stack:
        process = stack.enter_context(run_server(folder, *flags))
        channel = stack.enter_context(process.channel())
        server = RestartableServer(folder, flags, stack, process, channel, process.admin_token)
        server.organiser_token = create_organiser_token(channel, server.admin_token)
        server.secrets = tuple(register_bots(channel, server.organiser_token, *BOTS))
        yield server


def test_a_repeated_request_gets_its_first_answer_even_after_a_kill(tmp_path: Path) -> None:
    with restartable_server(tmp_path) as server:
        with (
            connect_bot(server.channel, server.secrets[0]) as anna,
            connect_bot(server.channel, server.secrets[1]) as bert,
        ):
            ids = [server.create_match(f"match {number}") for number in range(4)]
            for bot in (anna, bert):
                for _ in ids:
                    bot.receive("match_started")
            requests = _first_requests(ids)
            first = [
                server.call(stub, method, request, _token_of(server, caller))
                for stub, method, request, caller in requests
            ]
        assert {answer.result.WhichOneof("kind") for answer in first} == {None, "played", "voided"}
        again = [
            server.call(stub, method, request, _token_of(server, caller)) for stub, method, request, caller in requests
        ]
        server.kill_and_restart()
        later = [
            server.call(stub, method, request, _token_of(server, caller)) for stub, method, request, caller in requests
        ]
        assert later == again == first
        for stub, method, request, caller in _different_requests(ids):
            with pytest.raises(grpc.RpcError) as raised:
                server.call(stub, method, request, _token_of(server, caller))
            assert code_and_reason(raised) == (grpc.StatusCode.INVALID_ARGUMENT, "REQUEST_ID_REUSED"), method


def _token_of(server: RestartableServer, caller: str) -> str:
    return {
        "anna": server.secrets[0],
        "bert": server.secrets[1],
        "owner": server.organiser_token,
        "admin": server.admin_token,
    }[caller]


def _first_requests(ids: list[str]) -> list[tuple[Any, str, Any, str]]:
    """Return requests of every kind in an order in which each is accepted, and the caller of each."""
    tied, resigned, aborted, won = ids
    matches, admin = match_service_pb2, admin_service_pb2
    return [
        (MatchServiceStub, "OfferDraw", matches.OfferDrawRequest(request_id="o", match_id=tied), "anna"),
        (MatchServiceStub, "AnswerDraw", matches.AnswerDrawRequest(request_id="d", match_id=tied), "bert"),
        (MatchServiceStub, "OfferDraw", matches.OfferDrawRequest(request_id="o", match_id=tied), "bert"),
        (MatchServiceStub, "AnswerDraw", matches.AnswerDrawRequest(request_id="a", match_id=tied, accept=True), "anna"),
        (MatchServiceStub, "Resign", matches.ResignRequest(request_id="r", match_id=resigned), "bert"),
        (MatchServiceStub, "AbortMatch", matches.AbortMatchRequest(request_id="x", match_id=aborted), "owner"),
        (
            AdminServiceStub,
            "AdjudicateMatch",
            admin.AdjudicateMatchRequest(request_id="j", match_id=won, side_scores=[1, 0], message="seen"),
            "admin",
        ),
    ]


def _different_requests(ids: list[str]) -> list[tuple[Any, str, Any, str]]:
    """Return different requests with the same request ids."""
    tied, resigned, aborted, won = ids
    matches, admin = match_service_pb2, admin_service_pb2
    return [
        (MatchServiceStub, "Resign", matches.ResignRequest(request_id="o", match_id=tied), "anna"),
        (MatchServiceStub, "AnswerDraw", matches.AnswerDrawRequest(request_id="a", match_id=tied), "anna"),
        (MatchServiceStub, "ClaimDraw", matches.ClaimDrawRequest(request_id="r", match_id=resigned), "bert"),
        (
            MatchServiceStub,
            "AbortMatch",
            matches.AbortMatchRequest(request_id="x", match_id=aborted, message="rain"),
            "owner",
        ),
        (
            AdminServiceStub,
            "AdjudicateMatch",
            admin.AdjudicateMatchRequest(request_id="j", match_id=won, side_scores=[0, 1], message="seen"),
            "admin",
        ),
        (AdminServiceStub, "VoidMatch", admin.VoidMatchRequest(request_id="j", match_id=won, message="seen"), "admin"),
    ]


def test_a_missed_match_end_is_delivered_after_a_kill_and_then_not_again(
    tmp_path: Path,
) -> None:
    with restartable_server(tmp_path, *FREQUENT_PINGS) as server:
        with (
            connect_bot(server.channel, server.secrets[0]) as anna,
            connect_bot(server.channel, server.secrets[1]) as bert,
        ):
            match_id = server.create_match("m")
            bert.receive("match_started")
            bert.close()
            anna.send(resignation=play_pb2.Resignation(match_id=match_id))
            anna.receive("match_ended")
        server.kill_and_restart()
        with connect_bot(server.channel, server.secrets[1]) as bert:
            ended = bert.receive("match_ended")
            assert (ended.match_id, ended.seat, ended.result.seats[1].score) == (match_id, 1, 1.0)
            # Its pong to the first ping has arrived before the third ping is sent, which confirms the end.
            bert.receive_until_ping(3)
            bert.close()
        server.kill_and_restart()
        with connect_bot(server.channel, server.secrets[1]) as bert:
            assert set(bert.receive_until_ping(3)) == {"ping"}
            bert.close()


def test_only_cancelled_sessions_are_logged_as_lost(tmp_path: Path) -> None:
    with restartable_server(tmp_path) as server:
        cancelled, closed = set(), set()
        for number in range(120):
            with connect_bot(server.channel, server.secrets[0], version=str(number)) as anna:
                if number % 4:
                    cancelled.add(anna.session_id)
                    anna.cancel()
                else:
                    closed.add(anna.session_id)
                    anna.close()
        lost = _wait_for_log(server, lambda lines: cancelled <= _lost_sessions(lines))
        assert not closed & lost


def _lost_sessions(lines: list[bot_pb2.BotLogEntry]) -> set[str]:
    return {line.session_lost.session_id for line in lines if line.HasField("session_lost")}


def _wait_for_log(server: RestartableServer, condition: Callable[[list[bot_pb2.BotLogEntry]], bool]) -> set[str]:
    """Read anna's log until `condition` is true, and return its lost sessions. The number of calls limits the wait."""
    lines = server.bot_log(0)
    for _ in range(3_000):
        if condition(lines):
            return _lost_sessions(lines)
        lines = server.bot_log(0)
    raise AssertionError(f"the log never matched; it has {lines}")
