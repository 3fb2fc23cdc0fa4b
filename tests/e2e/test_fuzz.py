"""Random requests to the real server: it always answers as the contract says, and continues to work."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.timestamp_pb2 import Timestamp
from grpc_health.v1 import health_pb2
from referee_api.v1 import game_pb2

from referee.transport.contract_options import CALL_RULES, FOREIGN_RULE, SERVICES
from tests.e2e import http2
from tests.e2e.call_errors import error_of, parse_error, reason_of
from tests.e2e.contests import match_terms
from tests.e2e.fuzz_calls import Answer, call_raw, contract_violations, path_of, served_methods
from tests.e2e.fuzz_messages import KnownValues, MessageGenerator
from tests.e2e.fuzz_play import RandomBot
from tests.e2e.honest_bots import HonestBotsProcess, create_match, entries, run_honest_bots
from tests.e2e.organiser import METHODS, Organiser, call_method, new_organiser
from tests.e2e.server import ANY_MATCH, TIMEOUT_S, ServerProcess, create_organiser_token, register_bots, run_server
from tests.e2e.server_metrics import ENGINE_FAULTS, FAULTS, MATCH_FAULTS, MEMORY, error_log_lines, metrics

SPARRING = "sparring"
RESERVED_NAMES = ("admin", "owner", "partner", SPARRING)
"""Holders and bots that the test itself relies on; random requests do not name them."""
SEATS = {"alquerque": 2, "trox": 2, "troke": 2, "toc": 4}
"""Number of seats by game."""
MAX_FORBIDDEN_SHARE = 0.25
"""Maximum share of requests from callers that may not call the method."""
CASES_PER_ROUND = 250
MAX_ACCEPTED = 30
"""Successful requests of each type that are kept."""
SERVER_FLAGS = ()
MAX_GROWTH_BYTES = 150_000_000
"""Maximum memory growth, independent of the number of requests."""


@dataclass(frozen=True, slots=True)
class Callers:
    """One caller of each role, who share one set of matches.

    They are replaced regularly, because generated requests use up quotas, revoke tokens and pause bots.
    """

    secrets: dict[str, str | None]
    """Token by role, including callers with an invalid token or none."""
    responses: list[Message]
    """Responses that they have received so far, whose names and ids make generated requests meaningful."""
    examples: list[Message]
    """Valid requests."""

    @classmethod
    def create(cls, organiser: Organiser) -> "Callers":
        """Create the callers, with contests and a match of each game against `SPARRING` in which they owe a move."""
        name, bot = organiser.name, organiser.bots[0]
        callers = cls({"public": None, "stranger": "rf_0000", "bot": organiser.secrets[0]}, [], [])
        callers.secrets["organiser"] = organiser.token
        for role in ("spectator", "author", "admin"):
            callers.secrets[role] = organiser.create_token(role, f"{role}-of-{name}")

        def call(method: str, **fields: Any) -> Message:
            callers.examples.append(GetMessageClass(METHODS[method].input_type)(**fields))
            role = "bot" if method == "MatchService/ListTurns" else "organiser"
            response: Message = call_method(organiser.channel, method, callers.secrets[role], **fields)
            return response

        for game, seats in SEATS.items():
            request = organiser.match_request(game_pb2.Rules(game=game))
            call("MatchService/CreateMatch", **request | {"seats": [{"bot": bot}, {"bot": SPARRING}] * (seats // 2)})
        for _ in SEATS:
            organiser.connection(0).receive("match_started")
        organiser.disconnect_bots()
        turns: Any = call("MatchService/ListTurns", turn_options={"max_legal_moves": 10})
        callers.responses.append(turns)
        for turn in turns.turns:
            answer = {"match_id": turn.match_id, "turn_token": turn.turn_token, "move": turn.legal_moves[0]}
            move_request = GetMessageClass(METHODS["MatchService/SubmitMove"].input_type)
            callers.examples.append(move_request(request_id=turn.turn_token[-9:], **answer))
        callers.responses.append(call("GameService/ListGames"))
        for game in SEATS:
            callers.responses.append(call("GameService/ReadPosition", rules={"game": game}, max_legal_moves=10))
        terms, entrants = match_terms(), [{"bots": [{"bot": name}]} for name in (bot, SPARRING)]
        one_match = {"max_concurrent_matches": 1}
        ladder: dict[str, Any] = {"match_terms": [terms], "max_matches_per_hour": 0} | one_match
        tournament: dict[str, Any] = {"match_terms": terms, "sprt": {"elo1": 50}} | one_match
        call("LadderService/CreateLadder", request_id=name, name=name, terms=ladder)
        for entrant in entrants:
            call("LadderService/JoinLadder", ladder=name, entrant=entrant)
        call("TournamentService/CreateTournament", request_id=name, name=name, terms=tournament, entrants=entrants)
        call("TournamentService/StartTournament", name=name)
        call("LadderService/Challenge", request_id="c", ladder=name, entrants=[bot, SPARRING])
        return callers


def end_contests_and_matches(organiser: Organiser) -> None:
    """End all contests and matches of `SPARRING`, because the number of its concurrent matches is limited."""
    call, of_sparring = organiser.call_as_admin, {"bot": SPARRING, "page_size": 1000}
    for ladder in call("LadderService/ListLadders", **of_sparring).ladders:
        call("LadderService/CloseLadder", ladder=ladder.name)
    for phase in ("ENTRY", "PLAYING"):
        listed = call("TournamentService/ListTournaments", **of_sparring, phase=f"TOURNAMENT_PHASE_{phase}")
        for tournament in listed.tournaments:
            call("TournamentService/CancelTournament", name=tournament.name)
    for phase in ("WAITING", "PLAYING"):
        for match in call("MatchService/ListMatches", **of_sparring, phase=f"MATCH_PHASE_{phase}").matches:
            try:
                call("AdminService/VoidMatch", match_id=match.id, request_id=match.id, message="the round is over")
            except grpc.RpcError as error:
                # The tournament that was cancelled above may have ended the match meanwhile.
                if parse_error(error).reason != "MATCH_OVER":
                    raise


class CallRound:
    """Random requests by one set of callers."""

    def __init__(
        self, channel: grpc.Channel, methods: list[MethodDescriptor], callers: Callers, known: KnownValues
    ) -> None:
        self._channel = channel
        self._methods = methods
        self._callers = callers
        self._known = known
        self._accepted: defaultdict[str, list[Message]] = defaultdict(list)
        """Successful requests by type."""
        for message in (*callers.responses, *callers.examples):
            known.learn(message)
        for request in callers.examples:
            self._accepted[request.DESCRIPTOR.full_name].append(request)

    def run_case(self, seed: str) -> None:
        """Send one random request. The same seed sends the same one, as far as the server is deterministic."""
        rng = Random(seed)
        generator = MessageGenerator(rng, self._known)
        method = rng.choice(self._methods)
        role = rng.choice(sorted(self._callers.secrets))
        rule = CALL_RULES.get(f"{method.containing_service.name}/{method.name}", FOREIGN_RULE)
        if rng.random() > MAX_FORBIDDEN_SHARE and rule.callers:
            role = rng.choice(sorted(allowed.value for allowed in rule.callers))
        secret = self._callers.secrets[role]
        if role == "bot" and method.name == "Play":
            bot = RandomBot(rng, generator, self._known)
            answer, requests = bot.play(self._channel, secret or ""), bot.sent
        else:
            requests = [self._request(rng, generator, method) for _ in range(rng.choice((1, 1, 1, 2)))]
            answer = call_raw(self._channel, method, requests, secret)
        violations = list(contract_violations(method, answer))
        texts = "\n".join(f"{text_of(method, data)}\n{data[:2000]!r}" for data in requests)
        assert not violations, f"case {seed}: {path_of(method)} by {role}: {violations}\n{texts}"
        self._remember(method, requests, answer)

    def _request(self, rng: Random, generator: MessageGenerator, method: MethodDescriptor) -> bytes:
        kind = rng.random()
        if kind < 0.05:
            return generator.random_bytes()
        accepted = self._accepted[method.input_type.full_name]
        if accepted and kind < 0.5:
            message = generator.mutated(rng.choice(accepted), rng.choice((0, 1, 1, 2, 5)))
        else:
            message = generator.message(method.input_type)
        data = message.SerializeToString()
        return generator.corrupted(data) if kind > 0.95 else data

    def _remember(self, method: MethodDescriptor, requests: list[bytes], answer: Answer) -> None:
        for message in answer.responses:
            self._known.learn(message)
        accepted = self._accepted[method.input_type.full_name]
        if answer.code is grpc.StatusCode.OK and not method.client_streaming and len(accepted) < MAX_ACCEPTED:
            accepted.append(GetMessageClass(method.input_type).FromString(requests[0]))


def text_of(method: MethodDescriptor, data: bytes) -> str:
    try:
        return str(GetMessageClass(method.input_type).FromString(data))[:2000]
    except DecodeError:
        return "(cannot be read)"


class Fuzz:
    """Sends random requests one after the other, while an honest match is always being played."""

    def __init__(self, server: ServerProcess, channel: grpc.Channel, honest: HonestBotsProcess, owner: str) -> None:
        self._server = server
        self._channel = channel
        self._honest = honest
        self._owner = owner
        # An administrator may drain the server, which would end the test.
        self._methods = [method for method in served_methods(channel) if method.name != "Drain"]
        tokens = call_method(channel, "AdminService/ListTokens", server.admin_token, page_size=100).tokens
        self._excluded = {*RESERVED_NAMES, *(token.id for token in tokens)}

    def run_round(self, seed: str) -> None:
        """Run a round with new callers."""
        match_id = create_match(self._channel, self._owner, f"honest {seed}", "alquerque", ["partner", SPARRING])
        with new_organiser(self._server, self._channel, f"strange-{seed.partition('/')[2]}", 1) as organiser:
            known = KnownValues({*self._excluded, match_id})
            call_round = CallRound(self._channel, self._methods, Callers.create(organiser), known)
            for case in range(CASES_PER_ROUND):
                call_round.run_case(f"{seed}/{case}")
            assert not self._honest.failure()
            last = entries(self._channel, self._owner, match_id)[-1]
            assert last.play_ended.result.HasField("played"), last
            end_contests_and_matches(organiser)


@contextmanager
def run_fuzz(folder: Path) -> Iterator[tuple[ServerProcess, Fuzz]]:
    public = ("--public-reading", "--public-calls-per-minute", "100000")
    with run_server(folder, "--durability", "normal", *public) as server, server.channel() as channel:
        owner = create_organiser_token(channel, server.admin_token, "owner")
        secrets = register_bots(channel, owner, "partner", SPARRING, consent=ANY_MATCH)
        with run_honest_bots(server, folder, secrets) as honest:
            yield server, Fuzz(server, channel, honest, owner)


def assert_healthy(server: ServerProcess) -> None:
    with server.channel() as channel:
        check: Any = channel.unary_unary("/grpc.health.v1.Health/Check")
        answer = health_pb2.HealthCheckResponse.FromString(check(b"", timeout=TIMEOUT_S))
    assert answer.status == health_pb2.HealthCheckResponse.SERVING
    now = metrics(server)
    assert [now.get(name, 0) for name in (FAULTS, ENGINE_FAULTS, MATCH_FAULTS)] == [0, 0, 0]
    assert not list(error_log_lines(server))


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [2, pytest.param(20, marks=pytest.mark.soak)])
def test_random_requests_get_answers_of_the_contract_and_leave_the_server_healthy(
    tmp_path: Path, rng: Random, rounds: int
) -> None:
    seed = rng.getrandbits(32)
    with run_fuzz(tmp_path) as (server, fuzz):
        fuzz.run_round(f"{seed}/0")
        before = metrics(server)[MEMORY]
        for number in range(1, rounds + 1):
            fuzz.run_round(f"{seed}/{number}")
        assert_healthy(server)
        assert metrics(server)[MEMORY] - before < MAX_GROWTH_BYTES


UNREPRESENTABLE_TIME = Timestamp(seconds=2**62)
"""A moment whose milliseconds exceed a database integer, and which no valid timestamp can express."""


def call_by_name(organiser: Organiser, name: str, request: bytes) -> Answer:
    """Call the method with this name without a token."""
    method = next(method for method in served_methods(organiser.channel) if method.name == name)
    return call_raw(organiser.channel, method, [request], None)


def test_a_time_outside_of_the_timestamp_range_is_rejected_and_creates_nothing(organiser: Organiser) -> None:
    late = {"expire_time": UNREPRESENTABLE_TIME}
    assert reason_of(organiser.call, "BotService/CreateBotToken", bot=organiser.bots[0], **late) == "BAD_FIELD"
    create = {"role": "ROLE_ADMIN", "holder": "eve"} | late
    assert reason_of(organiser.call_as_admin, "AdminService/CreateToken", **create) == "BAD_FIELD"
    assert reason_of(organiser.call, "MatchService/ListMatches", min_create_time=UNREPRESENTABLE_TIME) == "BAD_FIELD"
    assert "eve" not in str(organiser.call_as_admin("AdminService/ListTokens"))


@pytest.mark.parametrize("name", ["Check", "List", "Watch", "ServerReflectionInfo"])
def test_unparsable_requests_are_rejected_by_health_and_reflection_too(organiser: Organiser, name: str) -> None:
    assert call_by_name(organiser, name, b"\xff\xff\xff").reason == "BAD_FIELD"
    assert not list(error_log_lines(organiser.server))


def test_health_lists_every_service(organiser: Organiser) -> None:
    (health,) = call_by_name(organiser, "List", b"").responses
    assert set(health.statuses) == {"", *SERVICES}  # type: ignore[attr-defined]  # The type comes from reflection.


def test_reading_a_bot_log_after_the_largest_number_returns_nothing(organiser: Organiser) -> None:
    read = organiser.call("BotService/ListBotLogEntries", bot=organiser.bots[0], after_number=2**64 - 1)
    assert read == type(read)()


def test_a_quota_above_the_range_of_the_database_is_rejected(organiser: Organiser) -> None:
    error = error_of(organiser.set_quota, max_stored_bytes=2**63)
    assert (error.reason, "9223372036854775807" in error.sentence) == ("BAD_FIELD", True)


def test_the_debug_data_of_a_goaway_frame_is_not_logged(server: ServerProcess) -> None:
    lie = b'\n{"event": "all is lost", "level": "error"}\n'
    with http2.connect(server.address, TIMEOUT_S) as connection:
        connection.sendall(http2.PREFACE + http2.SETTINGS + http2.go_away(lie) + http2.PING)
        received = b""
        while http2.PONG not in received:
            received += connection.recv(4096)
    assert b"all is lost" not in server.log.read_bytes()
